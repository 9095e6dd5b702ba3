import type { EpochMs, KnownSubject, LimitValues, TypeId } from "@tickwheel/core";
import { now, wholeMs } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";
import { limitMembers, untilMs } from "./setting-sql.js";

interface Subject {
  /** Null: whatever the type's is. */
  namespace: string | null;
  typeId: TypeId | null;
  key: string | null;
  asOf: EpochMs | null;
}

/** What there is of a change's subject, read after the revision was locked. A dropped type is none. */
export const knownSubject: Statement<Subject, KnownSubject> = {
  name: "known_subject",
  sql: (schema) => `
    SELECT ${wholeMs("clock.now")}::float8 AS now, y.namespace, y.type, s.concurrency, s.keep_succeeded_ms::float8 AS keep_succeeded_ms,
           s.keep_cancelled_ms::float8 AS keep_cancelled_ms, s.keep_dead_ms::float8 AS keep_dead_ms, json_build_object(${limitMembers("l")})::text AS limit_values,
           p.id IS NOT NULL AS is_paused, ${untilMs("p")}::float8 AS until, p.reason,
           (SELECT count(*) FROM ${schema}.pause k WHERE k.key IS NOT NULL AND k.until_at > clock.now)::float8 AS paused_keys,
           (SELECT count(*) FROM ${schema}.flow_limit f
             WHERE f.namespace = coalesce($1, y.namespace)
               AND NOT EXISTS (SELECT FROM ${schema}.type d WHERE d.id = f.type_id AND d.dropped_at IS NOT NULL))::float8 AS limits
      FROM (SELECT ${now("$4")} AS now) clock
      LEFT JOIN ${schema}.type y ON y.id = $2::integer AND y.namespace = coalesce($1, y.namespace) AND y.dropped_at IS NULL
      LEFT JOIN ${schema}.type_setting s ON s.type_id = y.id
      LEFT JOIN ${schema}.flow_limit l ON l.namespace = coalesce($1, y.namespace) AND l.type_id IS NOT DISTINCT FROM $2::integer
      LEFT JOIN ${schema}.pause p ON p.namespace = $1 AND p.type_id IS NOT DISTINCT FROM $2::integer AND p.key IS NOT DISTINCT FROM $3
       AND p.until_at > clock.now`,
  values: ({ namespace, typeId, key, asOf }) => [namespace, typeId, key, asOf],
  read: (row) => ({
    now: Number(row.now),
    type: row.type === null ? null : { namespace: row.namespace as string, type: row.type as string },
    values: {
      concurrency: numberOf(row.concurrency),
      keepSucceededMs: numberOf(row.keep_succeeded_ms),
      keepCancelledMs: numberOf(row.keep_cancelled_ms),
      keepDeadMs: numberOf(row.keep_dead_ms),
      ...(JSON.parse(row.limit_values as string) as LimitValues),
    },
    pause: row.is_paused === true ? { until: numberOf(row.until), reason: row.reason as string | null } : null,
    pausedKeys: Number(row.paused_keys),
    limits: Number(row.limits),
  }),
};

function numberOf(value: unknown): number | null {
  return value === null ? null : Number(value);
}
