import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SystemClock } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import { NAMESPACE, newTask, newType, Scene } from "./postgres-store.scene.js";

const SMALL = "small";
const CROWDED = "crowded";
const OTHERS = 2_000;

let scene: Scene;
let stores: PostgresStores;
let own: string;

/** Each look takes all the time that a list has. */
class HastyClock extends SystemClock {
  private nowMonoMs = 0;

  override monotonicMs(): number {
    return (this.nowMonoMs += 1_000);
  }
}

beforeAll(async () => {
  scene = await Scene.start();
  stores = scene.open({ clock: new HastyClock() });
  const { id: typeId } = await stores.tasks.ensureType({ namespace: SMALL, type: "own", delivery: "handler" });
  const task = newTask({ typeId, type: "own", due: { delayMs: 3_600_000 } });
  own = task.id;
  await stores.tasks.create({ namespace: SMALL, tasks: [task] });
  const type = "crowd";
  const others = await newType(stores, type);
  const tasks = Array.from({ length: OTHERS }, () => newTask({ typeId: others, type, due: { delayMs: 3_600_000 } }));
  await stores.tasks.create({ namespace: NAMESPACE, tasks });
});
afterAll(() => scene?.stop());

test("a namespace with few types is listed at once, however many tasks of others there are", async () => {
  for (const filter of [{}, { live: true }, { states: ["scheduled"] as const }]) {
    const page = await stores.tasks.find({ namespace: SMALL, limit: 50, ...filter });
    expect(page.tasks.map(({ id }) => id)).toEqual([own]);
  }
});

test("the cursors of a namespace with more than 100 types tell no id of another one", async () => {
  for (let index = 0; index <= 100; index++)
    await stores.tasks.ensureType({ namespace: CROWDED, type: `type-${index}`, delivery: "handler" });
  const page = await stores.tasks.find({ namespace: CROWDED, limit: 50 });
  expect(page).toMatchObject({ tasks: [], incomplete: true });
  expect(page.next).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7fff-bfff-ffffffffffff$/);
});
