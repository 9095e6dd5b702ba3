import {
  DEFAULT_OPTIONS,
  type EpochMs,
  type LimitedClaimReply,
  type LimitedClaimRequest,
  type LimitId,
  type LimitState,
  type LimitStore,
  type Places,
  type TokenGrant,
} from "@tickwheel/core";
import type { PostgresDatabase } from "../connection/postgres-database.js";
import type { ReadPool } from "../connection/read-pool.js";
import { adoptPlaces, adoptRunning, awaitLimits } from "../statements/limits/adopt-places.js";
import { readLimits } from "../statements/limits/read-limits.js";
import { takeTokens } from "../statements/limits/take-tokens.js";
import { claimLimited } from "../writing/claims.js";

export interface PostgresLimitStoreOptions {
  /** Most bytes of a claim's reply. Default 262,144. */
  claimReplyBytes?: number | undefined;
  /** Only for tests: the instant that the statements take for now. */
  asOf?: (() => EpochMs) | undefined;
}

/**
 * Limits as rows. Claims and tokens use the engine's connections, what people read those for reads. Lock order: node,
 * limits by their numbers, pauses, tasks [lock-order].
 */
export class PostgresLimitStore implements LimitStore {
  constructor(
    private readonly database: Pick<PostgresDatabase, "run" | "transaction">,
    private readonly reads: Pick<ReadPool, "run">,
    private readonly options: PostgresLimitStoreOptions = {},
  ) {}

  claimLimited(request: LimitedClaimRequest): Promise<LimitedClaimReply> {
    const replyBytes = this.options.claimReplyBytes ?? DEFAULT_OPTIONS.claimReplyBytes;
    return claimLimited(this.database, { ...request, replyBytes, asOf: this.asOf() });
  }

  async adoptPlaces(places: readonly Places[]): Promise<void> {
    const limitIds = places.filter(({ ids }) => ids.length > 0).map(({ limitId }) => limitId);
    if (limitIds.length === 0) return;
    await this.database.transaction(async (session) => {
      await session.run(awaitLimits, { limitIds });
      await session.run(adoptPlaces, { places });
    });
  }

  async adoptRunning(limitIds: readonly LimitId[]): Promise<void> {
    if (limitIds.length === 0) return;
    await this.database.transaction(async (session) => {
      await session.run(awaitLimits, { limitIds });
      await session.run(adoptRunning, { limitIds });
    });
  }

  async takeTokens({ limitId, most }: { limitId: LimitId; most: number }): Promise<TokenGrant | null> {
    return (await this.database.run(takeTokens, { limitId, most, asOf: this.asOf() }))[0] ?? null;
  }

  readLimits(): Promise<LimitState[]> {
    return this.reads.run(readLimits, { asOf: this.asOf() });
  }

  private asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}
