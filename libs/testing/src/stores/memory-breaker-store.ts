import type { Breaker, BreakerChange, BreakerReply, BreakerStore } from "@tickwheel/core";
import type { MemoryConnection } from "../database/memory-connection.js";
import { changeBreaker, readBreakers } from "../statements/breaker-statements.js";

/** How long a change waits for the one before it. */
const LOCK_TIMEOUT_MS = 2_000;

/** A {@link BreakerStore} in memory: one node's view of a `MemoryDatabase`. Replies are copies. */
export class MemoryBreakerStore implements BreakerStore {
  constructor(private readonly connection: MemoryConnection) {}

  readBreakers(): Promise<Breaker[]> {
    return this.connection.call({ statement: "breakers.readBreakers", request: null }, (session) =>
      session.run(readBreakers),
    );
  }

  changeBreaker(request: BreakerChange): Promise<BreakerReply> {
    return this.connection.call({ statement: "breakers.changeBreaker", request }, (session) =>
      session.transaction(LOCK_TIMEOUT_MS, (within) => changeBreaker(within, request)),
    );
  }
}
