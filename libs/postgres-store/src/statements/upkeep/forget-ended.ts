import type { EpochMs, ForgetReply, ForgetRequest } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { tallyRisen } from "../../sql/dead-sql.js";
import { BEFORE_ALL_IDS } from "../../sql/id-bounds.js";
import { asOf, parameters, typed } from "../../sql/parameters.js";
import { now, wholeMs } from "../../sql/sql-fragments.js";
import { STATE } from "../../sql/state-codes.js";

export type ForgetEnded = ForgetRequest & { asOf: EpochMs | null };

const [p, values] = parameters<ForgetEnded>()({
  asOf,
  typeId: typed("integer", ({ typeId }) => typeId),
  keptMs: typed("float8", ({ keptMs }) => keptMs),
  after: typed("uuid", ({ after }) => after ?? BEFORE_ALL_IDS),
  limit: typed("integer", ({ limit }) => limit),
});

/**
 * Looks at a page of a type's tasks in history, and deletes those that succeeded long enough ago. An id begins with the
 * time of its creation, so the walk ends at tasks that were created too late to have ended in time. Partitions of later
 * days are not opened.
 *
 * The page is bounded by what it looks at, not by what it deletes: tasks that stay (others' ends, members, those that
 * were created long before they ended) are passed by.
 *
 * Plan: a range of the index of (type, id) of each partition that is old enough, then one probe of the index of ids.
 */
const forgetSucceeded: Statement<ForgetEnded, ForgetReply> = {
  name: "forget_succeeded",
  sql: (schema) =>
    textOf(schema, {
      ...IN_HISTORY,
      old: `e.state = ${STATE.succeeded} AND e.finished_at < (SELECT until FROM clock)`,
    }),
  values,
  read: readReply,
};

/**
 * The same of cancelled tasks. Those that an operation has cancelled stay as long as it can be undone.
 *
 * Plan: besides, the index of the operations that remember, and for each of these and each old task one probe of the
 * primary key of what they changed.
 */
const forgetCancelled: Statement<ForgetEnded, ForgetReply> = {
  name: "forget_cancelled",
  sql: (schema) =>
    textOf(schema, {
      ...IN_HISTORY,
      old: `e.state = ${STATE.cancelled} AND e.finished_at < (SELECT until FROM clock) AND NOT EXISTS (
        SELECT FROM ${schema}.operation o JOIN ${schema}.operation_task m ON m.operation_id = o.id AND m.task_id = e.id
         WHERE o.forgotten_at IS NULL)`,
    }),
  values,
  read: readReply,
};

/**
 * The same of dead tasks, which are tallied. Plan: a range of the index of dead tasks by (type, id), then a probe of
 * the primary key.
 */
const forgetDead: Statement<ForgetEnded, ForgetReply> = {
  name: "forget_dead",
  sql: (schema) =>
    textOf(schema, {
      table: "task",
      page: `e.state = ${STATE.dead}`,
      old: `(e.state + 0) = ${STATE.dead} AND e.finished_at < (SELECT until FROM clock)`,
      also: `risen AS (${tallyRisen(schema, "gone")})`,
    }),
  values,
  read: readReply,
};

/** What forgets the tasks of a type that have ended so. */
export const forgetEnded = { succeeded: forgetSucceeded, cancelled: forgetCancelled, dead: forgetDead };

const IN_HISTORY = { table: "history", page: "e.finished_at < (SELECT day_end FROM clock)" } as const;

interface Ended {
  table: "history" | "task";
  /** What the walk looks at. */
  page: string;
  /** What of it goes. */
  old: string;
  /** A further common table expression, over the rows of `gone`. Default: none. */
  also?: string;
}

/** Locked rows are left: who holds one is at work with it, and a task that is retried meanwhile is kept. */
function textOf(schema: QuotedSchema, { table, page, old, also }: Ended): string {
  const until = `${now(p.asOf)} - ${p.keptMs} * interval '1 millisecond'`;
  return `
    WITH clock AS MATERIALIZED (
      SELECT c.until, date_trunc('day', c.until, 'UTC') + interval '24 hours' AS day_end,
             (lpad(to_hex(${wholeMs("c.until")}::bigint), 12, '0') || repeat('0', 20))::uuid AS behind
        FROM (SELECT ${until} AS until) c
    ),
    page AS MATERIALIZED (
      SELECT e.id FROM ${schema}.${table} e
       WHERE e.type_id = ${p.typeId} AND e.id > ${p.after} AND e.id < (SELECT behind FROM clock) AND ${page}
       ORDER BY e.id LIMIT ${p.limit}
    ),
    old AS MATERIALIZED (
      SELECT e.id FROM ${schema}.${table} e WHERE e.id = ANY (ARRAY (SELECT id FROM page)) AND ${old} AND e.batch_id IS NULL
         FOR UPDATE SKIP LOCKED
    ),
    gone AS (DELETE FROM ${schema}.${table} e USING old o WHERE e.id = o.id RETURNING ${also === undefined ? "1)" : `e.type_id, e.state, e.error_print),\n    ${also}`}
    SELECT (SELECT count(*) FROM gone)::integer AS forgotten,
           CASE WHEN (SELECT count(*) FROM page) = ${p.limit} THEN (SELECT id::text FROM page ORDER BY id DESC LIMIT 1) END AS next`;
}

function readReply(row: Readonly<Record<string, unknown>>): ForgetReply {
  return { forgotten: Number(row.forgotten), next: row.next as string | null };
}
