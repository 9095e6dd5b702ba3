import type { CancelledRef, CancelTogether, EpochMs, ScheduledCancel, Task } from "@tickwheel/core";
import { tallyEnds } from "../../sql/batch-sql.js";
import { asOf, listed, parameters, plain, rows, typed } from "../../sql/parameters.js";
import { arrayRows, intoHistory, now, stateById, taskFields, wholeMs, withChanges } from "../../sql/sql-fragments.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant, readTask } from "../../sql/task-rows.js";

export interface CancelScheduledTasks extends CancelTogether {
  asOf: EpochMs | null;
}

const [p, values] = parameters<CancelScheduledTasks>()({
  asOf,
  forgotten: typed("integer[]", ({ forgotten = [] }) => forgotten),
  requests: rows(({ requests }: CancelScheduledTasks) => requests, {
    id: plain("uuid", ({ id }: ScheduledCancel) => id),
    namespace: listed("text", ({ namespace }) => namespace),
    actor: listed("text", ({ actor }) => actor),
  }),
});

/**
 * Cancels those of the given tasks that are scheduled and that nobody has locked. Answers the cancelled tasks. `picked`
 * locks each row in its newest version, so a claim and a cancel of one task come one after the other. An id that is
 * given twice is cancelled once. The rows go to history at once, but for those that nobody keeps.
 *
 * The row itself is the journal. Plan: one probe of the primary key per id, twice, as in the claim.
 */
export const cancelScheduledTasks: Statement<CancelScheduledTasks, Task> = {
  name: "cancel_scheduled_tasks",
  sql: (schema) =>
    textOf(schema, `SELECT ${FIELDS} FROM (${withChanges("cancelled", CANCELLED, ["namespace", "type"])}) t`),
  values,
  read: readTask,
};

/** The same; it answers only which tasks it has cancelled. */
export const cancelScheduledBriefly: Statement<CancelScheduledTasks, CancelledRef> = {
  name: "cancel_scheduled_briefly",
  sql: (schema) =>
    textOf(
      schema,
      `SELECT id::text AS id, namespace, type_id, ${wholeMs("now")}::float8 AS finished_ms FROM cancelled`,
    ),
  values,
  read: (row) => ({
    id: row.id as string,
    namespace: row.namespace as string,
    typeId: Number(row.type_id),
    finishedAt: readInstant(row.finished_ms),
  }),
};

function textOf(schema: QuotedSchema, answer: string): string {
  const isKept = `cancelled.batch_id IS NOT NULL OR cancelled.type_id <> ALL (${p.forgotten})`;
  return `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now),
    picked AS MATERIALIZED (
      SELECT t.id, r.actor, y.namespace, y.type
        FROM ${arrayRows(p.requests)}
        JOIN ${schema}.task t ON t.id = r.id
        JOIN ${schema}.type y ON y.id = t.type_id AND y.namespace = r.namespace
       WHERE ${stateById("t")} = ${STATE.scheduled}
         FOR UPDATE OF t SKIP LOCKED
    ),
    cancelled AS (
      DELETE FROM ${schema}.task t USING picked CROSS JOIN clock
       WHERE t.id = picked.id AND ${stateById("t")} = ${STATE.scheduled}
      RETURNING t.*, clock.now, picked.actor, picked.namespace, picked.type
    ),
    kept AS (${intoHistory(schema, "cancelled", CANCELLED)} WHERE ${isKept}),
    tallied AS (${tallyEnds(schema, "cancelled", String(STATE.cancelled))})
    ${answer}`;
}

const FIELDS = taskFields({ namespace: "t.namespace", type: "t.type", node: "NULL" });

const CANCELLED = {
  state: String(STATE.cancelled),
  key_live: "false",
  reason: "'REQUESTED'",
  finished_at: "cancelled.now",
  cancelled_by: "cancelled.actor",
  version: "cancelled.version + 1",
};
