import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SlotSet } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { costOf } from "../integration/postgres-store.cost.js";
import { joinNode, NAMESPACE, newTask, newType, Scene } from "../integration/postgres-store.scene.js";

/** More than are counted one by one. */
const WAITING = 11_000;
const RUN_SINCE = 60_000;
/** The server plans a statement anew this often before it may keep a plan. */
const BEFORE_KEPT = 7;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;
/** Has run what lies dead. */
let node: string;

/** Tasks that wait, and behind a held snapshot the dead rows of many that have run. */
beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open({ size: 1 });
  observer = await scene.client();
  const typeId = await newType(stores, "crowded");
  for (let written = 0; written < WAITING; written += 1_000) {
    const tasks = Array.from({ length: 1_000 }, () => newTask({ typeId, due: { delayMs: 3_600_000 } }));
    await stores.tasks.create({ namespace: NAMESPACE, tasks });
  }
  await observer.query("VACUUM ANALYZE tickwheel.task");
  const holder = await scene.client();
  await holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await holder.query("SELECT count(*) FROM pg_class");
  const { rows } = await observer.query<{ names: string }>(
    `SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
      WHERE attrelid = 'tickwheel.task'::regclass AND attnum > 0 AND attname NOT IN ('id', 'due_at')`,
  );
  const { names } = rows[0]!;
  node = await joinNode(stores);
  await observer.query(
    `INSERT INTO tickwheel.task (id, due_at, ${names})
     SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now() - n * interval '10 milliseconds', ${names}
       FROM (SELECT * FROM tickwheel.task LIMIT 1) t CROSS JOIN generate_series(1, ${RUN_SINCE}) n`,
  );
  await observer.query(
    `UPDATE tickwheel.task SET state = 1, owner = $1, fence = 1, attempt = 1, started_at = now(), claimed_at = now()
      WHERE due_at < now()`,
    [node],
  );
  await observer.query("DELETE FROM tickwheel.task WHERE due_at < now()");
});
afterAll(() => scene?.stop());

test("a page of the newest tasks does not read what has run since a snapshot that somebody holds", async () => {
  const page = async (): Promise<void> => {
    expect((await stores.tasks.find({ namespace: NAMESPACE, limit: 50 })).tasks).toHaveLength(50);
  };
  for (let round = 0; round < BEFORE_KEPT; round++) await page();
  const cost = await costOf({ observer, stores }, page);
  expect(cost.scans).toBe(0);
  expect(cost.task).toBeLessThan(500);
});

test("the look for running tasks of dead nodes does not read what a live node has run since", async () => {
  const look = async (): Promise<void> => expect(await stores.tasks.deadOwners()).toEqual([]);
  for (let round = 0; round < BEFORE_KEPT; round++) await look();
  const cost = await costOf({ observer, stores }, look);
  expect(cost.scans).toBe(0);
  expect(cost.task).toBeLessThan(50);
});

test("a look for given tasks that run under a node does not read what the node has run since", async () => {
  const look = async (): Promise<void> =>
    expect(await stores.tasks.runningUnder(node, ["00000000-0000-7000-8000-000000000001"])).toEqual([]);
  for (let round = 0; round < BEFORE_KEPT; round++) await look();
  const cost = await costOf({ observer, stores }, look);
  expect(cost.scans).toBe(0);
  expect(cost.task).toBeLessThan(50);
});

test("a slice of the full sweep reads what has run of its own due times, and the rest before them nothing", async () => {
  const { rows } = await observer.query<{ now: number }>("SELECT (extract(epoch FROM now()) * 1000)::float8 AS now");
  const { now } = rows[0]!;
  const typeId = (await stores.tasks.listTypes())[0]!.id;
  const costOfSlice = async (notBefore: number | null, before: number): Promise<number> => {
    const scopes = [{ typeId, slots: SlotSet.all(), notBefore, before, after: null }];
    const look = async (): Promise<void> => {
      const { hints } = await stores.tasks.findDue({ scopes, stealAfterOverdueMs: 1_500, limitPerType: 100 });
      expect(hints).toEqual([]);
    };
    for (let round = 0; round < BEFORE_KEPT; round++) await look();
    const { scans, task } = await costOf({ observer, stores }, look);
    expect(scans).toBe(0);
    return task;
  };
  // A hundred tasks have run of each second.
  expect(await costOfSlice(now - 301_000, now - 300_000)).toBeLessThan(500);
  expect(await costOfSlice(null, now - 2 * RUN_SINCE * 10)).toBeLessThan(50);
});
