import type { EpochMs, Retention } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/**
 * Drops types that were not in use for longer than their own retention and that of tasks, so history has no task of
 * them either; nor are there dead letters, and what is left of their groups goes. Runs after `keepTypes`. The rows
 * stay, as the names of their numbers: a node that still knows the type may make a task of it. Such a task is found,
 * and its type is taken up again.
 */
export const dropTypes: Statement<Retention & { asOf: EpochMs | null }, string> = {
  name: "drop_types",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    dropped AS (
      UPDATE ${schema}.type y SET dropped_at = clock.now FROM clock
       WHERE y.dropped_at IS NULL AND y.used_at < clock.now - greatest($2::float8, $3::float8, $4::float8) * interval '1 day'
      RETURNING y.id, y.type
    ),
    groups AS (DELETE FROM ${schema}.dead_group g USING dropped y WHERE g.type_id = y.id),
    hours AS (DELETE FROM ${schema}.dead_hour h USING dropped y WHERE h.type_id = y.id),
    tallies AS (DELETE FROM ${schema}.dead_tally t USING dropped y WHERE t.type_id = y.id)
    SELECT type FROM dropped`,
  values: ({ typeRetentionDays, historyRetentionDays, deadRetentionDays, asOf }) => [
    asOf,
    typeRetentionDays,
    historyRetentionDays,
    deadRetentionDays,
  ],
  read: (row) => row.type as string,
};
