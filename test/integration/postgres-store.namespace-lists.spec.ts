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
let ownTypeId: number;
let othersTypeId: number;

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
  ownTypeId = (await stores.tasks.ensureType({ namespace: SMALL, type: "own", delivery: "handler" })).id;
  const task = newTask({ typeId: ownTypeId, type: "own", due: { delayMs: 3_600_000 } });
  own = task.id;
  await stores.tasks.create({ namespace: SMALL, tasks: [task] });
  const type = "crowd";
  othersTypeId = await newType(stores, type);
  const tasks = Array.from({ length: OTHERS }, () =>
    newTask({ typeId: othersTypeId, type, due: { delayMs: 3_600_000 } }),
  );
  await stores.tasks.create({ namespace: NAMESPACE, tasks });
});
afterAll(() => scene?.stop());

test("a namespace with few types is listed at once, however many tasks other namespaces have", async () => {
  for (const filter of [{}, { live: true }, { states: ["scheduled"] as const }]) {
    const page = await stores.tasks.find({ namespace: SMALL, limit: 50, ...filter });
    expect(page.tasks.map(({ id }) => id)).toEqual([own]);
  }
});

test.each([
  ["dead", "task", 3],
  ["finished", "history", 2],
] as const)(
  "a namespace's tasks of the tab %s are shown at once, behind all tasks of others that ended later",
  async (tab, table, state) => {
    const client = await scene.client();
    const end = (typeId: number, { rows, secondsAgo }: { rows: number; secondsAgo: number }): Promise<unknown> =>
      client.query(
        `INSERT INTO tickwheel.${table} (id, scheduled_at, due_at, created_at, finished_at, timeout_ms, type_id, max_attempts, slot,
              state, priority, key_live, attempt, created_by, payload)
       SELECT (lpad(to_hex(1700000000000 + n - $2::integer * 100000), 12, '0') || '7' || lpad(to_hex($3 + n % 2048), 3, '0')
                || '8' || lpad(to_hex(n), 15, '0'))::uuid,
              now(), now(), now(), now() - $2::integer * interval '1 second', 60000, $1, 3, n % 4096, $3::integer, 5, false, 1, 'filler', '{}'
         FROM generate_series(1, $4::integer) AS n`,
        [typeId, secondsAgo, state, rows],
      );
    await end(ownTypeId, { rows: 1, secondsAgo: 1 });
    await end(othersTypeId, { rows: OTHERS, secondsAgo: 0 });
    const page = await stores.tasks.find({ namespace: SMALL, limit: 50, tab });
    expect(page).toMatchObject({ tasks: [{ type: "own" }], next: null, incomplete: false });
  },
);

test("the cursors of a namespace with more than 100 types tell no id of another one", async () => {
  for (let index = 0; index <= 100; index++)
    await stores.tasks.ensureType({ namespace: CROWDED, type: `type-${index}`, delivery: "handler" });
  const page = await stores.tasks.find({ namespace: CROWDED, limit: 50 });
  expect(page).toMatchObject({ tasks: [], incomplete: true });
  expect(page.next).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7fff-bfff-ffffffffffff$/);
});
