import { type Leftover, MAX_NAMED_LEFTOVERS } from "@tickwheel/core";
import type { QuotedSchema, Statement } from "../../connection/session.js";
import { membersInState } from "../../sql/batch-sql.js";
import { BEFORE_ALL_IDS } from "../../sql/id-bounds.js";
import { STATE, stateOf } from "../../sql/state-codes.js";

/**
 * Some of the members that have not succeeded: live ones first, then those that ended otherwise. Plan: a short range of
 * the indexes of members for each state.
 */
export const nameLeftovers: Statement<{ id: string }, Leftover> = {
  name: "name_batch_leftovers",
  sql: (schema) => `
    SELECT m.id::text AS id, y.type, m.key, m.state
      FROM (SELECT * FROM (${someOf(schema, "task")} UNION ALL ${someOf(schema, "history")}) either
             ORDER BY place, id LIMIT ${MAX_NAMED_LEFTOVERS}) m
      JOIN ${schema}.type y ON y.id = m.type_id
     ORDER BY m.place, m.id`,
  values: ({ id }) => [id],
  read: (row) => ({
    id: row.id as string,
    type: row.type as string,
    key: row.key as string | null,
    state: stateOf(row.state),
  }),
};

/** In the order in which they are named. */
const UNDONE = [STATE.running, STATE.scheduled, STATE.paused, STATE.dead, STATE.expired, STATE.cancelled];

const UNDONE_OF_BATCH = { batch: "$1::uuid", state: "wanted.state", after: `'${BEFORE_ALL_IDS}'::uuid` };

function someOf(schema: QuotedSchema, table: "task" | "history"): string {
  return `(
        SELECT undone.*, wanted.place FROM unnest(ARRAY[${UNDONE.join(", ")}]::smallint[]) WITH ORDINALITY AS wanted (state, place)
         CROSS JOIN LATERAL (
          SELECT t.id, t.type_id, t.key, t.state FROM ${schema}.${table} t
           WHERE ${membersInState("t", UNDONE_OF_BATCH)} LIMIT ${MAX_NAMED_LEFTOVERS}
        ) undone)`;
}
