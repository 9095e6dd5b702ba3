import type { EpochMs, Retention } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/**
 * Drops types that were not in use for their retention, and for that of tasks, so that history has none either. Runs
 * after `keepTypes`. The rows stay, as the names of their numbers: nodes that know them still may make a task, and such
 * a task is found and its type kept.
 */
export const dropTypes: Statement<Retention & { asOf: EpochMs | null }, string> = {
  name: "drop_types",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now)
    UPDATE ${schema}.type y SET dropped_at = clock.now FROM clock
     WHERE y.dropped_at IS NULL AND y.used_at < clock.now - greatest($2::float8, $3::float8, $4::float8) * interval '1 day'
    RETURNING y.type`,
  values: ({ typeRetentionDays, historyRetentionDays, deadRetentionDays, asOf }) => [
    asOf,
    typeRetentionDays,
    historyRetentionDays,
    deadRetentionDays,
  ],
  read: (row) => row.type as string,
};
