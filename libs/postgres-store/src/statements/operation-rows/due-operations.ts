import { type EpochMs, OPEN_OPERATION_STATES } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";
import { epochMs, now } from "../../sql/sql-fragments.js";
import { readJson, readOptionalInstant } from "../../sql/task-rows.js";

/** How many operations of a namespace make pages at once, the oldest ones. */
const AT_ONCE = 4;

const OPEN = OPEN_OPERATION_STATES.map((state) => `'${state}'`).join(", ");
/** For an operation `o` in SQL: it makes pages, in the form of the index of open operations. */
export const MAKES_PAGES = `o.state IN (${OPEN}) AND o.held_at IS NULL`;

/**
 * The operations whose next page may be made, of each namespace the oldest ones, and when the first later one is due.
 * Plan: the index of open operations, which are few.
 */
export const dueOperations: Statement<{ asOf: EpochMs | null }, { ids: string[]; nextAt: EpochMs | null }> = {
  name: "due_operations",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    open AS MATERIALIZED (
      SELECT o.id, o.namespace, o.next_at FROM ${schema}.operation o WHERE ${MAKES_PAGES}),
    due AS (
      SELECT o.id, o.next_at, row_number() OVER (PARTITION BY o.namespace ORDER BY o.id) AS place
        FROM open o CROSS JOIN clock WHERE o.next_at <= clock.now)
    SELECT (SELECT coalesce(json_agg(d.id ORDER BY d.next_at, d.id)::text, '[]') FROM due d WHERE d.place <= ${AT_ONCE}) AS ids,
           (SELECT ${epochMs("min(o.next_at)")} FROM open o CROSS JOIN clock WHERE o.next_at > clock.now) AS next_at`,
  values: ({ asOf }) => [asOf],
  read: (row) => ({ ids: readJson(row.ids) as string[], nextAt: readOptionalInstant(row.next_at) }),
};
