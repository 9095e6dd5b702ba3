import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { printFigures } from "../support/figures.js";
import { HOUR, OperationScenes, type OperationWish } from "./operations.scene.js";
import { costOf } from "./postgres-store.cost.js";
import { NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

const TASKS = 20_000;
const BULK = 500;
/** Tasks of a page. */
const FEW = 500;
/** The look, and some thirty of each task. Joined with their conditions a page took over 2 s, in comparisons. */
const MOST_BLOCKS = 25_000;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;
let its: OperationScenes;

/** Tasks that were created a moment ago, of which the server has no statistics yet. */
beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open({ size: 1 });
  observer = await scene.client();
  its = await OperationScenes.open(scene, stores);
  const typeId = await newType(stores, its.type);
  for (let made = 0; made < TASKS; made += BULK) {
    const tasks = Array.from({ length: BULK }, () => newTask({ typeId, due: { delayMs: 24 * HOUR } }));
    await stores.tasks.create({ namespace: NAMESPACE, tasks });
  }
  await its.query("SELECT pg_sleep(0.002)");
});
afterAll(() => scene?.stop());

test.each<OperationWish>([
  { action: "add_tag", options: { tag: "x" } },
  { action: "reschedule", options: { move: { kind: "shift", byMs: 1_000 } } },
  { action: "pause" },
  { action: "resume" },
  { action: "cancel" },
  { action: "retry" },
])("a page of a $action of new tasks, by type and due time, reads each by its id", async (wish) => {
  const operation = await its.start({ ...wish, filter: { type: its.type, dueFrom: Date.now() + HOUR } });
  const cost = await costOf({ observer, stores }, async () => void (await its.page(operation, FEW)));
  const { changed, passed } = await its.read(operation);
  expect([changed, passed]).toEqual([FEW, {}]);
  const blocks = Object.values(cost.history).reduce((sum, of) => sum + of, cost.task);
  printFigures("blocks of a page of new tasks", { action: wish.action, blocks });
  expect(cost.scans).toBe(0);
  expect(blocks).toBeLessThanOrEqual(MOST_BLOCKS);
  await its.change(operation, "stop");
});
