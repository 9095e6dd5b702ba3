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
 * Plan: the pauses as a whole; for each that is over, a probe of the index of live keys and one of former keys.
 */
export const resumeEndedKeys: Statement<{ limit: number; asOf: EpochMs | null }, TaskHint> = {
  name: "resume_ended_keys",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    found AS MATERIALIZED (
      SELECT t.id FROM clock JOIN ${schema}.pause p ON p.key IS NOT NULL AND p.until_at <= clock.now
       CROSS JOIN LATERAL (${tasksOfKey(schema)}) k JOIN ${schema}.task t ON t.id = k.id
       WHERE ${wasPausedBy("t")}
       LIMIT $2 FOR UPDATE OF t SKIP LOCKED
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
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now)
    ${forgetting(schema)}`,
  values: ({ asOf }) => [asOf],
  read: (row) => row as never,
};

/** The ids of all tasks of the paused key `p`: that which holds it, and those which held it once. */
function tasksOfKey(schema: QuotedSchema): string {
  return `SELECT l.id FROM ${schema}.task l WHERE l.key_live AND l.slot = p.slot AND l.type_id = p.type_id AND l.key = p.key
              UNION ALL
              SELECT f.id FROM ${schema}.task f
               WHERE f.key IS NOT NULL AND NOT f.key_live AND ${keyOfTypeSql("f.key", "f.type_id")} = ${keyOfTypeSql("p.key", "p.type_id")}
                 AND f.key = p.key AND f.type_id = p.type_id`;
}

function wasPausedBy(row: string): string {
  return `${stateById(row)} = ${STATE.paused} AND ${row}.paused_at >= p.paused_at AND ${row}.paused_at <= p.until_at`;
}

function forgetting(schema: QuotedSchema): string {
  return `DELETE FROM ${schema}.pause WHERE id IN (
        SELECT p.id FROM clock JOIN ${schema}.pause p ON p.until_at <= clock.now - ${KEPT}
         WHERE NOT EXISTS (SELECT FROM (${tasksOfKey(schema)}) k JOIN ${schema}.task t ON t.id = k.id WHERE ${wasPausedBy("t")})
           FOR UPDATE OF p SKIP LOCKED)`;
}
