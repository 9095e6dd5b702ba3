import { requirePromises } from "../support/broken-promise.js";
import { eventually } from "../support/eventually.js";
import type { Ledger } from "../support/ledger.js";

/** What ended of one type within one minute. */
export interface Ends {
  minute: string;
  type: string;
  succeeded: number;
  skipped: number;
  cancelled: number;
  expired: number;
}

/** All that is known of the counters of a cluster at rest. */
export interface CountEvidence {
  /** By the counters. */
  told: readonly Ends[];
  /** By the rows and the time when these were finished. */
  rows: readonly Ends[];
  /** Minutes that are still to be counted from the rows, and dead nodes whose minutes are not known yet. */
  doubts: number;
  /** Minutes that were counted from the rows. */
  recounted: number;
  /** Ended tasks that are not in history yet; dead ones stay where they are. */
  unarchived: number;
}

const ENDS = ["succeeded", "skipped", "cancelled", "expired"] as const;
/**
 * A dead node is noticed a minute after its last write. A minute in doubt is counted at most a minute after its end.
 * All of these waits together are longer.
 */
const WAITS = 4;

/**
 * The counters of ended tasks must equal the rows, by minute and type, once nothing is in doubt any more. This is
 * promised of {@link ENDS} alone. How many were created, started, failed and dead stays as the nodes have written it,
 * so a node that is killed takes its last second of these with it. Pure.
 *
 * @returns what does not hold, one sentence each; empty if all does
 */
export function countFaultsOf({ told, rows, doubts, unarchived }: CountEvidence): string[] {
  const open = doubts > 0 ? [`${doubts} minutes or writers are still in doubt`] : [];
  const waiting = unarchived > 0 ? [`${unarchived} ended tasks are not in history`] : [];
  const toldBy = byPlace(told);
  const rowsBy = byPlace(rows);
  const wrong = [...new Set([...toldBy.keys(), ...rowsBy.keys()])].sort().flatMap((place) =>
    ENDS.map((end) => ({ end, told: toldBy.get(place)?.[end] ?? 0, rows: rowsBy.get(place)?.[end] ?? 0 }))
      .filter((each) => each.told !== each.rows)
      .map((each) => `${place}: the counters tell of ${each.told} ${each.end}, the rows of ${each.rows}`),
  );
  return [...open, ...waiting, ...wrong];
}

/** Waits until the counters equal the rows and nothing is in doubt, at the end of a test whose tasks have all ended. */
export async function expectCounts(ledger: Ledger): Promise<CountEvidence> {
  for (let wait = 1; ; wait++) {
    try {
      return await eventually(async () => {
        const evidence = await gatherCounts(ledger);
        requirePromises(countFaultsOf(evidence));
        return evidence;
      });
    } catch (error) {
      if (wait === WAITS) throw error;
    }
  }
}

/** In one snapshot: a move into history writes its counters in the same transaction. */
async function gatherCounts(ledger: Ledger): Promise<CountEvidence> {
  const ends = (source: string): string => `
    (SELECT coalesce(json_agg(e), '[]') FROM (
       SELECT s.minute::text AS minute, t.namespace || ' ' || t.type AS type,
              ${ENDS.map((end) => `s.${end}::float8 AS ${end}`).join(", ")}
         FROM (${source}) s JOIN tickwheel.type t ON t.id = s.type_id) e)`;
  const told = `SELECT date_trunc('minute', at, 'UTC') AS minute, type_id, ${ENDS.map((end) => `sum(${end}) AS ${end}`).join(", ")}
                  FROM tickwheel.tally GROUP BY 1, 2`;
  const rows = `SELECT date_trunc('minute', finished_at, 'UTC') AS minute, type_id, count(*) FILTER (WHERE state = 2) AS succeeded,
                       count(*) FILTER (WHERE reason = 'SKIPPED') AS skipped, count(*) FILTER (WHERE state = 4) AS cancelled,
                       count(*) FILTER (WHERE state = 5) AS expired FROM tickwheel.history GROUP BY 1, 2`;
  const [evidence] = await ledger.query<CountEvidence>(`
    SELECT ${ends(told)} AS told, ${ends(rows)} AS rows,
           ((SELECT count(*) FROM tickwheel.recount WHERE counted_at IS NULL)
             + (SELECT count(*) FROM tickwheel.tally_writer w WHERE w.id <> 0 AND NOT EXISTS (
                  SELECT FROM tickwheel.node n WHERE n.label = w.label AND n.state <> 'dead')))::int AS doubts,
           (SELECT count(*) FROM tickwheel.recount WHERE counted_at IS NOT NULL)::int AS recounted,
           (SELECT count(*) FROM tickwheel.task WHERE finished_at IS NOT NULL AND state <> 3)::int AS unarchived`);
  return evidence!;
}

function byPlace(ends: readonly Ends[]): Map<string, Ends> {
  return new Map(ends.map((each) => [`${each.type} at ${each.minute}`, each]));
}
