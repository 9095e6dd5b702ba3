import type { JournalEntry } from "@tickwheel/core";
import { journalTail } from "../journal-sql.js";
import { epochMs } from "../sql-fragments.js";
import type { Statement } from "../session.js";
import { stateOf } from "../state-codes.js";
import { readInstant, readText } from "../task-rows.js";
import { liveAndFinished } from "./find-tasks-by-id.js";

/**
 * A task's journal: the stored rows, then what the task's row tells, in one snapshot. No row: there is no such task. A task whose stored
 * rows are past their retention answers one row of nulls (null here) if its row tells nothing either.
 *
 * One probe of the task's indexes and of one index per kept journal partition.
 */
export const readJournal: Statement<{ namespace: string; id: string }, JournalEntry | null> = {
  name: "read_journal",
  sql: (schema) => `
    WITH found AS MATERIALIZED (
      SELECT t.* FROM ${liveAndFinished(schema, "id = $2::uuid")} t JOIN ${schema}.type y ON y.id = t.type_id
       WHERE y.namespace = $1
    ),
    entries AS (
      SELECT j.task_id, j.seq, j.at, j.from_state, j.to_state, j.node, j.fence, j.attempt, j.reason, j.actor
        FROM ${schema}.journal j WHERE j.task_id = $2::uuid
      UNION ALL
      SELECT j.task_id, j.seq, j.at, j.from_state, j.to_state, n.label, j.fence, j.attempt, j.reason, j.actor
        FROM (${journalTail("found")}) j LEFT JOIN ${schema}.node n ON n.boot_id = j.owner
    )
    SELECT ${epochMs("e.at")} AS at, e.from_state, e.to_state, e.node, e.fence, e.attempt, e.reason, e.actor
      FROM found LEFT JOIN entries e ON e.task_id = found.id
     ORDER BY e.seq`,
  values: ({ namespace, id }) => [namespace, id],
  read: (row) =>
    row.at === null
      ? null
      : {
          at: readInstant(row.at),
          from: row.from_state === null ? null : stateOf(row.from_state),
          to: stateOf(row.to_state),
          node: readText(row.node),
          fence: Number(row.fence),
          attempt: Number(row.attempt),
          reason: readText(row.reason),
          actor: readText(row.actor),
        },
};
