import type { EpochMs } from "@tickwheel/core";
import type { ReadPool } from "../connection/read-pool.js";
import type { Session } from "../connection/session.js";
import { FOLDS, foldTallies } from "../statements/count/fold-tallies.js";
import { lockTallies } from "../statements/count/lock-tallies.js";
import { recount } from "../statements/count/recount.js";
import { requestRecounts } from "../statements/count/request-recounts.js";

/** One transaction folds at most this many counters of a level. */
const FOLD_ROWS = 20_000;
/** One call recounts at most this many spans from the rows. */
const MAX_RECOUNTS = 5;
/**
 * The longest count may take this long: an hour of history whose index is not summarised yet is read with its whole
 * day.
 */
const RECOUNT_TIMEOUT_MS = 60_000;

/**
 * Keeps the counters few and correct, in short transactions on the read connections. First seconds are folded to
 * minutes, minutes to hours and hours to days. Then the spans in doubt are recounted from the rows, one by one. Only
 * one process does this at a time; for the others each step is a no-op.
 *
 * Answers how many spans were recounted.
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

/** The answer of `work`, or nothing if another process is doing this work. */
function alone<Row>(reads: Pick<ReadPool, "transaction">, work: (session: Session) => Promise<Row[]>): Promise<Row[]> {
  return reads.transaction(
    async (session) => {
      const [locked] = await session.run(lockTallies, null);
      return locked ? work(session) : [];
    },
    { statementTimeoutMs: RECOUNT_TIMEOUT_MS },
  );
}
