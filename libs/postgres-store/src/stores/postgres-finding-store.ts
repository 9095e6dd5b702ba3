import { EARLIER_CODE, type EpochMs, type Finding, type FindingStore, type SeenCause } from "@tickwheel/core";
import type { ReadPool } from "../connection/read-pool.js";
import { closeFindings } from "../statements/findings/close-findings.js";
import { closedFindings, openFindings } from "../statements/findings/read-findings.js";
import { renameFindings } from "../statements/findings/rename-findings.js";
import { renewFindings } from "../statements/findings/renew-findings.js";

const KEEP_TIMEOUT_MS = 2_000;

/** The findings of a cluster as rows. It uses the connections for reads, never the engine's. */
export class PostgresFindingStore implements FindingStore {
  constructor(
    private readonly reads: Pick<ReadPool, "run" | "transaction">,
    private readonly options: { asOf?: () => EpochMs } = {},
  ) {}

  async keep(seen: readonly SeenCause[], closeAfterMs: number): Promise<Finding[]> {
    const asOf = this.asOf();
    const sorted = [...seen].sort((one, other) => compare(one.code, other.code) || compare(one.subject, other.subject));
    const grown = sorted.filter(({ code }) => EARLIER_CODE[code] !== undefined);
    return this.reads.transaction(
      async (session) => {
        if (grown.length > 0) await session.run(renameFindings, grown);
        if (sorted.length > 0) await session.run(renewFindings, { seen: sorted, asOf });
        await session.run(closeFindings, { afterMs: closeAfterMs, asOf });
        return session.run(openFindings, null);
      },
      { statementTimeoutMs: KEEP_TIMEOUT_MS },
    );
  }

  lastDay(limit: number): Promise<Finding[]> {
    return this.reads.run(closedFindings, { limit, asOf: this.asOf() });
  }

  private asOf(): EpochMs | null {
    return this.options.asOf?.() ?? null;
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
