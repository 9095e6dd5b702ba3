import {
  DEFAULT_OPTIONS,
  type EndedLease,
  type EpochMs,
  type ExtendReply,
  type HeldLease,
  type LeaseRef,
  type LeaseStore,
  type PullReply,
  type PullRequest,
  type TypeId,
} from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { ReadPool } from "../connection/read-pool.js";
import { endLeases } from "../statements/pull/end-leases.js";
import { extendLease } from "../statements/pull/extend-lease.js";
import { heldLeases } from "../statements/pull/held-leases.js";
import { pull } from "../writing/pulls.js";

export interface PostgresLeaseStoreOptions {
  /** Most bytes of a pull's reply; payloads beyond are read after its commit. Default 262,144. */
  claimReplyBytes?: number | undefined;
  /** Only for tests: the instant that the statements take for now. */
  asOf?: (() => EpochMs) | undefined;
}

/** Leases as rows. Lock order: type, limits, buckets, tasks, leases [lock-order]. */
export class PostgresLeaseStore implements LeaseStore {
  constructor(
    private readonly database: Pick<PostgresDatabase, "run" | "transaction">,
    private readonly reads: Pick<ReadPool, "run">,
    private readonly options: PostgresLeaseStoreOptions = {},
  ) {}

  pull(request: PullRequest): Promise<PullReply> {
    const replyBytes = this.options.claimReplyBytes ?? DEFAULT_OPTIONS.claimReplyBytes;
    return pull(this.database, { ...request, replyBytes, asOf: this.asOf() });
  }

  async extend(lease: LeaseRef & { leaseMs: number }): Promise<ExtendReply> {
    const [reply] = await this.database.run(extendLease, { ...lease, asOf: this.asOf() });
    return reply ?? { outcome: "lost" };
  }

  endLeases(limit: number): Promise<EndedLease[]> {
    return this.database.run(endLeases, { limit, asOf: this.asOf() });
  }

  heldLeases(request: { typeId: TypeId; limit: number }): Promise<HeldLease[]> {
    return this.reads.run(heldLeases, request);
  }

  private asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}
