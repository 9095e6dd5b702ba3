import type { Servers } from "../servers.js";
import { payloadOf } from "../contestants/contestant.js";

const DAY_MS = 86_400_000;
const DAYS = 8;
const TYPES = 100;
/** The name of the type of which only {@link RARE_TASKS} tasks have finished. */
export const RARE_TYPE = "bench.rare";
const RARE_TASKS = 300;
/** One in this many is dead, and stays in the live table. */
const FINISHED_PER_DEAD = 500;
/** One in this many has a key. */
const KEYED = 4;
/** One in this many has {@link HOT}: 1,000,000 of 50,000,000. */
const TASKS_PER_HOT = 50;
/** A key that is used again and again, and its type. */
export const HOT = { type: "bench.t0", key: "hot" } as const;

const COLUMNS = `id, scheduled_at, due_at, created_at, claimed_at, started_at, finished_at, owner, timeout_ms, type_id, fence, attempt,
  max_attempts, slot, state, priority, key_live, key, created_by, payload`;

/** Notes how the indexes of history are made, and drops them; makes them again. */
const DROP_INDEXES = `DO $$ DECLARE i record; BEGIN
  CREATE TABLE tickwheel.dropped_index AS
    SELECT indexname, replace(indexdef, ' ON ONLY ', ' ON ') AS made_by FROM pg_indexes
     WHERE schemaname = 'tickwheel' AND tablename = 'history';
  FOR i IN SELECT * FROM tickwheel.dropped_index LOOP EXECUTE format('DROP INDEX tickwheel.%I', i.indexname); END LOOP;
END $$`;
const MAKE_INDEXES = `DO $$ DECLARE i record; BEGIN
  FOR i IN SELECT * FROM tickwheel.dropped_index LOOP EXECUTE i.made_by; END LOOP;
  DROP TABLE tickwheel.dropped_index;
END $$`;

/** Counters are folded to longer spans, the older they are: as `fold_tallies` does. Minutes, and hours. */
const FOLDED = [
  { span: 60, fromHours: 8 * 24, toHours: 26 },
  { span: 10, fromHours: 26, toHours: 3 },
  { span: 1, fromHours: 3, toHours: 0 },
] as const;

/** The counters that nodes would have told, with a lateness in eight of its buckets. */
function tallySql({ span, fromHours, toHours }: (typeof FOLDED)[number]): string {
  const bin = `date_bin('${span} minutes', finished_at, 'epoch')`;
  return `
    INSERT INTO tickwheel.tally (at, span_minutes, type_id, created, started, succeeded, place_ms, latest_ms, lateness_ms, lateness_count)
    SELECT ${bin}, ${span}, type_id, count(*), count(*), count(*), count(*) * 20, 9, '{1,2,3,4,5,6,7,9}', array_fill(count(*) / 8, ARRAY[8])
      FROM tickwheel.history
     WHERE finished_at >= now() - interval '${fromHours} hours' AND finished_at < now() - interval '${toHours} hours' GROUP BY 1, 3
        ON CONFLICT DO NOTHING`;
}

/**
 * Writes so many finished tasks of a hundred types into daily partitions, the last of them an hour ago, and a five
 * hundredth as many dead ones: by the server itself, without indexes, which are made after; and the counters that nodes
 * would have told.
 */
export async function fillFinished(servers: Servers, count: number): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS);
  const firstMs = (today - DAYS + 1) * DAY_MS;
  const spanMs = Date.now() - DAY_MS / 24 - firstMs;
  const dead = Math.ceil(count / FINISHED_PER_DEAD);
  await servers.run([
    ...typesSql(),
    ...Array.from({ length: DAYS - 1 }, (_, back) => partitionSql(today - back - 1)),
    DROP_INDEXES,
    `INSERT INTO tickwheel.history (${COLUMNS}) ${rowsSql({ count, firstMs, spacingMs: spanMs / count, state: 2 })}`,
    MAKE_INDEXES,
    `INSERT INTO tickwheel.task (${COLUMNS}) ${rowsSql({ count: dead, firstMs, spacingMs: spanMs / dead, state: 3 })}`,
    ...FOLDED.map(tallySql),
  ]);
}

/** The key of a finished task. */
export function finishedKey(count: number): string {
  return `k${Math.floor(count / 2 / KEYED) * KEYED}`;
}

function typesSql(): string[] {
  const names = Array.from({ length: TYPES - 1 }, (_, type) => `('default', 'bench.t${type}', 'handler')`);
  return [
    `INSERT INTO tickwheel.type (namespace, type, delivery) VALUES ${names.join(", ")}, ('default', '${RARE_TYPE}', 'handler')`,
  ];
}

function partitionSql(day: number): string {
  const [from, to] = [day, day + 1].map((each) => new Date(each * DAY_MS).toISOString());
  const name = `history_${from!.slice(0, 10).replaceAll("-", "")}`;
  return `CREATE TABLE IF NOT EXISTS tickwheel.${name} PARTITION OF tickwheel.history FOR VALUES FROM ('${from}') TO ('${to}')`;
}

/** Ended tasks, oldest first; each has its instant in its id, as ours have. */
function rowsSql({ count, firstMs, spacingMs, state }: Record<string, number>): string {
  const rareEach = Math.max(1, Math.floor(count! / RARE_TASKS));
  const isHot = `n % ${TASKS_PER_HOT} = 1`;
  return `
    SELECT (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid,
           at, at, at, at, at, at, 1, 60000,
           CASE WHEN n % ${rareEach} = 0 THEN kinds.rare WHEN ${isHot} THEN kinds.hot ELSE kinds.first + n % ${TYPES - 1} END,
           1, 1, 3, n % 4096, ${state}, 5, false, CASE WHEN ${isHot} THEN '${HOT.key}' WHEN n % ${KEYED} = 0 THEN 'k' || n END, 'filler', '${JSON.stringify(payloadOf(0))}'
      FROM generate_series(1, ${count}) AS n
     CROSS JOIN LATERAL (SELECT (${firstMs} + n * ${spacingMs})::bigint AS ms) m
     CROSS JOIN LATERAL (SELECT to_timestamp(ms / 1000.0) AS at) a
     CROSS JOIN (SELECT min(id) FILTER (WHERE type = 'bench.t0') AS first, min(id) FILTER (WHERE type = '${RARE_TYPE}') AS rare,
                        min(id) FILTER (WHERE type = '${HOT.type}') AS hot FROM tickwheel.type) kinds`;
}
