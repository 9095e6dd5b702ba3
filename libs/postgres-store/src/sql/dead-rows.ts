import { DEAD_HOURS, type DeadGroup, type DeadLetter, type DeadReason } from "@tickwheel/core";
import type { QuotedSchema, RawRow } from "../connection/session.js";
import { OTHERS } from "./dead-sql.js";
import { nodeLabels, wholeMs } from "./sql-fragments.js";
import { readInstant, readOptionalInstant } from "./task-rows.js";

const HOUR_MS = 3_600_000;

/** A dead task `t` and its node `n` as JSON, see {@link readDeadLetter}. */
const LETTER = `json_build_object('id', t.id, 'key', t.key, 'at', ${wholeMs("t.finished_at")}, 'error', t.last_error,
             'attempt', t.attempt, 'most', t.max_attempts, 'node', n.label)`;

/** A relation of dead tasks as JSON, `letter`, for the ids of `source`; those that are dead no more have none. */
export function deadLetters(schema: QuotedSchema, source: string): string {
  return `
      SELECT s.*, ${LETTER} AS letter FROM ${source} s
        CROSS JOIN LATERAL (SELECT * FROM ${schema}.task WHERE id = s.id AND (state + 0) = 3 OFFSET 0) t
        LEFT JOIN LATERAL (SELECT label FROM ${nodeLabels(schema)} l WHERE l.boot_id = t.owner LIMIT 1) n ON true`;
}

/** The columns of a group `g` with the name of its type. */
export const GROUP_FIELDS = `
  g.type_id, g.type, g.print::float8 AS print, g.count::float8 AS count, ${wholeMs("g.first_at")} AS first_at, ${wholeMs("g.last_at")} AS last_at,
  ${wholeMs("g.seen_at")} AS seen_at, g.reason, g.title, g.place`;

/** Deaths by hour of a group `g`, as JSON: `[[epoch milliseconds, deaths], …]`; null: none. */
export function hoursOf(schema: QuotedSchema, now: string): string {
  return `(SELECT json_agg(json_build_array(${wholeMs("h.at")}, h.deaths)) FROM ${schema}.dead_hour h
          WHERE h.type_id = g.type_id AND h.print = g.print AND h.at > ${now} - interval '${DEAD_HOURS} hours')`;
}

/** Reads a row with {@link GROUP_FIELDS}, `hours`, `now` and `letter`. */
export function readDeadGroup(row: RawRow): DeadGroup {
  const print = Number(row.print);
  return {
    type: row.type as string,
    print: print === OTHERS ? null : print,
    title: row.title as string,
    place: row.place as string,
    count: Number(row.count),
    firstAt: readInstant(row.first_at),
    lastAt: readInstant(row.last_at),
    seenAt: readOptionalInstant(row.seen_at),
    reason: row.reason as DeadReason,
    hours: hoursUntil(Number(row.now), row.hours as [number, number][] | null),
    sample: row.letter === null ? null : readDeadLetter(row.letter as LetterJson),
  };
}

function hoursUntil(now: number, told: readonly [at: number, deaths: number][] | null): number[] {
  const last = Math.floor(now / HOUR_MS);
  const hours = Array<number>(DEAD_HOURS).fill(0);
  for (const [at, deaths] of told ?? []) {
    const index = DEAD_HOURS - 1 - (last - Math.floor(at / HOUR_MS));
    if (index >= 0 && index < DEAD_HOURS) hours[index]! += deaths;
  }
  return hours;
}

export interface LetterJson {
  id: string;
  key: string | null;
  at: number;
  error: string | null;
  attempt: number;
  most: number;
  node: string | null;
}

export function readDeadLetter({ id, key, at, error, attempt, most, node }: LetterJson): DeadLetter {
  return { id, key, finishedAt: at, lastError: error, attempt, maxAttempts: most, node };
}
