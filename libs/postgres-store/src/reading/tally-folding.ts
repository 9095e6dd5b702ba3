import type { EpochMs } from "@tickwheel/core";
import type { ReadPool } from "../connection/read-pool.js";
import type { Session } from "../connection/session.js";
import { FOLDS, foldTallies } from "../statements/count/fold-tallies.js";
import { lockTallies } from "../statements/count/lock-tallies.js";
import { recount } from "../statements/count/recount.js";
import { requestRecounts } from "../statements/count/request-recounts.js";

/** Counters of a level that one transaction folds. */
const FOLD_ROWS = 20_000;
/** Spans that one call counts from the rows. */
const MAX_RECOUNTS = 5;
/** The longest count: an hour of history whose index is not summarised yet is read with its whole day. */
const RECOUNT_TIMEOUT_MS = 60_000;

/**
 * Keeps the counters few and right, in short transactions on the connections of reads: seconds become minutes, minutes
 * hours, hours days; then what is in doubt is counted from the rows, span by span. One process at a time; for others
 * each step is a no-op.
 *
 * Answers how many spans were counted.
 */
export async function upkeepTallies(reads: Pick<ReadPool, "transaction">, asOf: EpochMs | null): Promise<number> {
  for (const fold of FOLDS) await alone(reads, (session) => session.run(foldTallies, { fold, limit: FOLD_ROWS, asOf }));
  await alone(reads, (session) => session.run(requestRecounts, { asOf }));
  for (let counted = 0; counted < MAX_RECOUNTS; counted++) {
    const [found = 0] = await alone(reads, (session) => session.run(recount, { asOf }));
    if (found === 0) return counted;
  }
  return MAX_RECOUNTS;
}

/** What `work` answers, or nothing where another process is at it. */
function alone<Row>(reads: Pick<ReadPool, "transaction">, work: (session: Session) => Promise<Row[]>): Promise<Row[]> {
  return reads.transaction(
    async (session) => {
      const [locked] = await session.run(lockTallies, null);
      return locked ? work(session) : [];
    },
    { statementTimeoutMs: RECOUNT_TIMEOUT_MS },
  );
}
