import type { QuotedSchema } from "../connection/session.js";
import { STATE } from "./state-codes.js";

/** The print under which tasks are counted that have none, or whose cause has no group of its own. */
export const OTHERS = 0;

/**
 * An INSERT that tallies tasks which are dead now: one row for each type and print, with the last of them. It belongs
 * into the statement that ends them, so what is counted is what has happened. Where none is dead, it writes nothing.
 *
 * @param source a relation with the columns of tasks as they are now; those in other states are not counted
 * @param how.isNew whether they have just died. False: they are dead again, so no death is counted
 */
export function tallyDeaths(schema: QuotedSchema, source: string, { isNew }: { isNew: boolean }): string {
  return `
      INSERT INTO ${schema}.dead_tally (type_id, print, count, deaths, first_at, last_at, task_id, reason, error)
      SELECT DISTINCT ON (d.type_id, d.print) d.type_id, d.print, count(*) OVER cause, ${isNew ? "count(*) OVER cause" : "0"},
             min(d.finished_at) OVER cause, max(d.finished_at) OVER cause, d.id, d.reason, d.last_error
        FROM (SELECT s.*, coalesce(s.error_print, ${OTHERS}) AS print FROM ${source} s WHERE s.state = ${STATE.dead}) d
      WINDOW cause AS (PARTITION BY d.type_id, d.print)
       ORDER BY d.type_id, d.print, d.finished_at DESC, d.id DESC`;
}

/**
 * An INSERT that tallies tasks which are dead no more, or gone: one row for each type and print.
 *
 * @param source a relation of tasks as they were, with `type_id`, `state` and `error_print`
 */
export function tallyRisen(schema: QuotedSchema, source: string): string {
  return `
      INSERT INTO ${schema}.dead_tally (type_id, print, count)
      SELECT s.type_id, coalesce(s.error_print, ${OTHERS}), -count(*)
        FROM ${source} s WHERE s.state = ${STATE.dead} GROUP BY 1, 2`;
}
