import type { Migration } from "./migration.js";

const COUNTERS = [
  `CREATE TABLE IF NOT EXISTS @tally (
     at timestamptz(3) NOT NULL,
     span_minutes smallint NOT NULL,
     type_id integer NOT NULL,
     created bigint NOT NULL DEFAULT 0,
     started bigint NOT NULL DEFAULT 0,
     failed bigint NOT NULL DEFAULT 0,
     dead bigint NOT NULL DEFAULT 0,
     succeeded bigint NOT NULL DEFAULT 0,
     cancelled bigint NOT NULL DEFAULT 0,
     expired bigint NOT NULL DEFAULT 0,
     latest_ms bigint,
     lateness_ms integer[],
     lateness_count bigint[]
   )`,
  "CREATE INDEX IF NOT EXISTS tally_at ON @tally (at)",
  `CREATE TABLE IF NOT EXISTS @tally_writer (
     id bigint PRIMARY KEY,
     label text NOT NULL,
     wrote_at timestamptz(3) NOT NULL
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE IF NOT EXISTS @recount (
     at timestamptz(3) NOT NULL,
     span_minutes smallint NOT NULL,
     closed_at timestamptz(3),
     counted_at timestamptz(3),
     CONSTRAINT recount_pkey PRIMARY KEY (at, span_minutes)
   )`,
];

/** Hours of the days that have a partition, as far as they have begun. */
const HOURS_BEFORE = `
  INSERT INTO @recount (at, span_minutes)
  SELECT hour, 60
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
   CROSS JOIN LATERAL (SELECT substring(c.relname FROM '^history_(\\d{8})$')::date::timestamp AT TIME ZONE 'UTC' AS day) d
   CROSS JOIN LATERAL generate_series(d.day, least(d.day + interval '23 hours', now()), interval '1 hour') AS hour
   WHERE i.inhparent = '@history'::regclass AND d.day IS NOT NULL
      ON CONFLICT DO NOTHING`;

/**
 * What reads need so that none of them scans history: a task's key as an index, and what happened as counters.
 *
 * The key's index is a hash of keyed rows alone: 60 bytes for each finished keyed task where a B-tree takes 93, and nothing for the others.
 * In the live table it holds what does not hold its key: ended tasks, and cycles that a newer one has overtaken.
 *
 * What finished before has no counters: its hours are to be counted from the rows, which upkeep does one by one.
 */
export const reads: Migration = {
  name: "Reads1763800000000",
  steps: [
    ...COUNTERS.map((sql) => ({ sql })),
    { sql: HOURS_BEFORE },
    { index: "task_former_key", on: "task", as: "USING hash (key) WHERE key IS NOT NULL AND NOT key_live" },
    { index: "history_key", on: "history", as: "USING hash (key) WHERE key IS NOT NULL" },
  ],
};
