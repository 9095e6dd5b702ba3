import type { Task } from "@tickwheel/core";
import { TASK_FIELDS, taskBytes, taskFrom } from "./sql-fragments.js";
import type { QuotedSchema, RawRow } from "../connection/session.js";
import { readTask } from "./task-rows.js";

/**
 * The common table expressions that make a page of whole tasks; the WITH must be RECURSIVE. `placed` has the rows of
 * `rows` in the order of the list, `shown` adds up the bytes of the first ones, `page` has these as `TASK_FIELDS` with
 * their `place`.
 *
 * Payloads and results are unpacked one by one, up to the one that reaches `maxBytes`: measuring all first would unpack
 * tasks that are not shown.
 */
export function pageSql(schema: QuotedSchema, { rows, order, maxBytes }: PageSql): string {
  return `
    placed AS MATERIALIZED (SELECT p.*, row_number() OVER (ORDER BY ${order}) AS place FROM ${rows} p),
    shown AS (
      SELECT 0::bigint AS place, 0::bigint AS bytes
       UNION ALL
      SELECT p.place, s.bytes + ${taskBytes("p")} FROM shown s JOIN placed p ON p.place = s.place + 1 WHERE s.bytes < ${maxBytes}
    ),
    page AS (SELECT ${TASK_FIELDS}, t.place FROM ${taskFrom(schema, "(SELECT * FROM placed WHERE place <= (SELECT max(place) FROM shown))")})`;
}

export interface PageSql {
  /** A relation with all columns of a task: what fits, at most one more than the page holds. */
  rows: string;
  /** Over these columns. */
  order: string;
  /** The parameter with the bytes after which the page ends. */
  maxBytes: string;
}

/** What a look tells besides its page, of `placed` and `shown` above and of `looked`: the rows that it looked at. */
export const EXTENT_FIELDS = `
  (SELECT count(*) FROM placed)::float8 AS fitting, (SELECT max(bytes) FROM shown)::float8 AS bytes,
  (SELECT count(*) FROM looked)::float8 AS looked_at`;

/** A task that fits, or null, and how far the look came. Every row of a look says the same of the look. */
export interface LookRow<Place> {
  task: Task | null;
  /** Tasks that fit, shown or not: at most one more than the page holds. */
  fitting: number;
  /** Bytes of the tasks that are shown. */
  bytes: number;
  /** Rows that were looked at. If it equals the rows that were allowed, there may be more. */
  lookedAt: number;
  /** Where the last of these stands in the order of the list. */
  last: Place | null;
}

/** Reads `page` beside `EXTENT_FIELDS`. */
export function readExtent(row: RawRow): Omit<LookRow<never>, "last"> {
  return {
    task: row.id === null ? null : readTask(row),
    fitting: Number(row.fitting),
    bytes: Number(row.bytes),
    lookedAt: Number(row.looked_at),
  };
}
