import type { QuotedSchema } from "../connection/session.js";
import { BEHIND_ALL_IDS } from "./id-bounds.js";
import { STATE } from "./state-codes.js";

/** The columns of a tally of members, which are those of a batch's counts. */
export const BATCH_COUNTS = ["total", "succeeded", "dead", "cancelled", "expired"] as const;

const ENDS = ["succeeded", "dead", "cancelled", "expired"] as const;

/**
 * An INSERT that tallies members which have ended: one row for each batch. It belongs into the statement that ends
 * them, so what is counted is what has happened. Where no row of `source` is a member's, it writes nothing.
 *
 * @param source a relation of tasks with `batch_id` and a state
 * @param state the state in which each has ended, in SQL; a row in another state is not counted
 */
export function tallyEnds(schema: QuotedSchema, source: string, state: string): string {
  return `
      INSERT INTO ${schema}.batch_tally (batch_id, ${ENDS.join(", ")})
      SELECT batch_id, ${ENDS.map((end) => `count(*) FILTER (WHERE ${state} = ${STATE[end]})`).join(", ")}
        FROM ${source} WHERE batch_id IS NOT NULL AND ${state} >= ${STATE.succeeded} GROUP BY batch_id`;
}

/**
 * An INSERT that tallies members which leave an end, come to one, or both: one row for each batch that there still is.
 *
 * @param source a relation of tasks with `batch_id`, as `m`
 * @param ends the end that each leaves and the one that it comes to, in SQL of `m`; default: none
 */
export function tallyMoves(schema: QuotedSchema, source: string, ends: { from?: string; to?: string }): string {
  const { from = "NULL", to = "NULL" } = ends;
  const moves = ENDS.map((end) => {
    const counted = (state: string): string => `count(*) FILTER (WHERE ${state} = ${STATE[end]})`;
    return `${counted(to)} - ${counted(from)}`;
  });
  return `
        INSERT INTO ${schema}.batch_tally (batch_id, ${ENDS.join(", ")})
        SELECT m.batch_id, ${moves.join(", ")}
          FROM ${source} m JOIN ${schema}.batch b ON b.id = m.batch_id GROUP BY m.batch_id`;
}

/**
 * The counts of a batch `b` with what is tallied and not folded yet, as columns. One statement sees one moment: a row
 * is either still tallied, or in the batch's own counts.
 */
export function countsNow(): string {
  return BATCH_COUNTS.map((count) => `(b.${count} + coalesce(y.${count}, 0))::float8 AS ${count}`).join(", ");
}

/** `LEFT JOIN` of what is tallied for the batch `b` and not folded yet, as `y`. */
export function tallied(schema: QuotedSchema): string {
  const sums = BATCH_COUNTS.map((count) => `sum(${count}) AS ${count}`).join(", ");
  return `LEFT JOIN LATERAL (SELECT ${sums} FROM ${schema}.batch_tally WHERE batch_id = b.id) y ON true`;
}

/**
 * A range of the index of members: those of a batch in a state, with ids behind `after`. The order is that of the whole
 * index, and the bounds are of rows: where a batch and a state are given as equal, the planner drops them from the
 * order, and may read the index of ids instead, which holds everybody's tasks.
 *
 * @param member the alias of a row of `task` or `history`
 * @param range.order `DESC`: the newest first
 */
export function membersInState(
  member: string,
  { batch, state, after, order = "ASC" }: { batch: string; state: string; after: string; order?: "ASC" | "DESC" },
): string {
  const place = `(${member}.batch_id, ${member}.state, ${member}.id)`;
  return `${member}.batch_id IS NOT NULL AND ${place} > (${batch}, ${state}, ${after})
             AND ${place} < (${batch}, ${state}, '${BEHIND_ALL_IDS}'::uuid)
           ORDER BY ${member}.batch_id ${order}, ${member}.state ${order}, ${member}.id ${order}`;
}
