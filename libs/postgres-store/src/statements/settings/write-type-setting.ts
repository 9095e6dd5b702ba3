import type { EpochMs, TypeId, TypeSettingValues } from "@tickwheel/core";
import { now } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

interface WriteTypeSetting {
  typeId: TypeId;
  values: TypeSettingValues;
  actor: string;
  asOf: EpochMs | null;
}

/** Writes all values of a type. The transaction holds the revision. */
export const writeTypeSetting: Statement<WriteTypeSetting, never> = {
  name: "write_type_setting",
  sql: (schema) => `
    INSERT INTO ${schema}.type_setting (type_id, concurrency, keep_succeeded_ms, keep_cancelled_ms, keep_dead_ms, changed_at, changed_by)
    SELECT $2::integer, $3::integer, $4::bigint, $5::bigint, $6::bigint, ${now("$1")}, $7
        ON CONFLICT (type_id)
        DO UPDATE SET concurrency = excluded.concurrency, keep_succeeded_ms = excluded.keep_succeeded_ms,
                      keep_cancelled_ms = excluded.keep_cancelled_ms, keep_dead_ms = excluded.keep_dead_ms,
                      changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
  values: ({ typeId, values, actor, asOf }) => [
    asOf,
    typeId,
    values.concurrency,
    values.keepSucceededMs,
    values.keepCancelledMs,
    values.keepDeadMs,
    actor,
  ],
  read: (row) => row as never,
};
