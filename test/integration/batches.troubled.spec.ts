import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type Batch,
  MAX_COUNTED_TROUBLED,
  MAX_TROUBLED_NAMES,
  type NewBatch,
  type TroubledBatches,
} from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { BatchScenes } from "./batches.scene.js";
import { costOf } from "./postgres-store.cost.js";
import { NAMESPACE, Scene } from "./postgres-store.scene.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MANY = 20_000;
/** The server plans a statement anew this often before it may keep a plan; reads go to either of two connections. */
const BEFORE_KEPT = 14;
/** Two walks, two short ranges and the rows of six batches; the table has some hundreds. */
const FEW_BLOCKS = 60;

let scene: Scene;
let stores: PostgresStores;
let batches: BatchScenes;
let observer: Client;
/** The statements' clock, so that days go by in no time. */
let nowMs = Date.now();

beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open({ size: 1, asOf: () => nowMs });
  batches = await BatchScenes.open(stores);
  observer = await scene.client();
});
afterAll(() => scene?.stop());
beforeEach(() => observer.query("DELETE FROM tickwheel.batch"));

async function troubled(namespace = NAMESPACE): Promise<TroubledBatches[]> {
  while (await stores.batches.fold());
  return (await stores.batches.troubled()).filter((told) => told.namespace === namespace);
}

/** A batch past its deadline, which was looked at. */
async function overdue(batch: Partial<NewBatch> = {}, members = 2): Promise<{ batch: Batch; ids: string[] }> {
  const deadlineAt = nowMs - 1_000;
  const made = await batches.make({ isSealed: true, deadlineAt, ...batch }, batches.members(members));
  await batches.review(made.batch.id);
  return { batch: made.batch, ids: made.tasks.map(({ id }) => id) };
}

const seal = ({ id }: Batch) => stores.batches.seal({ namespace: NAMESPACE, id });
const cancel = ({ id }: Batch) => stores.batches.cancel({ namespace: NAMESPACE, id, actor: "test" });

describe("a batch past its deadline", () => {
  test("a batch past its deadline is told from the look on until all its members have succeeded, also when it is complete", async () => {
    const onComplete = batches.followUp();
    const { batch, tasks } = await batches.make(
      { name: "late", isSealed: true, deadlineAt: nowMs - 1_000, onComplete },
      batches.members(3),
    );
    expect(await troubled()).toEqual([]);
    const [first, second, third] = tasks.map(({ id }) => id);
    await batches.succeed([first!]);
    await batches.review(batch.id);
    const told = { id: batch.id, name: "late", at: nowMs - 1_000, left: 2, total: 3, onComplete: onComplete.type };
    const ofOne = (more: object) => [
      { trouble: "OVERDUE", namespace: NAMESPACE, count: 1, batches: [{ ...told, ...more }] },
    ];
    expect(await troubled()).toEqual(ofOne({ missing: 2, isComplete: false }));
    await batches.succeed([second!]);
    await batches.kill([third!]);
    await batches.review(batch.id);
    expect(await troubled()).toEqual(ofOne({ missing: 1, isComplete: true }));
    await stores.tasks.retry({ namespace: NAMESPACE, id: third!, actor: "test" });
    await batches.succeed([third!]);
    expect(await troubled()).toEqual([]);
  });

  test("a batch past its deadline is told no more once it is cancelled, nor a day after the look", async () => {
    const { batch } = await overdue();
    const { batch: kept } = await overdue({ name: "kept" });
    expect(await troubled()).toMatchObject([{ count: 2 }]);
    await cancel(batch);
    expect(await troubled()).toMatchObject([{ batches: [{ id: kept.id, name: "kept" }] }]);
    nowMs += DAY_MS - 1;
    expect(await troubled()).toMatchObject([{ count: 1 }]);
    nowMs += 1;
    expect(await troubled()).toEqual([]);
  });

  test("a batch past its deadline that has no member left is not told", async () => {
    const { batch, tasks } = await batches.make({ isSealed: true, deadlineAt: nowMs - 1 }, batches.members(1));
    await batches.succeed([tasks[0]!.id]);
    expect((await batches.review(batch.id))!.batch.leftovers).toMatchObject({ count: 0 });
    expect(await troubled()).toEqual([]);
  });
});

describe("a batch that nobody seals", () => {
  test("a batch that nobody seals is told after a day, the oldest first, until it is sealed or cancelled", async () => {
    const at = nowMs;
    const { batch: oldest } = await batches.make({ name: "b" }, batches.members(2));
    nowMs += HOUR_MS;
    const { batch: younger } = await batches.make({ name: "a" });
    nowMs = at + DAY_MS - 1;
    expect(await troubled()).toEqual([]);
    nowMs += HOUR_MS + 1;
    expect(await troubled()).toEqual([
      {
        trouble: "UNSEALED",
        namespace: NAMESPACE,
        count: 2,
        batches: [
          {
            id: oldest.id,
            name: "b",
            at,
            left: 0,
            missing: 2,
            total: 2,
            isComplete: false,
            onComplete: null,
          },
          expect.objectContaining({ id: younger.id, name: "a", at: at + HOUR_MS }),
        ],
      },
    ]);
    await seal(oldest);
    expect(await troubled()).toMatchObject([{ count: 1, batches: [{ id: younger.id }] }]);
    await cancel(younger);
    expect(await troubled()).toEqual([]);
  });
});

describe("among very many batches", () => {
  /** As if somebody had made them: the last `told` have leftovers. */
  async function fill(namespace: string, count: number, { overdue: told = 0, filling = 0 } = {}): Promise<void> {
    await observer.query(
      `INSERT INTO tickwheel.batch (id, namespace, name, state, total, fail_fast, retry_dead, deadline_at, deadline_checked_at,
                                    leftovers, created_at, created_by, finished_at)
       SELECT gen_random_uuid(), $1, lpad(n::text, 6, '0'), CASE WHEN n <= $4 THEN 'filling' ELSE 'complete' END, 2, false, false, at, at,
              json_build_object('count', CASE WHEN n > $2::int - $3::int THEN 2 ELSE 0 END, 'named', '[]'::json),
              at - interval '2 days', 'filler', CASE WHEN n > $4 THEN at END
         FROM (SELECT n, to_timestamp($5::float8 / 1000) - ($2::int - n) * interval '1 millisecond' AS at
                 FROM generate_series(1, $2::int) n) made`,
      [namespace, count, told, filling, nowMs],
    );
  }

  test("very many troubled batches: some are told by name, they are counted up to a limit, and each namespace for itself", async () => {
    await fill("one", 300, { overdue: 200, filling: 150 });
    await fill("two", 3, { overdue: 1, filling: 1 });
    await fill("three", 3);
    const told = await stores.batches.troubled();
    expect(told.map(({ trouble, namespace, count }) => [trouble, namespace, count])).toEqual([
      ["OVERDUE", "one", MAX_COUNTED_TROUBLED + 1],
      ["OVERDUE", "two", 1],
      ["UNSEALED", "one", MAX_COUNTED_TROUBLED + 1],
      ["UNSEALED", "two", 1],
    ]);
    const named = told.filter(({ namespace }) => namespace === "one").map((one) => one.batches.map(({ name }) => name));
    const names = (nameOf: (place: number) => number): string[] =>
      Array.from({ length: MAX_TROUBLED_NAMES }, (_, place) => String(nameOf(place)).padStart(6, "0"));
    expect(named).toEqual([names((place) => 300 - place), names((place) => place + 1)]);
  });

  test("the reading of troubled batches touches those that it tells, and neither members nor history", async () => {
    await fill("one", MANY, { overdue: 3, filling: 3 });
    await observer.query("ANALYZE tickwheel.batch");
    // A kept plan is made after several runs.
    for (let round = 0; round < BEFORE_KEPT; round++) await stores.batches.troubled();
    await costOf({ observer, stores }, () => Promise.resolve());
    const before = await batchBlocks();
    const cost = await costOf({ observer, stores }, () => stores.batches.troubled());
    expect(cost).toEqual({ task: 0, history: {}, operations: 0, scans: 0 });
    expect((await batchBlocks()) - before).toBeLessThan(FEW_BLOCKS);
  });

  /** What was read of the table and its indexes, as of the last flush. */
  async function batchBlocks(): Promise<number> {
    await observer.query("SELECT pg_stat_clear_snapshot()");
    const { rows } = await observer.query<{ blocks: number }>(
      `SELECT (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int AS blocks
         FROM pg_statio_user_tables WHERE schemaname = 'tickwheel' AND relname = 'batch'`,
    );
    return rows[0]!.blocks;
  }
});
