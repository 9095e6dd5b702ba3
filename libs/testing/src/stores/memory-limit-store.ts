import type {
  LimitedClaimReply,
  LimitedClaimRequest,
  LimitId,
  LimitState,
  LimitStore,
  Places,
  TokenGrant,
} from "@tickwheel/core";
import type { MemoryConnection } from "../database/memory-connection.js";
import { adoptPlaces, adoptRunning, claimLimited, readLimits, takeTokens } from "../statements/limit-statements.js";

/** A {@link LimitStore} in memory: one node's view of a `MemoryDatabase`. Replies are copies. */
export class MemoryLimitStore implements LimitStore {
  constructor(private readonly connection: MemoryConnection) {}

  claimLimited(request: LimitedClaimRequest): Promise<LimitedClaimReply> {
    return this.connection.call({ statement: "limits.claimLimited", request }, (session) =>
      claimLimited(session, request),
    );
  }

  adoptPlaces(request: readonly Places[]): Promise<void> {
    return this.connection.call({ statement: "limits.adoptPlaces", request }, (session) =>
      adoptPlaces(session, request),
    );
  }

  adoptRunning(request: readonly LimitId[]): Promise<void> {
    return this.connection.call({ statement: "limits.adoptRunning", request }, (session) =>
      adoptRunning(session, request),
    );
  }

  takeTokens(request: { limitId: LimitId; most: number }): Promise<TokenGrant | null> {
    return this.connection.call({ statement: "limits.takeTokens", request }, (session) =>
      session.run((scope) => takeTokens(scope, request)),
    );
  }

  readLimits(): Promise<LimitState[]> {
    return this.connection.call({ statement: "limits.readLimits", request: null }, (session) =>
      session.run(readLimits),
    );
  }
}
