import {
  type EpochMs,
  MAX_COUNTED_OVERDUE,
  MAX_TYPES_OF_SECOND,
  MAX_WHEEL_TASKS,
  type SlotOwners,
  WHEEL_SECONDS,
  type WheelReading,
  type WheelShare,
} from "@tickwheel/core";
import { epochMs, now } from "../../sql/sql-fragments.js";
import type { RawRow, Statement } from "../../connection/session.js";
import { STATE } from "../../sql/state-codes.js";
import { readInstant } from "../../sql/task-rows.js";

/**
 * The scheduled tasks of the minute to come, counted by second, by type and by the node that owns their slot, and what
 * is overdue: one row. A task's slot is in its id, and each division is two bytes for each slot.
 *
 * Plan: for each type the entries of the due index that lie in this minute, index only; at most 500,000 of them. Not
 * for every second where there are many: the store keeps an answer that was dear.
 */
export const tasksByOwner: Statement<SlotOwners & { asOf: EpochMs | null }, WheelReading> = {
  name: "tasks_by_owner",
  sql: (schema) => `
    WITH clock AS MATERIALIZED (SELECT ${now("$1")} AS now),
    kinds AS MATERIALIZED (
      SELECT k.id, k.type, d.owners FROM ${schema}.type k
        LEFT JOIN unnest($2::integer[], $3::integer[]) AS o (type_id, place) ON o.type_id = k.id
        LEFT JOIN unnest($4::bytea[]) WITH ORDINALITY AS d (owners, place) ON d.place = o.place + 1
       WHERE k.dropped_at IS NULL
    ),
    seen AS MATERIALIZED (
      SELECT k.type, t.due_at, ${OWNER} AS owner,
             least(${WHEEL_SECONDS - 1}, floor((${epochMs("t.due_at")} - (SELECT ${epochMs("now")} FROM clock)) / 1000))::integer AS second
        FROM kinds k CROSS JOIN LATERAL (
          SELECT due_at, id FROM ${schema}.task
           WHERE state = ${STATE.scheduled} AND type_id = k.id AND due_at > (SELECT now FROM clock)
             AND due_at <= (SELECT now + ${WHEEL_SECONDS} * interval '1 second' FROM clock)
           LIMIT ${MAX_WHEEL_TASKS + 1}
        ) t LIMIT ${MAX_WHEEL_TASKS + 1}
    ),
    late AS MATERIALIZED (
      SELECT owner, count(*) AS count FROM (
        SELECT ${OWNER} AS owner FROM kinds k CROSS JOIN LATERAL (
          SELECT due_at, id FROM ${schema}.task
           WHERE state = ${STATE.scheduled} AND type_id = k.id AND due_at <= (SELECT now FROM clock)
           ORDER BY due_at LIMIT ${MAX_COUNTED_OVERDUE + 1}
        ) t LIMIT ${MAX_COUNTED_OVERDUE + 1}
      ) o GROUP BY owner
    ),
    kinds_of_second AS (SELECT second, type, count(*) AS due FROM seen GROUP BY second, type),
    tops AS (
      SELECT second, type, due FROM (
        SELECT *, row_number() OVER (PARTITION BY second ORDER BY due DESC, type) AS rank FROM kinds_of_second
      ) r WHERE rank <= ${MAX_TYPES_OF_SECOND}
    ),
    shares AS (SELECT owner, second, count(*) AS due, min(due_at) AS next FROM seen GROUP BY owner, second)
    SELECT ${epochMs("clock.now")} AS counted_at, (SELECT count(*) FROM seen)::float8 AS total,
           (SELECT json_agg(json_build_array(owner, second, due, ${epochMs("next")}))::text FROM shares) AS shares,
           (SELECT json_agg(json_build_array(second, type, due) ORDER BY second, due DESC, type)::text FROM tops) AS tops,
           (SELECT json_agg(json_build_array(owner, count))::text FROM late) AS late
      FROM clock`,
  values: ({ types, divisions, asOf }) => [
    asOf,
    types.map(({ typeId }) => typeId),
    types.map(({ division }) => division),
    divisions.map(ownerBytes),
  ],
  read: readingOf,
};

/** The slot is the 12 bits behind the version of a UUIDv7. */
const SLOT = "((get_byte(uuid_send(t.id), 6) & 15) * 256 + get_byte(uuid_send(t.id), 7))";
const OWNER = `CASE WHEN k.owners IS NULL THEN NULL
                  ELSE get_byte(k.owners, ${SLOT} * 2) * 256 + get_byte(k.owners, ${SLOT} * 2 + 1) END`;

/** Two bytes for each slot, the higher one first. */
function ownerBytes(owners: Uint16Array): Buffer {
  const bytes = Buffer.alloc(owners.length * 2);
  owners.forEach((owner, slot) => bytes.writeUInt16BE(owner, slot * 2));
  return bytes;
}

function readingOf(row: RawRow): WheelReading {
  const shares = new Map<number | null, WheelShare>();
  const shareOf = (owner: number | null): WheelShare => {
    const known = shares.get(owner) ?? { owner, dues: emptySeconds(), overdue: 0, nextDueAt: null };
    shares.set(owner, known);
    return known;
  };
  const seconds = emptySeconds().map(() => ({ due: 0, types: [] as { type: string; due: number }[] }));
  for (const [owner, second, due, next] of listOf<[number | null, number, number, number]>(row.shares)) {
    const share = shareOf(owner);
    share.dues[second] = due;
    share.nextDueAt = Math.min(share.nextDueAt ?? next, next);
    seconds[second]!.due += due;
  }
  for (const [second, type, due] of listOf<[number, string, number]>(row.tops))
    seconds[second]!.types.push({ type, due });
  for (const [owner, count] of listOf<[number | null, number]>(row.late)) shareOf(owner).overdue = count;
  return {
    countedAt: readInstant(row.counted_at),
    incomplete: Number(row.total) > MAX_WHEEL_TASKS,
    seconds,
    shares: [...shares.values()],
  };
}

function emptySeconds(): number[] {
  return Array.from({ length: WHEEL_SECONDS }, () => 0);
}

function listOf<Item>(json: unknown): Item[] {
  return JSON.parse((json as string | null) ?? "[]") as Item[];
}
