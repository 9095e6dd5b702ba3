import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { depth } from "../support/depth.js";
import { printFigures } from "../support/figures.js";
import { OperationScenes, type OperationWish } from "./operations.scene.js";
import { UndoScenes } from "./operations.undo.scene.js";
import { type Cost, costOf, fillHistory } from "./postgres-store.cost.js";
import { newType, Scene } from "./postgres-store.scene.js";

/** How many there are of each kind beside the tasks of a test. */
const CROWD = depth({ sample: 20_000, whole: 100_000 });
/** Tasks of a page. */
const FEW = 20;
/**
 * The way down the indexes of a table, and the row, for each task of a page and each statement that has to do with it.
 */
const PAGES_OF_A_TASK = 60;
/** Beside its tasks: the operation's row, and its audit. */
const PAGES_OF_A_PAGE = 80;
/** All that is remembered is in ten times as many. */
const MOST_OF_A_ROUND = 120;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;
let its: OperationScenes;
let undo: UndoScenes;

/** Beside the tasks of each test are as many live ones, ended ones and operations that are over. */
beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open({ size: 1 });
  observer = await scene.client();
  const typeId = await newType(stores, "crowded");
  await observer.query(
    `INSERT INTO tickwheel.task (id, slot, type_id, state, key, created_at, scheduled_at, due_at, priority, max_attempts, timeout_ms, key_live, created_by)
     SELECT (lpad(to_hex(n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid, n % 4096, $1, 0, 'c' || n, now(), now() + interval '1 h',
            now() + interval '1 h', 5, 3, 60000, true, 'filler' FROM generate_series(1, ${CROWD}) n`,
    [typeId],
  );
  await fillHistory(observer, { typeId, rows: CROWD });
  its = await OperationScenes.open(scene, stores);
  const { id } = await its.run({ action: "pause" });
  await observer.query(
    `INSERT INTO tickwheel.operation SELECT (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid()))).*
       FROM tickwheel.operation o, generate_series(1, ${CROWD}) WHERE o.id = $1`,
    [id],
  );
  await observer.query("VACUUM ANALYZE");
});
afterAll(() => scene?.stop());

beforeEach(async () => {
  its = await OperationScenes.open(scene, stores);
  undo = new UndoScenes(its);
});

/** All blocks that were read. */
function blocksOf({ task, history, operations }: Cost): number {
  return Object.values(history).reduce((sum, blocks) => sum + blocks, task + operations);
}

async function costOfPage({ id }: { id: string }, pageSize = FEW): Promise<Cost> {
  await its.query("UPDATE tickwheel.operation SET next_at = least(next_at, created_at) WHERE id = $1", [id]);
  return costOf({ observer, stores }, async () => expect(await its.page({ id }, pageSize)).not.toBeNull());
}

async function remember({ id }: { id: string }, undone: string | null): Promise<void> {
  await its.query(
    `INSERT INTO tickwheel.operation_task
            (operation_id, task_id, at, version, fence, state, was, was_archived, had_key, is_whole, scheduled_at, due_at, undone)
     SELECT $1, ('ffffffff-ffff-7fff-8fff-' || lpad(to_hex(n), 12, '0'))::uuid, now(), 2, 0, -1, 0, false, false, false, now(), now(), $2
       FROM generate_series(1, ${CROWD}) n`,
    [id, undone],
  );
  await its.query("VACUUM ANALYZE tickwheel.operation_task");
}

describe("beside a crowd of live tasks, as many ended ones, and as many operations that are over", () => {
  test("the look each second for operations reads the open operations alone", async () => {
    const operation = await its.start({ action: "pause" });
    const cost = await costOf({ observer, stores }, async () =>
      expect((await its.store.due()).ids).toEqual([operation.id]),
    );
    await its.carryOut(operation);
    expect(cost).toMatchObject({ task: 0, history: {}, scans: 0 });
    expect(cost.operations).toBeLessThanOrEqual(FEW);
  });

  test.each<[string, OperationWish, (count: number) => Promise<string[]>]>([
    ["cancel", { action: "cancel" }, (count) => undo.waiting(count)],
    [
      "reschedule",
      { action: "reschedule", options: { move: { kind: "shift", byMs: 1_000 } } },
      (count) => undo.scheduled(count),
    ],
    ["run_now", { action: "run_now" }, (count) => undo.scheduled(count)],
    ["pause", { action: "pause" }, (count) => undo.scheduled(count)],
    ["resume", { action: "resume" }, (count) => undo.paused(count)],
    ["add_tag", { action: "add_tag", options: { tag: "x" } }, (count) => undo.scheduled(count)],
    ["retry", { action: "retry" }, (count) => undo.ended(count)],
    ["restore", { action: "restore", options: { includeOverdue: true } }, (count) => undo.ended(count)],
    ["discard", { action: "discard" }, (count) => undo.dead(count)],
  ])("a page of a %s operation and one of its undo read their tasks by index", async (name, wish, prepare) => {
    const ids = await prepare(FEW);
    await its.query("SELECT pg_sleep(0.002)");
    const operation = await its.start({ ...wish, filter: { id: ids } });
    const act = await costOfPage(operation);
    expect((await its.carryOut(operation)).changed).toBe(FEW);
    await undo.begin(operation);
    const back = await costOfPage(operation);
    expect((await its.carryOut(operation)).undone).toBe(FEW);
    printFigures(`blocks of a page of ${FEW}`, { name, act: blocksOf(act), undo: blocksOf(back) });
    for (const cost of [act, back]) {
      expect(cost.scans).toBe(0);
      expect(blocksOf(cost)).toBeLessThanOrEqual(PAGES_OF_A_PAGE + FEW * PAGES_OF_A_TASK);
    }
  });
});

describe("an undo of many remembered tasks", () => {
  test("an undo of many remembered tasks reads for a page no more than its tasks, however many follow", async () => {
    await its.tasks(3);
    const operation = await undo.done({ action: "pause" }, 3);
    await remember(operation, null);
    await undo.begin(operation);
    const cost = await costOfPage(operation, 3);
    expect(await its.read(operation)).toMatchObject({ state: "undoing", undone: 3 });
    expect(cost.scans).toBe(0);
    expect(cost.operations).toBeLessThanOrEqual(MOST_OF_A_ROUND);
    await its.query("DELETE FROM tickwheel.operation_task WHERE operation_id = $1 AND undone IS NULL", [operation.id]);
    await its.carryOut(operation);
  });

  test("an undo of many remembered tasks comes back to those that others held without a look at the rest", async () => {
    const ids = await its.tasks(3);
    const operation = await undo.done({ action: "pause" }, 3);
    const holder = await its.holding(ids);
    await undo.begin(operation);
    await its.dueNow(operation);
    await remember(operation, "UNDONE");
    const cost = await costOfPage(operation);
    expect(await its.read(operation)).toMatchObject({ state: "undoing", undone: 0 });
    expect(cost.scans).toBe(0);
    expect(cost.operations).toBeLessThanOrEqual(MOST_OF_A_ROUND);
    printFigures("blocks of a page of a round of an undo", { operations: cost.operations });
    await holder.end();
    expect(await its.carryOut(operation)).toMatchObject({ state: "undone", undone: 3 });
  });
});
