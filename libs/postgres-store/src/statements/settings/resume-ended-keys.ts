import type { EpochMs, TaskHint } from "@tickwheel/core";
import { withChange } from "../../sql/journal-sql.js";
import { keyOfTypeSql } from "../../sql/key-of-type.js";
import { resumedAt } from "../../sql/paused-sql.js";
import { HINT_FIELDS, now, stateById } from "../../sql/sql-fragments.js";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readHint } from "../../sql/task-rows.js";
import { KEPT } from "./setting-sql.js";

const CHANGE = { at: "c.now", reason: "'RESUMED'", actor: "NULL::text", count: "1", to: String(STATE.scheduled) };

/**
 * Resumes tasks of keys whose pause is over, those that became paused while it was in force: by a claim, or by
 * somebody. Any node looks, again and again. Locked rows are left for the next look. What somebody had paused before,
 * or pauses later, stays paused.
 *
 * The row of an ended pause is there for a minute at least, and until nothing of it is paused any more: a claim that
 * still believed in the pause may commit after a look [paused-key]. So it is this look that forgets the rows, beside
 * the changes.
 *
 * Plan: the pauses as a whole; for each that is over, a probe of the index of live keys and one of former keys. The ids
 * are made a list, and joined as those of a claim are: so the tasks are probed by id, however small their table was
 * when the plan was made.
 */
export const resumeEndedKeys: Statement<{ limit: number; asOf: EpochMs | null }, TaskHint> = {
  name: "resume_ended_keys",
  sql: (schema) => `
    WITH ${looking(schema)},
    listed AS MATERIALIZED (SELECT array_agg(id) AS ids, array_agg(paused_at) AS instants FROM (SELECT * FROM paused LIMIT $2) p),
    found AS MATERIALIZED (
      SELECT t.id FROM listed
       CROSS JOIN LATERAL (SELECT * FROM unnest(listed.ids, listed.instants) AS r (id, paused_at) LIMIT cardinality(listed.ids)) AS r
        JOIN ${schema}.task t ON t.id = r.id
       WHERE ${stateById("t")} = ${STATE.paused} AND t.paused_at = r.paused_at
         FOR UPDATE OF t SKIP LOCKED
    ),
    resumed AS (
      UPDATE ${schema}.task t
         SET state = ${STATE.scheduled}, ${resumedAt("t", "c.now")},
             version = t.version + 1, notes = ${withChange("t", CHANGE, () => "false")}
        FROM found f CROSS JOIN clock c
       WHERE t.id = f.id AND ${stateById("t")} = ${STATE.paused}
      RETURNING t.*
    ),
    forgotten AS (${forgetting(schema)})
    SELECT ${HINT_FIELDS} FROM resumed t`,
  values: ({ limit, asOf }) => [asOf, limit],
  read: readHint,
};

/** Forgets pauses that have been over for long enough, as the look does. */
export const forgetPauses: Statement<{ asOf: EpochMs | null }, never> = {
  name: "forget_pauses",
  sql: (schema) => `
    WITH ${looking(schema)}
    ${forgetting(schema)}`,
  values: ({ asOf }) => [asOf],
  read: (row) => row as never,
};

/** `over`: the pauses that are over. `paused`: the tasks that became paused while one was in force, and still are. */
function looking(schema: QuotedSchema): string {
  const wasPaused = (row: string): string =>
    `${stateById(row)} = ${STATE.paused} AND ${row}.paused_at >= p.paused_at AND ${row}.paused_at <= p.until_at`;
  return `clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    over AS MATERIALIZED (SELECT p.* FROM clock JOIN ${schema}.pause p ON p.until_at <= clock.now),
    paused AS MATERIALIZED (
      SELECT p.id AS pause_id, k.id, k.paused_at FROM over p CROSS JOIN LATERAL (
        SELECT l.id, l.paused_at FROM ${schema}.task l
         WHERE l.key_live AND l.slot = p.slot AND l.type_id = p.type_id AND l.key = p.key AND ${wasPaused("l")}
        UNION ALL
        SELECT f.id, f.paused_at FROM ${schema}.task f
         WHERE f.key IS NOT NULL AND NOT f.key_live AND ${keyOfTypeSql("f.key", "f.type_id")} = ${keyOfTypeSql("p.key", "p.type_id")}
           AND f.key = p.key AND f.type_id = p.type_id AND ${wasPaused("f")}
      ) k
    )`;
}

/**
 * Deletes what has been over for long, and of which nothing is paused any more; also pauses of types and namespaces.
 */
function forgetting(schema: QuotedSchema): string {
  return `DELETE FROM ${schema}.pause WHERE id IN (
        SELECT p.id FROM clock CROSS JOIN over o JOIN ${schema}.pause p ON p.id = o.id
         WHERE o.until_at <= clock.now - ${KEPT} AND p.until_at = o.until_at AND NOT EXISTS (SELECT FROM paused k WHERE k.pause_id = o.id)
           FOR UPDATE OF p SKIP LOCKED)`;
}
