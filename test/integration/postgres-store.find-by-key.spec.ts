import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ClaimedTask, PAGE_BYTES, type TaskFilter, type TaskPage } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { type Cost, costOf } from "./postgres-store.cost.js";
import { create, joinNode, NAMESPACE, newType, Scene } from "./postgres-store.scene.js";

const TYPE = "order";
const OTHER_TYPE = "invoice";
const OTHER_NAMESPACE = "elsewhere";
const DAY_MS = 86_400_000;
const DAYS = 4;
const HOT_ROWS = 20_000;
const RARE_ROWS = 20;
/** Keys with one finished task each, so that a scan of a whole index would show. */
const ORDINARY_ROWS = 20_000;
const DEAD_ROWS = 3_000;
const UNUSED_TYPES = 50;
const LIMIT = 50;
/** The rows of a list's first look, if not all rows need to fit. */
const LOOK_ROWS = 512;
/** The rows of two pages lie in pages of the tables and indexes that are not alike. */
const ABOUT_EQUAL_BLOCKS = 150;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;
let typeId: number;
let otherTypeId: number;

/**
 * Finished tasks over four daily partitions. The key `hot` has 20,000 in each of two types, `rare` 20 in the first
 * type, and so has `hot` in the other namespace. `buried` has 3,000 dead ones.
 */
beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open({ size: 1 });
  observer = await scene.client();
  typeId = await newType(stores, TYPE);
  otherTypeId = await newType(stores, OTHER_TYPE);
  const elsewhere = await stores.tasks.ensureType({ namespace: OTHER_NAMESPACE, type: TYPE, delivery: "handler" });
  await addPartitions();
  await finish({ typeId, key: "'hot'", rows: HOT_ROWS });
  await finish({ typeId: otherTypeId, key: "'hot'", rows: HOT_ROWS });
  await finish({ typeId: elsewhere.id, key: "'hot'", rows: RARE_ROWS });
  await finish({ typeId, key: "'rare'", rows: RARE_ROWS });
  await finish({ typeId, key: "'ordinary-' || n", rows: ORDINARY_ROWS });
  await finish({ typeId, key: "'buried'", rows: DEAD_ROWS, isDead: true });
  await observer.query("VACUUM ANALYZE tickwheel.task, tickwheel.history");
});
afterAll(() => scene?.stop());

const find = (filter: Partial<TaskFilter>): Promise<TaskPage> =>
  stores.tasks.find({ namespace: NAMESPACE, type: TYPE, limit: LIMIT, ...filter });
const idsOf = ({ tasks }: Pick<TaskPage, "tasks">): string[] => tasks.map(({ id }) => id);

describe("pages of a key", () => {
  test("a key's holder, its dead and its finished tasks come newest first, each once, page by page", async () => {
    const key = "order-42";
    const owner = await joinNode(stores);
    const run = async (): Promise<ClaimedTask> => {
      const { id } = await create(stores, { typeId, type: TYPE, key });
      return (await stores.tasks.claim({ owner, ids: [id], claimAheadMs: 20 })).tasks[0]!;
    };
    const ended = { result: null, kind: "succeeded" } as const;
    const ids: string[] = [];
    for (let round = 0; round < 5; round++) {
      const task = await run();
      ids.push(task.id);
      await stores.tasks.settle([{ ...task, owner, startedAt: task.claimedAt, ...ended }]);
    }
    const dead = await run();
    await observer.query(`UPDATE tickwheel.task SET state = 3, finished_at = now(), key_live = false, owner = NULL
                           WHERE id = '${dead.id}'`);
    const holder = await create(stores, { typeId, type: TYPE, key, due: { delayMs: DAY_MS } });
    ids.push(dead.id, holder.id);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await find({ key, limit: 2, after });
      expect(page.incomplete).toBe(false);
      found.push(...idsOf(page));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(found).toEqual(ids.sort().reverse());
    expect(idsOf(await find({ key, live: true }))).toEqual([holder.id]);
    expect(idsOf(await find({ key, states: ["dead"] }))).toEqual([dead.id]);
  });

  test("all finished tasks of a key are found by its pages, in order", async () => {
    const found: string[] = [];
    let after: string | undefined;
    for (let pages = 0; pages === 0 || after !== undefined; pages++) {
      const page = await find({ key: "hot", limit: 200, after });
      found.push(...idsOf(page));
      after = page.next ?? undefined;
      expect(pages).toBeLessThanOrEqual(HOT_ROWS / 200);
    }
    expect(found).toHaveLength(HOT_ROWS);
    expect(found).toEqual([...new Set(found)].sort().reverse());
  });

  test("types and namespaces that use the same key do not mix", async () => {
    const other = await find({ key: "hot", type: OTHER_TYPE });
    const elsewhere = await find({ key: "hot", namespace: OTHER_NAMESPACE });
    expect(new Set(other.tasks.map((task) => task.type))).toEqual(new Set([OTHER_TYPE]));
    expect(elsewhere.tasks).toHaveLength(RARE_ROWS);
    expect(elsewhere.next).toBeNull();
    const both = await find({ key: "hot", type: undefined });
    expect(new Set(both.tasks.map((task) => task.type))).toEqual(new Set([TYPE, OTHER_TYPE]));
    expect(await find({ key: "rare", type: OTHER_TYPE })).toMatchObject({ tasks: [], next: null, incomplete: false });
  });

  test("a page of a key ends with the task that reaches 2 MiB, and the next goes on behind it", async () => {
    await finish({ typeId, key: "'large'", rows: 6, payloadBytes: PAGE_BYTES / 2 });
    const first = await find({ key: "large" });
    expect(first.tasks).toHaveLength(2);
    const second = await find({ key: "large", after: first.next! });
    expect(second.tasks).toHaveLength(2);
    expect(second.tasks[0]!.id < first.tasks[1]!.id).toBe(true);
  });

  test("a state that few tasks of a key have is found behind many others", async () => {
    const { rows } = await observer.query<{ id: string }>(
      `SELECT id FROM tickwheel.history WHERE key = 'hot' AND type_id = ${typeId} ORDER BY id LIMIT 1`,
    );
    await observer.query(`UPDATE tickwheel.history SET state = 5 WHERE id = '${rows[0]!.id}'`);
    let page = await find({ key: "hot", states: ["expired"] });
    for (let looks = 0; page.incomplete && looks < 50; looks++) {
      page = await find({ key: "hot", states: ["expired"], after: page.next! });
    }
    expect(idsOf(page)).toEqual([rows[0]!.id]);
  });
});

describe("what a page of a key reads", () => {
  const blocksOf = ({ task, history }: Cost): number =>
    task + Object.values(history).reduce((sum, blocks) => sum + blocks, 0);

  async function pageCost(filter: Partial<TaskFilter>, length: number): Promise<number> {
    const cost = await costOf({ observer, stores }, async () => {
      expect(await find(filter)).toMatchObject({ tasks: { length }, incomplete: false });
    });
    expect(cost.scans).toBe(0);
    return blocksOf(cost);
  }

  test("20,000 finished tasks of a key cost a page as much as 20 do", async () => {
    const limit = RARE_ROWS;
    const rare = await pageCost({ key: "rare", limit }, RARE_ROWS);
    const hot = await pageCost({ key: "hot", limit }, RARE_ROWS);
    expect(Math.abs(hot - rare)).toBeLessThan(ABOUT_EQUAL_BLOCKS);
  });

  test("a page deep in a key's history costs what its first page costs", async () => {
    const { rows } = await observer.query<{ id: string }>(
      `SELECT id FROM tickwheel.history WHERE key = 'hot' AND type_id = ${typeId} ORDER BY id OFFSET ${HOT_ROWS / 2} LIMIT 1`,
    );
    const first = await pageCost({ key: "hot" }, LIMIT);
    const deep = await pageCost({ key: "hot", after: rows[0]!.id }, LIMIT);
    expect(Math.abs(deep - first)).toBeLessThan(ABOUT_EQUAL_BLOCKS);
  });

  test.each<[string, Partial<TaskFilter>, number]>([
    ["of finished tasks", { key: "hot" }, LIMIT + 1],
    ["of dead tasks", { key: "buried", states: ["dead"] }, LOOK_ROWS],
    ["of all kinds", { key: "buried" }, LIMIT + 1],
  ])("a page %s takes its rows from the indexes of keys, in order, and reads no further", async (_, filter, rows) => {
    const before = await readFromKeys();
    await pageCost(filter, LIMIT);
    const entries = (await readFromKeys()) - before;
    expect(entries).toBeGreaterThanOrEqual(rows);
    // A merge of partitions reads one entry ahead in each.
    expect(entries).toBeLessThanOrEqual(rows + DAYS + 1);
  });

  test("a key that one type uses 20,000 times costs another type nothing, and unused types cost a key nothing", async () => {
    const nobody = await pageCost({ key: "nobody's" }, 0);
    await newType(stores, "unused");
    const unused = await pageCost({ key: "hot", type: "unused" }, 0);
    expect(Math.abs(unused - nobody)).toBeLessThan(20);
    const historyOf = async (key: string): Promise<number> => {
      const cost = await costOf({ observer, stores }, () => find({ key, type: undefined }));
      return blocksOf({ ...cost, task: 0 });
    };
    const few = { nobody: await historyOf("nobody's"), hot: await historyOf("hot") };
    for (let count = 0; count < UNUSED_TYPES; count++) await newType(stores);
    expect({ nobody: await historyOf("nobody's"), hot: await historyOf("hot") }).toEqual(few);
  });
});

/** How many entries of the indexes of keys have been read. The cost of the work before has flushed the counters. */
async function readFromKeys(): Promise<number> {
  const { rows } = await observer.query<{ entries: number }>(
    `SELECT sum(s.idx_tup_read)::int AS entries FROM pg_stat_user_indexes s
      WHERE s.schemaname = 'tickwheel'
        AND (s.indexrelname = 'task_former_key'
             OR s.indexrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'tickwheel.history_key'::regclass))`,
  );
  return rows[0]!.entries;
}

async function addPartitions(): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS);
  for (let day = today - DAYS; day < today; day++) {
    const [from, to] = [day, day + 1].map((each) => new Date(each * DAY_MS).toISOString());
    await observer.query(
      `CREATE TABLE IF NOT EXISTS tickwheel.history_${from!.slice(0, 10).replaceAll("-", "")}
         PARTITION OF tickwheel.history FOR VALUES FROM ('${from}') TO ('${to}')`,
    );
  }
}

interface Finished {
  typeId: number;
  /** An expression of `n`. */
  key: string;
  rows: number;
  payloadBytes?: number;
  /** Whether they are dead, so in the live table. */
  isDead?: boolean;
}

/** Finished tasks, spread evenly over the four days. Each has its instant in its id, as ours have. */
async function finish({ typeId, key, rows, payloadBytes = 2, isDead = false }: Finished): Promise<void> {
  const firstMs = (Math.floor(Date.now() / DAY_MS) - DAYS) * DAY_MS;
  const stepMs = (DAYS * DAY_MS) / rows;
  await observer.query(
    `INSERT INTO tickwheel.${isDead ? "task" : "history"} (id, scheduled_at, due_at, created_at, finished_at, timeout_ms, type_id, max_attempts,
                                    slot, state, priority, key_live, key, created_by, payload)
     SELECT (lpad(to_hex(ms), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || substr(md5(${key} || '${typeId}' || n), 1, 15))::uuid,
            at, at, at, at, 60000, ${typeId}, 3, n % 4096, ${isDead ? 3 : 2}, 5, false, ${key}, 'filler',
            to_json(repeat('x', ${payloadBytes}))
       FROM generate_series(1, ${rows}) AS n
      CROSS JOIN LATERAL (SELECT (${firstMs} + (n - 1) * ${stepMs}::float8)::bigint AS ms) m
      CROSS JOIN LATERAL (SELECT to_timestamp(ms / 1000.0) AS at) a`,
  );
}
