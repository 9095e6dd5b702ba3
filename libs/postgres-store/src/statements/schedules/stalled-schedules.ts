import {
  MAX_COUNTED_STALLED,
  MAX_STALLED_KINDS,
  MAX_STALLED_NAMES,
  type StalledSchedules,
  type StallReason,
  type TypeId,
} from "@tickwheel/core";
import { wholeMs } from "../../sql/sql-fragments.js";
import { readInstant } from "../../sql/task-rows.js";
import type { Statement } from "../../connection/session.js";

/**
 * Schedules that do not run although nobody asked for that, by reason and type. A reason is a standing; schedules in
 * force are meant where no node runs their type.
 *
 * Plan: the index of standings is walked from one pair of standing and type to the next, by a probe each. Only of the
 * pairs that are told, rows are read: up to the count of each.
 */
export const stalledSchedules: Statement<{ servedTypeIds: readonly TypeId[] }, StalledSchedules> = {
  name: "stalled_schedules",
  sql: (schema) => `
    WITH RECURSIVE kind AS (
      (SELECT s.standing, s.type_id FROM ${schema}.schedule s WHERE s.deleted_at IS NULL ORDER BY s.standing, s.type_id LIMIT 1)
      UNION ALL
      SELECT n.standing, n.type_id FROM kind k CROSS JOIN LATERAL (
        SELECT s.standing, s.type_id FROM ${schema}.schedule s
         WHERE s.deleted_at IS NULL AND (s.standing, s.type_id) > (k.standing, k.type_id)
         ORDER BY s.standing, s.type_id LIMIT 1
      ) n
    ),
    told AS (
      SELECT standing, type_id FROM kind
       WHERE standing IN ('FAILURES', 'UNANNOUNCED') OR (standing = 'IN_FORCE' AND type_id <> ALL ($1::integer[]))
       ORDER BY standing, type_id LIMIT ${MAX_STALLED_KINDS}
    )
    SELECT k.standing, k.type_id, y.namespace, y.type, c.*
      FROM told k JOIN ${schema}.type y ON y.id = k.type_id
     CROSS JOIN LATERAL (
       SELECT count(*)::integer AS count, (array_agg(r.name ORDER BY r.name))[1:${MAX_STALLED_NAMES}] AS names,
              max((r.planning ->> 'failures')::integer) AS failures,
              min(coalesce((r.planning -> 'pause' ->> 'since')::float8, ${wholeMs("r.changed_at")})) AS since
         FROM (SELECT s.name, s.planning, s.changed_at FROM ${schema}.schedule s
                WHERE s.standing = k.standing AND s.type_id = k.type_id AND s.deleted_at IS NULL
                ORDER BY s.name LIMIT ${MAX_COUNTED_STALLED + 1}) r
     ) c
     WHERE c.count > 0
     ORDER BY k.standing, k.type_id`,
  values: ({ servedTypeIds }) => [servedTypeIds],
  read: (row) => ({
    typeId: row.type_id as TypeId,
    namespace: row.namespace as string,
    type: row.type as string,
    reason: row.standing === "IN_FORCE" ? "NO_NODE" : (row.standing as StallReason),
    count: Number(row.count),
    names: row.names as string[],
    failures: Number(row.failures),
    since: readInstant(row.since),
  }),
};
