import { DEAD_HOUR_DAYS, type EpochMs, type Retention } from "@tickwheel/core";
import { tallyRisen } from "../../sql/dead-sql.js";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";

export interface ForgetOldRows extends Retention {
  /** At most this many rows of each table. */
  limit: number;
  asOf: EpochMs | null;
}

/** At most so many schedules at a time: each may have a hundred runs and more. */
const SCHEDULES = 100;

/**
 * Deletes old rows that are not in a partition which is dropped: dead tasks, idempotency keys, counters, hours of dead
 * letters, labels of nodes, sessions that are over, deleted schedules with their runs, rows that fell into a default
 * partition. Answers how many.
 *
 * The counters of finished tasks are cleared for days whose partition is past its retention. The other counters stay as
 * long as the longest retention.
 *
 * Plan: dead tasks by the index of ended tasks, sessions by the index of their ends, schedules
 * by the index of deleted ones. Other tables are read from their
 * beginning, where the oldest rows are, until there are enough.
 */
export const forgetOldRows: Statement<ForgetOldRows, number> = {
  name: "forget_old_rows",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    old_dead AS MATERIALIZED (
      SELECT id FROM ${schema}.task
       WHERE state = ${STATE.dead} AND finished_at < (SELECT now - $3::float8 * interval '1 day' FROM clock)
       LIMIT $4 FOR UPDATE SKIP LOCKED
    ),
    dead AS (DELETE FROM ${schema}.task t USING old_dead o WHERE t.id = o.id RETURNING t.type_id, t.state, t.error_print),
    risen AS (${tallyRisen(schema, "dead")}),
    old_keys AS MATERIALIZED (
      SELECT slot, namespace, key FROM ${schema}.idempotency
       WHERE created_at <= (SELECT now - interval '24 hours' FROM clock) AND outcomes IS NOT NULL
       LIMIT $4 FOR UPDATE SKIP LOCKED
    ),
    keys AS (
      DELETE FROM ${schema}.idempotency i USING old_keys o
       WHERE i.slot = o.slot AND i.namespace = o.namespace AND i.key = o.key RETURNING 1
    ),
    history AS (${deleteBefore(`${schema}.history_default`, { column: "finished_at", days: "$2::float8" })}),
    journal AS (
      ${deleteBefore(`${schema}.journal_default`, { column: "recorded_at", days: "greatest($2::float8, $3::float8)" })}
    ),
    cleared AS (
      UPDATE ${schema}.tally SET succeeded = 0, skipped = 0, cancelled = 0, expired = 0
       WHERE at < (SELECT date_trunc('day', now - $2::float8 * interval '1 day', 'UTC') FROM clock)
         AND (succeeded <> 0 OR cancelled <> 0 OR expired <> 0)
    ),
    tallies AS (${deleteBefore(`${schema}.tally`, { column: "at", days: "greatest($2::float8, $3::float8) + 1" })}),
    hours AS (${deleteBefore(`${schema}.dead_hour`, { column: "at", days: `${DEAD_HOUR_DAYS}` })}),
    recounts AS (${deleteBefore(`${schema}.recount`, { column: "counted_at", days: "1" })}),
    nodes AS (
      ${deleteBefore(`${schema}.former_node`, { column: "forgotten_at", days: "greatest($2::float8, $3::float8) + 1" })}
    ),
    suspects AS (${deleteBefore(`${schema}.suspect`, { column: "killed_at", days: "greatest($2::float8, $3::float8)" })}),
    old_schedules AS MATERIALIZED (
      SELECT id FROM ${schema}.schedule
       WHERE deleted_at < (SELECT now - greatest($2::float8, $3::float8) * interval '1 day' FROM clock)
       LIMIT ${SCHEDULES} FOR UPDATE SKIP LOCKED
    ),
    runs AS (DELETE FROM ${schema}.schedule_run r USING old_schedules o WHERE r.schedule_id = o.id RETURNING 1),
    schedules AS (DELETE FROM ${schema}.schedule s USING old_schedules o WHERE s.id = o.id RETURNING 1),
    sessions AS (
      DELETE FROM ${schema}.session WHERE id = ANY (ARRAY (
        SELECT id FROM ${schema}.session WHERE over_at <= (SELECT now FROM clock) LIMIT $4 FOR UPDATE SKIP LOCKED
      )) RETURNING 1
    )
    SELECT ((SELECT count(*) FROM dead) + (SELECT count(*) FROM keys) + (SELECT count(*) FROM history)
            + (SELECT count(*) FROM journal) + (SELECT count(*) FROM suspects) + (SELECT count(*) FROM nodes) + (SELECT count(*) FROM tallies) + (SELECT count(*) FROM recounts) + (SELECT count(*) FROM hours)
            + (SELECT count(*) FROM sessions) + (SELECT count(*) FROM schedules) + (SELECT count(*) FROM runs))::float8 AS count`,
  values: ({ historyRetentionDays, deadRetentionDays, limit, asOf }) => [
    asOf,
    historyRetentionDays,
    deadRetentionDays,
    limit,
  ],
  read: (row) => Number(row.count),
};

/**
 * Deletes from a table that has no index on `column` and whose old rows change no more. It first reads the places
 * (ctid) of at most `$4` rows.
 */
function deleteBefore(table: string, { column, days }: { column: string; days: string }): string {
  return `DELETE FROM ${table} WHERE ctid = ANY (ARRAY (
        SELECT ctid FROM ${table} WHERE ${column} < (SELECT now - (${days}) * interval '1 day' FROM clock) LIMIT $4
      )) RETURNING 1`;
}
