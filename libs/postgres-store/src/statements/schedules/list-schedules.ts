import { SCHEDULES_LOOKED_AT, type StoredSchedule } from "@tickwheel/schedules";
import { readSchedule, scheduleFields } from "../../sql/schedule-rows.js";
import { readText } from "../../sql/task-rows.js";
import type { Statement } from "../../connection/session.js";

/** Which page, by name. */
export interface ListSchedules {
  namespace: string;
  limit: number;
  after: string | null;
  /** How their names begin; default: any. */
  namePrefix?: string;
}

/** A name of the page: a range of an index that ends with it, for names are ASCII, and DEL is behind all they hold. */
const isOfPage = (name: string, prefix: string): string =>
  `${name} > coalesce($3::text, '') AND ${name} >= ${prefix}::text AND ${name} < (${prefix}::text || chr(127))`;

/** A page of a namespace by name. Plan: a range of the index of names, in its order. */
export const listSchedules: Statement<ListSchedules, StoredSchedule> = {
  name: "list_schedules",
  sql: (schema) => `
    SELECT ${scheduleFields(schema)} FROM ${schema}.schedule s
     WHERE s.namespace = $1 AND s.deleted_at IS NULL AND ${isOfPage("s.name", "$4")}
     ORDER BY s.name LIMIT $2`,
  values: ({ namespace, limit, after, namePrefix = "" }) => [namespace, limit, after, namePrefix],
  read: (row) => readSchedule(row).schedule,
};

/**
 * A page of those of a type with one of these standings. Plan: a range of the index of standings for each of them, up
 * to a page of names; then the rows of one page by the index of names.
 */
export const listSchedulesOfType: Statement<
  ListSchedules & { type: string; standings: readonly string[] },
  StoredSchedule
> = {
  name: "list_schedules_of_type",
  sql: (schema) => `
    SELECT ${scheduleFields(schema)}
      FROM (
        SELECT r.name FROM unnest($5::text[]) AS g (standing) CROSS JOIN LATERAL (
          SELECT i.name FROM ${schema}.schedule i
           WHERE i.deleted_at IS NULL AND i.standing = g.standing AND ${isOfPage("i.name", "$6")}
             AND i.type_id = (SELECT y.id FROM ${schema}.type y WHERE y.namespace = $1 AND y.type = $4)
           ORDER BY i.name LIMIT $2
        ) r ORDER BY r.name LIMIT $2
      ) n JOIN ${schema}.schedule s ON s.namespace = $1 AND s.name = n.name AND s.deleted_at IS NULL
     ORDER BY s.name`,
  values: ({ namespace, limit, after, type, standings, namePrefix = "" }) => [
    namespace,
    limit,
    after,
    type,
    standings,
    namePrefix,
  ],
  read: (row) => readSchedule(row).schedule,
};

/**
 * A page of those that are out of force, with one of these standings. Plan: a range of the index of these for each
 * standing, up to a page of names; then the rows of one page by the index of names.
 */
export const listSchedulesOutOfForce: Statement<ListSchedules & { standings: readonly string[] }, StoredSchedule> = {
  name: "list_schedules_out_of_force",
  sql: (schema) => `
    SELECT ${scheduleFields(schema)}
      FROM (
        SELECT r.name FROM unnest($4::text[]) AS g (standing) CROSS JOIN LATERAL (
          SELECT i.name FROM ${schema}.schedule i
           WHERE i.deleted_at IS NULL AND i.standing <> 'IN_FORCE' AND i.namespace = $1 AND i.standing = g.standing
             AND ${isOfPage("i.name", "$5")}
           ORDER BY i.name LIMIT $2
        ) r ORDER BY r.name LIMIT $2
      ) n JOIN ${schema}.schedule s ON s.namespace = $1 AND s.name = n.name AND s.deleted_at IS NULL
     ORDER BY s.name`,
  values: ({ namespace, limit, after, standings, namePrefix = "" }) => [namespace, limit, after, standings, namePrefix],
  read: (row) => readSchedule(row).schedule,
};

/** One of the page; or, where the page is empty, none. */
export interface ListedInForce {
  schedule: StoredSchedule | null;
  /** Where the look ended before the page was full; null: the page is full, or there are no more. */
  endedAt: string | null;
}

/**
 * A page of those in force. Most schedules are; no index has them by name, for each planning would write it. Plan: a
 * range of the index of names, up to the page, and over {@link SCHEDULES_LOOKED_AT} rows at most.
 */
export const listSchedulesInForce: Statement<ListSchedules, ListedInForce> = {
  name: "list_schedules_in_force",
  sql: (schema) => {
    const behind = `FROM ${schema}.schedule i
           WHERE i.namespace = $1 AND i.deleted_at IS NULL AND ${isOfPage("i.name", "$4")}
           ORDER BY i.name`;
    return `
    WITH page AS MATERIALIZED (
      SELECT * FROM (SELECT i.* ${behind} LIMIT ${SCHEDULES_LOOKED_AT}) l
       WHERE l.standing = 'IN_FORCE' ORDER BY l.name LIMIT $2
    )
    SELECT ${scheduleFields(schema)}, e.name AS ended_at
      FROM (
        SELECT CASE WHEN (SELECT count(*) FROM page) < $2
                    THEN (SELECT i.name ${behind} OFFSET ${SCHEDULES_LOOKED_AT - 1} LIMIT 1) END AS name
      ) e LEFT JOIN page s ON true
     ORDER BY s.name`;
  },
  values: ({ namespace, limit, after, namePrefix = "" }) => [namespace, limit, after, namePrefix],
  read: (row) => ({ schedule: row.id === null ? null : readSchedule(row).schedule, endedAt: readText(row.ended_at) }),
};
