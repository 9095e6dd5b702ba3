import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { TaskFilter, TaskPage } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { eventually } from "../support/eventually.js";
import { NAMESPACE, newTask, newType, Scene } from "../integration/postgres-store.scene.js";

const DAY_MS = 86_400_000;
const FINISHED = 1_000_000;
const DAYS = 8;
const DEAD = 20_000;
const PENDING = 50_000;
const TYPES = 100;
/** Finished tasks of the rare type. */
const RARE = 300;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;

/**
 * 1,000,000 finished tasks in eight daily partitions, every third with a key; dead and waiting ones in the live table.
 */
beforeAll(async () => {
  scene = await Scene.start({ max_wal_size: "4GB", autovacuum: false });
  stores = scene.open();
  observer = await scene.client();
  for (let type = 1; type < TYPES; type++) await newType(stores, `t${type}`);
  await newType(stores, "rare");
  await fill();
  await observer.query("VACUUM ANALYZE tickwheel.task, tickwheel.history");
});
afterAll(() => scene?.stop());

const COLUMNS = `id, scheduled_at, due_at, created_at, claimed_at, started_at, finished_at, owner, timeout_ms, type_id, fence, attempt,
  max_attempts, slot, state, priority, key_live, key, created_by, payload`;

async function fill(): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS);
  for (let day = today - DAYS + 1; day < today; day++) {
    const [from, to] = [day, day + 1].map((each) => new Date(each * DAY_MS).toISOString());
    const name = from!.slice(0, 10).replaceAll("-", "");
    await observer.query(
      `CREATE TABLE IF NOT EXISTS tickwheel.history_${name} PARTITION OF tickwheel.history FOR VALUES FROM ('${from}') TO ('${to}')`,
    );
  }
  const firstMs = (today - DAYS + 1) * DAY_MS;
  const spacingMs = (Date.now() - 60_000 - firstMs) / FINISHED;
  await observer.query(
    `INSERT INTO tickwheel.history (${COLUMNS}) ${rows({ count: FINISHED, firstMs, spacingMs, state: 2, keyEach: 3 })}`,
  );
  await observer.query(
    `INSERT INTO tickwheel.task (${COLUMNS}) ${rows({ count: DEAD, firstMs, spacingMs: spacingMs * (FINISHED / DEAD), state: 3, keyEach: 2 })}`,
  );
  for (let written = 0; written < PENDING; written += 5_000) {
    const tasks = Array.from({ length: 5_000 }, () =>
      newTask({ typeId: 1 + ((written / 5_000) % 50), due: { delayMs: DAY_MS } }),
    );
    await stores.tasks.create({ namespace: NAMESPACE, tasks });
  }
}

/** Ended tasks, oldest first. Each has its instant in its id, as ours have; type `rare` is one in 3,000 or so. */
function rows({ count, firstMs, spacingMs, state, keyEach }: Record<string, number>): string {
  return `
    SELECT (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid,
           at, at, at, at, at, at, 1, 60000,
           CASE WHEN n % ${Math.round(count! / RARE)} = 0 THEN ${TYPES} ELSE 1 + n % ${TYPES - 1} END,
           1, 1, 3, n % 4096, ${state}, 5, false, CASE WHEN n % ${keyEach} = 0 THEN 'k' || n END, 'filler', '{"some":"payload"}'
      FROM generate_series(1, ${count}) AS n
     CROSS JOIN LATERAL (SELECT (${firstMs} + n * ${spacingMs})::bigint AS ms) m
     CROSS JOIN LATERAL (SELECT to_timestamp(ms / 1000.0) AS at) a`;
}

interface Cost {
  /** Blocks of all our tables and their indexes, in 8 kB. */
  blocks: number;
  /** Blocks of history alone, with its indexes. */
  historyBlocks: number;
  /** Reads of a whole table that has many rows. */
  scans: number;
}

async function costOf<Answer>(work: () => Promise<Answer>): Promise<Cost & { answer: Answer }> {
  await work();
  const before = await told();
  const answer = await work();
  const after = await told();
  return {
    answer,
    blocks: after.blocks - before.blocks,
    historyBlocks: after.historyBlocks - before.historyBlocks,
    scans: after.scans - before.scans,
  };
}

/** What the server has counted so far: a session tells its counts when it ends. */
async function told(): Promise<Cost> {
  await stores.close();
  await eventually(async () => {
    const { rows: others } = await observer.query(
      "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
    expect(others).toEqual([]);
  });
  stores = scene.open();
  await observer.query("SELECT pg_stat_clear_snapshot()");
  const { rows: found } = await observer.query(`
    SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::int AS blocks,
           sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0)) FILTER (WHERE relname LIKE 'history%')::int AS "historyBlocks",
           sum(seq_scan) FILTER (WHERE n_live_tup > 10000)::int AS scans
      FROM pg_statio_user_tables JOIN pg_stat_user_tables USING (relid, schemaname, relname) WHERE schemaname = 'tickwheel'`);
  return found[0] as Cost;
}

const find = (filter: Partial<TaskFilter>): Promise<TaskPage> =>
  stores.tasks.find({ namespace: NAMESPACE, limit: 50, ...filter });

describe("with 1,000,000 finished tasks in eight partitions", () => {
  test("a page of tasks without a filter costs its own rows", async () => {
    const { answer, ...cost } = await costOf(() => find({}));
    expect(answer.tasks).toHaveLength(50);
    expect(answer.incomplete).toBe(false);
    expect(cost.blocks).toBeLessThan(3_000);
    expect(cost.scans).toBe(0);
  });

  test.each([{ live: true }, { states: ["dead"] }, { states: ["scheduled", "running"] }] as Partial<TaskFilter>[])(
    "a list of tasks by %j reads nothing of history",
    async (filter) => {
      const { answer, ...cost } = await costOf(() => find(filter));
      expect(answer.tasks).toHaveLength(50);
      expect(answer.incomplete).toBe(false);
      expect(cost.historyBlocks).toBe(0);
      expect(cost.scans).toBe(0);
    },
  );

  test("a look-up by key reads one bucket of each partition's index and the tasks that it finds", async () => {
    const key = `k${FINISHED / 2 - ((FINISHED / 2) % 3)}`;
    const { answer, ...cost } = await costOf(() => find({ key }));
    expect(answer.tasks.map((task) => task.key)).toEqual([key]);
    expect(cost.blocks).toBeLessThan(1_500);
    expect(cost.scans).toBe(0);
    const ofDead = await find({ key: `k${DEAD}` });
    expect(ofDead.tasks.map(({ state }) => state).sort()).toEqual(["dead"]);
  });

  test("a cancel by a key that nobody holds looks at the live table alone, in a caller's transaction too", async () => {
    const target = { namespace: NAMESPACE, type: "t1", key: "nobody's" };
    const alone = await costOf(() => stores.tasks.cancel({ target, actor: "somebody" }));
    expect(alone.answer).toEqual({ outcome: "not_found" });
    expect(alone).toMatchObject({ historyBlocks: 0, scans: 0 });
    const within = await costOf(async () => {
      const caller = await scene.client();
      await caller.query("BEGIN");
      const reply = await stores.tasks.cancel({ target, actor: "somebody" }, caller as never);
      await caller.end();
      return reply;
    });
    expect(within.answer).toEqual({ outcome: "not_found" });
    expect(within).toMatchObject({ historyBlocks: 0, scans: 0 });
  });

  test("the tasks of a rare type cost what those of a common one do, page by page", async () => {
    const { answer, ...cost } = await costOf(() => find({ type: "rare" }));
    expect(answer).toMatchObject({ tasks: { length: 50 }, incomplete: false });
    expect(cost.blocks).toBeLessThan(3_000);
    expect(cost.scans).toBe(0);
    const found = new Set<string>();
    for (let page: TaskPage | null = null; page === null || page.next !== null;) {
      page = await find({ type: "rare", after: page?.next ?? undefined });
      for (const { id } of page.tasks) found.add(id);
      expect(page.incomplete).toBe(false);
    }
    const { rows: counted } = await observer.query(
      "SELECT (SELECT count(*) FROM tickwheel.history WHERE type_id = $1) + (SELECT count(*) FROM tickwheel.task WHERE type_id = $1) AS all",
      [TYPES],
    );
    expect(found.size).toBe(Number((counted[0] as { all: string }).all));
  });
});
