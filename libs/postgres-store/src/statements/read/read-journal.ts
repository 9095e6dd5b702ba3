import type { JournalEntry, JournalPage, JournalRequest } from "@tickwheel/core";
import { readLatenessParts } from "../../sql/lateness-sql.js";
import { journalTail } from "../../sql/journal-sql.js";
import { epochMs, nodeLabels } from "../../sql/sql-fragments.js";
import type { RawRow, Statement } from "../../connection/session.js";
import { stateOf } from "../../sql/state-codes.js";
import { readInstant, readOptionalInstant, readText } from "../../sql/task-rows.js";
import { liveAndFinished } from "./find-tasks-by-id.js";

/** An entry and its place in the journal. */
export interface PlacedEntry {
  place: number;
  entry: JournalEntry;
}

/**
 * A page of a task's journal, and one entry more if there is one. It reads the stored rows and then the entries that
 * the task's row tells, in one snapshot. No row: there is no such task. One row of nulls (null here): there are no more
 * entries.
 *
 * Plan: one probe of each of the task's indexes, and one range of the index of each kept journal partition. The ranges
 * are merged in order and read only as far as the page.
 */
export const readJournal: Statement<JournalRequest, PlacedEntry | null> = {
  name: "read_journal",
  sql: (schema) => `
    WITH found AS MATERIALIZED (
      SELECT t.* FROM ${liveAndFinished(schema, "id = $2::uuid")} t JOIN ${schema}.type y ON y.id = t.type_id
       WHERE y.namespace = $1
    ),
    stored AS (
      SELECT j.seq, j.at, j.from_state, j.to_state, j.node, j.fence, j.attempt, j.reason, j.actor, coalesce(j.count, 1) AS count,
             j.started_at, j.lateness_parts, j.error
        FROM ${schema}.journal j WHERE j.task_id = $2::uuid AND j.seq > $3::integer
       ORDER BY j.seq LIMIT $4::integer + 1
    ),
    told AS (
      SELECT j.seq, j.at, j.from_state, j.to_state, n.label, j.fence, j.attempt, j.reason, j.actor, j.count,
             j.started_at, j.lateness_parts, j.error
        FROM (${journalTail("found")}) j LEFT JOIN ${nodeLabels(schema)} n ON n.boot_id = j.owner
       WHERE j.seq > $3::integer
    )
    SELECT e.seq, ${epochMs("e.at")} AS at, e.from_state, e.to_state, e.node, e.fence, e.attempt, e.reason, e.actor, e.count,
           ${epochMs("e.started_at")} AS started_at, e.lateness_parts, e.error
      FROM found LEFT JOIN (SELECT * FROM stored UNION ALL SELECT * FROM told) e ON true
     ORDER BY e.seq LIMIT $4::integer + 1`,
  values: ({ namespace, id, limit, after }) => [namespace, id, after ?? 0, limit],
  read: (row) => (row.seq === null ? null : { place: Number(row.seq), entry: readEntry(row) }),
};

/** Makes the page from what `readJournal` found. Null: there is no such task. */
export function journalPage(found: readonly (PlacedEntry | null)[], limit: number): JournalPage | null {
  if (found.length === 0) return null;
  const page = found.slice(0, limit).filter((placed) => placed !== null);
  const next = found.length > limit ? page.at(-1)!.place : null;
  return { entries: page.map(({ entry }) => entry), next };
}

function readEntry(row: RawRow): JournalEntry {
  return {
    at: readInstant(row.at),
    from: row.from_state === null ? null : stateOf(row.from_state),
    to: stateOf(row.to_state),
    node: readText(row.node),
    fence: Number(row.fence),
    attempt: Number(row.attempt),
    reason: readText(row.reason),
    actor: readText(row.actor),
    count: Number(row.count),
    startedAt: readOptionalInstant(row.started_at),
    latenessParts: readLatenessParts(row.lateness_parts),
    error: readText(row.error),
  };
}
