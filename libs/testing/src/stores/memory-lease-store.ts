import type {
  EndedLease,
  ExtendReply,
  HeldLease,
  LeaseRef,
  LeaseStore,
  PullReply,
  PullRequest,
  TypeId,
} from "@tickwheel/core";
import type { MemoryConnection } from "../database/memory-connection.js";
import { endLeases, extend, heldLeases, pull } from "../statements/lease-statements.js";

/** A {@link LeaseStore} in memory: one node's view of a `MemoryDatabase`. Replies are copies. */
export class MemoryLeaseStore implements LeaseStore {
  constructor(private readonly connection: MemoryConnection) {}

  pull(request: PullRequest): Promise<PullReply> {
    return this.connection.call({ statement: "leases.pull", request }, (session) => pull(session, request));
  }

  extend(request: LeaseRef & { leaseMs: number }): Promise<ExtendReply> {
    return this.connection.call({ statement: "leases.extend", request }, (session) =>
      session.run((scope) => extend(scope, request)),
    );
  }

  endLeases(request: number): Promise<EndedLease[]> {
    return this.connection.call({ statement: "leases.endLeases", request }, (session) =>
      session.run((scope) => endLeases(scope, request)),
    );
  }

  heldLeases(request: { typeId: TypeId; limit: number }): Promise<HeldLease[]> {
    return this.connection.call({ statement: "leases.heldLeases", request }, (session) =>
      session.run((scope) => heldLeases(scope, request)),
    );
  }
}
