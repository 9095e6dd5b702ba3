import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  MAX_LOOKED_AT_FAILING,
  SystemClock,
  TASK_TABS,
  type TaskFilter,
  type TaskPage,
  type TaskTab,
} from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { type Cost, costOf, fillHistory } from "./postgres-store.cost.js";
import { joinNode, NAMESPACE, newType, Scene } from "./postgres-store.scene.js";
import { SIZE } from "./postgres-store.tab-plans.size.js";

const TYPES = 20;
const RUNNING = 100;
/** One task in so many is paused, has died, is overdue. */
const EACH = 50;
/** One scheduled task in so many is failing. */
const EACH_FAILING = 500;
/** Blocks of 8 kB that a first page of 50 tasks may read: its rows, 51 entries for each type, and the way to them. */
const PAGE_BLOCKS = 1_000;
/** The same where a filter leaves out almost all, and the budget of the list is used up after its first look. */
const LOOK_BLOCKS = 4_000;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;

beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false, max_wal_size: "4GB" });
  stores = scene.open({ size: 1, clock: new HastyClock(), asOf: () => Date.now() });
  observer = await scene.client();
  const typeIds: number[] = [];
  for (let type = 0; type < TYPES; type++) typeIds.push(await newType(stores, `type${type}`));
  await fillHistory(observer, { typeId: typeIds[0]!, rareTypeId: typeIds[1], rows: SIZE.finished, rare: 100 });
  await fillTasks(typeIds[0]!, await joinNode(stores));
  await observer.query("VACUUM ANALYZE tickwheel.task, tickwheel.history");
});
afterAll(() => scene?.stop());

/** Tasks of all states of the live table, each tenth of the first type but one, the rest of the first. */
async function fillTasks(typeId: number, owner: string): Promise<void> {
  const state = `CASE WHEN n <= ${RUNNING} THEN 1 WHEN n % ${EACH} = 0 THEN -1 WHEN n % ${EACH} = 1 THEN 3 ELSE 0 END`;
  const due = `now() + (CASE WHEN n % ${EACH} = 2 THEN -1 ELSE n END) * interval '1 second' - interval '1 second' * (n % 7)`;
  await observer.query(
    `INSERT INTO tickwheel.task (id, scheduled_at, due_at, created_at, claimed_at, finished_at, owner, timeout_ms, type_id, max_attempts,
            slot, state, priority, key_live, attempt, last_error, created_by, payload, paused_at)
     SELECT (lpad(to_hex(1700000000000 + n), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8' || lpad(to_hex(n), 15, '0'))::uuid,
            at, at, now(), CASE WHEN s = 1 THEN now() - n * interval '1 second' END,
            CASE WHEN s = 3 THEN now() - n * interval '1 millisecond' END, CASE WHEN s = 1 THEN ${owner} END, 60000,
            ${typeId} + CASE WHEN n % 10 = 0 THEN n % ${TYPES} ELSE 0 END, 3, n % 4096, s, 5, false,
            (n % ${EACH_FAILING} = 3 OR s = 3)::int, CASE WHEN n % ${EACH_FAILING} = 3 OR s = 3 THEN 'HttpError 503: busy' END,
            'filler', '{}', CASE WHEN s = -1 THEN now() END
       FROM generate_series(1, ${SIZE.pending}) AS n CROSS JOIN LATERAL (SELECT ${state} AS s, ${due} AS at) a`,
  );
}

const find = (filter: Partial<TaskFilter>): Promise<TaskPage> =>
  stores.tasks.find({ namespace: NAMESPACE, limit: 50, ...filter });
const blocksOf = ({ task, history }: Cost): number =>
  Object.values(history).reduce((sum, blocks) => sum + blocks, task);

describe.each(TASK_TABS)("the tab %s", (tab: TaskTab) => {
  test("a tab of tasks has a first page, and one behind it, that cost their own rows", async () => {
    let after: string | undefined;
    for (let page = 0; page < 2; page++) {
      const cost = await costOf({ observer, stores }, async () => {
        const { tasks, next, incomplete } = await find({ tab, after });
        expect([tab, tasks.length]).toEqual([tab, tab === "failing" && incomplete ? tasks.length : 50]);
        after = next ?? undefined;
      });
      expect(cost.scans).toBe(0);
      expect(blocksOf(cost)).toBeLessThan(tab === "failing" ? LOOK_BLOCKS : PAGE_BLOCKS);
    }
  });

  test.each<[string, Partial<TaskFilter>]>([
    ["rare type", { type: "type7" }],
    ["key that nobody has", { key: "nobody's" }],
    ["tag that nobody has", { tag: "nobody's" }],
    ["node that ran nothing", { node: "10.0.0.9:9" }],
    ["text that no error contains", { error: "no such text" }],
    ["stretch of time without tasks", { createdTo: 1, dueTo: 1 }],
  ])("a tab of tasks filtered by a %s ends within the budget", async (_name, filter) => {
    const cost = await costOf({ observer, stores }, () => find({ tab, ...filter }));
    expect(cost.scans).toBe(0);
    expect(blocksOf(cost)).toBeLessThan(LOOK_BLOCKS);
  });

  test("a tab of tasks reads history only where its tasks are", async () => {
    const { history } = await costOf({ observer, stores }, () => find({ tab }));
    if (tab !== "finished") expect(history).toEqual({});
  });
});

test("the counts of tabs read no history, and no more rows than they may look at", async () => {
  const cost = await costOf({ observer, stores }, async () => {
    const { counts } = await stores.figures.tabs(NAMESPACE);
    expect(counts.running).toEqual({ count: RUNNING, isAtLeast: false });
  });
  expect([cost.history, cost.scans]).toEqual([{}, 0]);
  // The rows looked at for failing ones, and the indexes of what is counted.
  expect(cost.task).toBeLessThan(2 * MAX_LOOKED_AT_FAILING + 10_000);
});

/** A clock by which the budget of a list is used up after its first look. */
class HastyClock extends SystemClock {
  private readMs = 0;

  override monotonicMs(): number {
    return (this.readMs += 200);
  }
}
