import type { EpochMs } from "@tickwheel/core";
import { epochMs, instant, now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";

/**
 * The beginnings of the days (UTC) in which a task may have finished, newest first, up to the day of `until`, or to
 * the present one.
 *
 * Cost: the catalogue of partitions, and all rows of the default partition and of those that are about to be moved to
 * history. Both are few: the default partition has rows only where no partition could be made in time.
 */
export const finishedDays: Statement<{ until: EpochMs | null; asOf: EpochMs | null }, EpochMs> = {
  name: "finished_days",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT coalesce(${instant("$2")}, ${now("$1")}) AS until),
    days AS (
      SELECT to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp AS day
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = '${schema}.history'::regclass AND c.relname ~ '^history_[0-9]{8}$'
       UNION
      SELECT date_trunc('day', finished_at AT TIME ZONE 'UTC') FROM ${schema}.history_default
       UNION
      SELECT date_trunc('day', finished_at AT TIME ZONE 'UTC') FROM ${schema}.task
       WHERE state >= ${STATE.succeeded} AND state IN (${STATE.succeeded}, ${STATE.cancelled}, ${STATE.expired})
    )
    SELECT ${epochMs("day AT TIME ZONE 'UTC'")} AS day FROM days
     WHERE day AT TIME ZONE 'UTC' <= (SELECT until FROM clock) ORDER BY day DESC`,
  values: ({ until, asOf }) => [asOf, until],
  read: (row) => readInstant(row.day),
};
