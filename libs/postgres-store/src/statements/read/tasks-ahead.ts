import {
  type AheadBucket,
  type AheadReading,
  type AheadRequest,
  type EpochMs,
  MAX_COUNTED_AHEAD,
  MAX_COUNTED_OVERDUE,
  MAX_TYPES_AHEAD,
} from "@tickwheel/core";
import type { MadeAhead } from "@tickwheel/schedules";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { RawRow, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";

/** Without what schedules will make. */
export type TasksAhead = Omit<AheadReading, "buckets" | "schedulesCut"> & {
  buckets: Omit<AheadBucket, "fromSchedules">[];
};

/**
 * The scheduled tasks to come, counted by bucket and by type, and what is overdue: one row.
 *
 * Plan: for each type the entries of the due index that lie in this time, index only: 150 to 250 ms for each 1,000,000;
 * at most 2,000,000 of them. The bound on each type keeps the planner from reading the index once for each type without
 * its type. Not for every second where there are many: the store keeps an answer that was dear.
 */
export const tasksAhead: Statement<AheadRequest & { asOf: EpochMs | null }, TasksAhead> = {
  name: "tasks_ahead",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    kinds AS MATERIALIZED (
      SELECT id, type FROM ${schema}.type
       WHERE dropped_at IS NULL AND ($2::text IS NULL OR namespace = $2) AND ($3::text IS NULL OR type = $3)
    ),
    seen AS (
      SELECT least($5::integer - 1, floor((${epochMs("t.due_at")} - (SELECT ${epochMs("now")} FROM clock)) / $4::float8))::integer AS bucket, k.id AS type_id, t.due_at
        FROM kinds k CROSS JOIN LATERAL (
          SELECT due_at FROM ${schema}.task
           WHERE state = ${STATE.scheduled} AND type_id = k.id AND due_at > (SELECT now FROM clock)
             AND due_at <= (SELECT now + $5::integer * $4::float8 * interval '1 millisecond' FROM clock)
           LIMIT ${MAX_COUNTED_AHEAD + 1}
        ) t LIMIT ${MAX_COUNTED_AHEAD + 1}
    ),
    counted AS MATERIALIZED (SELECT bucket, type_id, count(*) AS due, min(due_at) AS next FROM seen GROUP BY bucket, type_id),
    tops AS (
      SELECT DISTINCT ON (c.bucket) c.bucket, k.type, c.due FROM counted c JOIN kinds k ON k.id = c.type_id ORDER BY c.bucket, c.due DESC, k.type
    ),
    buckets AS (SELECT bucket, sum(due) AS due FROM counted GROUP BY bucket),
    types AS MATERIALIZED (SELECT k.type, sum(c.due) AS due FROM counted c JOIN kinds k ON k.id = c.type_id GROUP BY k.type),
    overdue AS (
      SELECT count(*) AS count, min(due_at) AS oldest FROM (
        SELECT t.due_at FROM kinds k CROSS JOIN LATERAL (
          SELECT due_at FROM ${schema}.task WHERE state = ${STATE.scheduled} AND type_id = k.id AND due_at <= (SELECT now FROM clock)
           ORDER BY due_at LIMIT ${MAX_COUNTED_OVERDUE + 1}
        ) t LIMIT ${MAX_COUNTED_OVERDUE + 1}
      ) o
    )
    SELECT ${epochMs("clock.now")} AS counted_at, overdue.count::float8 AS overdue, ${epochMs("overdue.oldest")} AS oldest_due_at,
           (SELECT ${epochMs("min(next)")} FROM counted) AS next_due_at,
           (SELECT coalesce(sum(due), 0) FROM buckets)::float8 AS total,
           (SELECT json_agg(json_build_array(b.bucket, b.due, t.type, t.due))::text FROM buckets b JOIN tops t ON t.bucket = b.bucket) AS buckets,
           (SELECT json_agg(json_build_array(type, due) ORDER BY due DESC, type)::text
              FROM (SELECT * FROM types ORDER BY due DESC, type LIMIT ${MAX_TYPES_AHEAD}) most) AS types,
           (SELECT count(*) FROM types)::float8 AS type_count
      FROM clock, overdue`,
  values: ({ namespace, type = null, bucketMs, buckets, asOf }) => [asOf, namespace, type, bucketMs, buckets],
  read: readingOf,
};

/** Buckets that are empty are missing: who knows how many there are adds them. */
function readingOf(row: RawRow): TasksAhead {
  const countedAt = readInstant(row.counted_at);
  const types = listOf<[type: string, due: number]>(row.types);
  const filled = listOf<[bucket: number, due: number, topType: string, topDue: number]>(row.buckets);
  return {
    countedAt,
    incomplete: Number(row.total) > MAX_COUNTED_AHEAD,
    overdue: Number(row.overdue),
    oldestDueAt: row.oldest_due_at === null ? null : readInstant(row.oldest_due_at),
    nextDueAt: row.next_due_at === null ? null : readInstant(row.next_due_at),
    buckets: filled.map(([at, due, topType, topDue]) => ({ at, due, topType, topDue })),
    types: types.map(([type, due]) => ({ type, due })),
    otherTypes: Number(row.type_count) - types.length,
  };
}

/** The buckets of a reading, each with its beginning, empty ones too. Its own count them from 0. */
export function allBuckets(
  { countedAt, buckets: filled }: TasksAhead,
  { counts }: Pick<MadeAhead, "counts">,
  bucketMs: number,
): AheadBucket[] {
  const known = new Map(filled.map((bucket) => [bucket.at, bucket]));
  return counts.map((fromSchedules, place) => ({
    due: 0,
    topType: null,
    topDue: 0,
    fromSchedules,
    ...known.get(place),
    at: countedAt + place * bucketMs,
  }));
}

function listOf<Item>(json: unknown): Item[] {
  return JSON.parse((json as string | null) ?? "[]") as Item[];
}
