import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";

/** The blocks of 8 kB that statements have read from the tables and indexes of a schema, cached or not. */
export interface Cost {
  task: number;
  /** By partition; only the partitions that were read. */
  history: Record<string, number>;
  /** The cost of operations and of what they remember. */
  operations: number;
  /** Sequential scans of one of these tables, or of a partition of history that holds rows. */
  scans: number;
}

/** A session reports its counters when it has been idle for a while, or when it is asked to. */
const FLUSH = {
  name: "flush_counts",
  sql: () => "SELECT pg_stat_force_next_flush()",
  values: () => [],
  read: () => true,
};

/** What `work` costs on the stores' connections (an engine's pool of one) or on a caller's. */
export async function costOf(
  { observer, stores, caller, schema = "tickwheel" }: CostScene,
  work: () => Promise<unknown>,
): Promise<Cost> {
  const tell = async (): Promise<Counts[]> => {
    const { reads } = stores.tasks;
    await Promise.all([stores.database.run(FLUSH, null), reads.run(FLUSH, null), reads.run(FLUSH, null)]);
    for (const session of [caller, observer]) await session?.query(FLUSH.sql());
    return countsOf(observer, schema);
  };
  const before = new Map((await tell()).map((counts) => [counts.name, counts]));
  await work();
  const differences = (await tell()).map(({ name, blocks, scans, rows }) => {
    const known = before.get(name)!;
    return { name, blocks: blocks - known.blocks, scans: scans - known.scans, rows: rows - known.rows };
  });
  const ofHistory = differences.filter(({ name, blocks }) => name.startsWith("history") && blocks > 0);
  const whole = differences.filter(({ scans, rows }) => scans > 0 && rows > 0);
  return {
    task: differences.find(({ name }) => name === "task")!.blocks,
    history: Object.fromEntries(ofHistory.map(({ name, blocks }) => [name, blocks])),
    operations: differences
      .filter(({ name }) => name.startsWith("operation"))
      .reduce((sum, { blocks }) => sum + blocks, 0),
    scans: whole.reduce((sum, { scans }) => sum + scans, 0),
  };
}

export interface CostScene {
  observer: Client;
  stores: PostgresStores;
  caller?: Client;
  schema?: string;
}

interface Counts {
  name: string;
  blocks: number;
  scans: number;
  rows: number;
}

async function countsOf(observer: Client, schema: string): Promise<Counts[]> {
  await observer.query("SELECT pg_stat_clear_snapshot()");
  const { rows } = await observer.query<Counts>(
    `SELECT relname AS name, (heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::int AS blocks,
            seq_scan::int AS scans, seq_tup_read::int AS rows
       FROM pg_statio_user_tables JOIN pg_stat_user_tables USING (relid, schemaname, relname)
      WHERE schemaname = $1 AND relname ~ '^(task$|history_|operation(_task)?$)'`,
    [schema],
  );
  return rows;
}

const DAY_MS = 86_400_000;
/**
 * Longer than a test lasts: what it finishes goes into a partition that is filled, also if midnight passes meanwhile.
 */
const TEST_MS = 600_000;
const ENDED = `id, scheduled_at, due_at, created_at, finished_at, timeout_ms, type_id, max_attempts, slot, state, priority, key_live, key, created_by`;

/**
 * Writes finished tasks with the keys `h1`, `h2` … into a partition for each of three days, as many into today's as
 * into the others. A scan of a small partition would be a good plan, and today's would be small soon after midnight.
 *
 * @param rare each n-th is of another type
 */
export async function fillHistory(
  observer: Client,
  { typeId, rareTypeId = typeId, rows, rare = 2 }: { typeId: number; rareTypeId?: number; rows: number; rare?: number },
): Promise<void> {
  const nowMs = Date.now();
  const today = Math.floor((nowMs + TEST_MS) / DAY_MS);
  const each = Math.ceil(rows / 3);
  for (const [index, day] of [today - 2, today - 1, today].entries()) {
    const fromMs = day * DAY_MS;
    const untilMs = Math.max(fromMs, Math.min(fromMs + DAY_MS, nowMs - 60_000));
    await addPartition(observer, day);
    await observer.query(
      `INSERT INTO tickwheel.history (${ENDED})
       SELECT (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid,
              at, at, at, at, 60000, CASE WHEN n % ${rare} = 0 THEN ${rareTypeId} ELSE ${typeId} END, 3, n % 4096, 2, 5, false, 'h' || n, 'filler'
         FROM generate_series(${index * each + 1}, ${Math.min(rows, (index + 1) * each)}) AS n
        CROSS JOIN LATERAL (SELECT (${fromMs} + (n - ${index * each + 1}) * ${(untilMs - fromMs) / each}::float8)::bigint AS ms) m
        CROSS JOIN LATERAL (SELECT to_timestamp(ms / 1000.0) AS at) a`,
    );
  }
}

async function addPartition(observer: Client, day: number): Promise<void> {
  const [from, to] = [day, day + 1].map((each) => new Date(each * DAY_MS).toISOString());
  const name = `history_${from!.slice(0, 10).replaceAll("-", "")}`;
  await observer.query(
    `CREATE TABLE IF NOT EXISTS tickwheel.${name} PARTITION OF tickwheel.history FOR VALUES FROM ('${from}') TO ('${to}')`,
  );
}
