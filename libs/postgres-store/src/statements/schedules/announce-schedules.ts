import type { BootId, EpochMs } from "@tickwheel/core";
import type { AnnouncedSchedule } from "@tickwheel/schedules";
import { writeContent } from "../../sql/schedule-rows.js";
import { asOf, listed, parameters, rows, typed } from "../../sql/parameters.js";
import { now, unnested } from "../../sql/sql-fragments.js";
import type { Statement } from "../../connection/session.js";

/** Waits until this transaction is the only one that changes announcements; the lock goes with it. */
export const lockAnnouncements: Statement<null, true> = {
  name: "lock_announcements",
  sql: (schema) => `SELECT pg_advisory_xact_lock(hashtextextended('announcements ${schema}', 0))`,
  values: () => [],
  read: () => true,
};

/** Takes a node from all announcements. Plan: all of them, a row for each definition in an application's code. */
export const withdrawAnnouncements: Statement<{ bootId: BootId; asOf: EpochMs | null }, never> = {
  name: "withdraw_announcements",
  sql: (schema) => `
    UPDATE ${schema}.schedule_announcement
       SET boot_ids = array_remove(boot_ids, $1::bigint), left_at = (SELECT ${now("$2")})
     WHERE $1::bigint = ANY (boot_ids)`,
  values: ({ bootId, asOf }) => [bootId, asOf],
  read: (row) => row as never,
};

interface AnnounceSchedules {
  bootId: BootId;
  schedules: readonly AnnouncedSchedule[];
  asOf: EpochMs | null;
}

const [p, values] = parameters<AnnounceSchedules>()({
  bootId: typed("bigint", ({ bootId }) => bootId),
  schedules: rows(({ schedules }: AnnounceSchedules) => schedules, {
    namespace: listed("text", ({ namespace }) => namespace),
    name: listed("text", ({ name }) => name),
    application: listed("text", ({ application }) => application),
    hash: listed("text", ({ hash }) => hash),
    content: listed("text", ({ content }) => writeContent(content)),
  }),
  asOf,
});

/** Notes what a node announces. A hash that is known for a name keeps the time when it was first seen. */
export const announceSchedules: Statement<AnnounceSchedules, never> = {
  name: "announce_schedules",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now(p.asOf)} AS now)
    INSERT INTO ${schema}.schedule_announcement AS a (namespace, name, application, hash, content, boot_ids, first_seen_at, left_at)
    SELECT u.namespace, u.name, u.application, u.hash, u.content::json, ARRAY[${p.bootId}], clock.now, clock.now
      FROM clock CROSS JOIN ${unnested(p.schedules, "u")}
        ON CONFLICT (namespace, name, application, hash) DO UPDATE SET boot_ids = a.boot_ids || ${p.bootId}, content = excluded.content`,
  values,
  read: (row) => row as never,
};
