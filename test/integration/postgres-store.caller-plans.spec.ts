import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { CallerTransaction } from "@tickwheel/core";
import type { PostgresStores } from "@tickwheel/postgres-store";
import type { Client } from "pg";
import { eventually } from "../support/eventually.js";
import { type Cost, costOf, fillHistory } from "./postgres-store.cost.js";
import { joinNode, NAMESPACE, newTask, newType, Scene, SlotSet } from "./postgres-store.scene.js";

const CROWD = 20_000;
const TYPE = "crowded";
/** The server plans a statement anew this often before it may keep a plan. */
const BEFORE_KEPT = 7;
const HOUR_MS = 3_600_000;

let scene: Scene;
let stores: PostgresStores;
let observer: Client;
let typeId: number;

beforeAll(async () => {
  scene = await Scene.start({ autovacuum: false });
  stores = scene.open({ size: 1 });
  observer = await scene.client();
  typeId = await newType(stores, TYPE);
});
afterAll(() => scene?.stop());

const keyed = (key: string) => newTask({ typeId, type: TYPE, key, due: { delayMs: HOUR_MS } });
const holder = (key: string) => ({ namespace: NAMESPACE, type: TYPE, key });
const actor = "somebody";

async function crowd(): Promise<void> {
  for (let written = 0; written < CROWD; written += 5_000) {
    const tasks = Array.from({ length: 5_000 }, (_, index) => keyed(`k${written + index}`));
    await stores.tasks.create({ namespace: NAMESPACE, tasks });
  }
}

/** An application's own transaction. */
async function within(caller: Client, work: (transaction: CallerTransaction) => Promise<unknown>): Promise<void> {
  await caller.query("BEGIN");
  await work(caller as never);
  await caller.query("COMMIT");
}

async function claimed() {
  const task = newTask({ typeId });
  await stores.tasks.create({ namespace: NAMESPACE, tasks: [task] });
  const owner = await joinNode(stores);
  const reply = await stores.tasks.claim({ owner, ids: [task.id], claimAheadMs: 5 });
  return reply.tasks[0]!;
}

describe("after a table was drained, vacuumed and filled again", () => {
  /**
   * Every statement that looks for tasks by id or by key, on any connection. The tasks do not exist, so an empty table
   * stays empty.
   */
  async function look(id: string, key: string, transaction?: CallerTransaction): Promise<void> {
    const { tasks } = stores;
    await tasks.cancel({ target: holder(key), actor }, transaction);
    await tasks.cancel({ target: { namespace: NAMESPACE, id }, actor }, transaction);
    await tasks.edit({ namespace: NAMESPACE, id, changes: { priority: 1 }, actor }, transaction);
    await tasks.retry({ namespace: NAMESPACE, id, actor }, transaction);
    await tasks.get(NAMESPACE, id, { within: transaction });
    await tasks.find({ namespace: NAMESPACE, key, live: true, limit: 5 }, transaction);
    if (!transaction) return;
    await tasks.beginWithin({ id, owner: "1", fence: 1, timeoutMs: 1_000 }, transaction);
    await tasks.completeWithin({ id, owner: "1", fence: 1, startedAt: 0, result: null }, transaction);
  }

  /** The hot statements of a node. */
  async function fire(id: string, owner: string): Promise<void> {
    const { tasks } = stores;
    await tasks.claim({ owner, ids: [id], claimAheadMs: 5 });
    await tasks.verifyStart([{ id, owner, fence: 1 }]);
    await tasks.settle([{ id, owner, fence: 1, kind: "succeeded", startedAt: 0, result: null }]);
    await tasks.settle([{ id, owner, fence: 1, kind: "retry", startedAt: 0, delayMs: 0, error: "no" }]);
    await tasks.cancelScheduled({ requests: [{ namespace: NAMESPACE, id, actor }] });
    await tasks.cancelBriefly({ requests: [{ namespace: NAMESPACE, id, actor }] });
    await tasks.expire({ typeIds: [typeId], limit: 10 });
    const scope = { typeId, slots: SlotSet.all(), notBefore: null, after: null };
    await tasks.findDue({ scopes: [scope], stealAfterOverdueMs: 1_500, limitPerType: 10 });
  }

  test("no plan made for an empty table is kept once it is filled again, neither by the node nor in a caller's session", async () => {
    await observer.query("VACUUM ANALYZE tickwheel.task, tickwheel.history, tickwheel.journal");
    const caller = await scene.client();
    const owner = await joinNode(stores);
    const absent = newTask({ typeId }).id;
    for (let round = 0; round < BEFORE_KEPT; round++) {
      await within(caller, (transaction) => look(absent, "nobody's", transaction));
      await look(absent, "nobody's");
      await fire(absent, owner);
    }
    await fillHistory(observer, { typeId, rows: CROWD });
    await crowd();
    await eventually(async () => {
      const ofNode = await costOf({ observer, stores }, async () => {
        await look(absent, "k1");
        await fire(absent, owner);
      });
      const ofCaller = await costOf({ observer, stores, caller }, () =>
        within(caller, (transaction) => look(absent, "k2", transaction)),
      );
      for (const cost of [ofNode, ofCaller]) {
        expect(cost.scans).toBe(0);
        // One read of the whole table, or of its index of ids, by any of these statements would be more than this.
        expect(cost.task).toBeLessThan(150);
      }
    });
  });
});

describe.each(["auto", "force_generic_plan"])("in a caller's transaction, with plan_cache_mode = %s", (mode) => {
  let caller: Client;
  let next = 0;
  const free = (): string => `${mode}-${next++}`;

  beforeAll(async () => {
    await observer.query("VACUUM ANALYZE tickwheel.task, tickwheel.history, tickwheel.journal");
    caller = await scene.client();
    await caller.query(`SET plan_cache_mode = ${mode}`);
  });

  /** Runs it as the eighth of its kind in this session, so by a kept plan if there is one. */
  async function keptCostOf(work: (transaction: CallerTransaction) => Promise<unknown>): Promise<Cost> {
    for (let round = 0; round < BEFORE_KEPT; round++) await within(caller, work);
    return costOf({ observer, stores, caller }, () => within(caller, work));
  }

  const write = (tasks: ReturnType<typeof newTask>[], transaction: CallerTransaction) =>
    stores.tasks.create({ namespace: NAMESPACE, tasks }, transaction);

  test.each<[string, (transaction: CallerTransaction) => Promise<unknown>]>([
    ["a create", (transaction) => write([newTask({ typeId, due: { delayMs: HOUR_MS } })], transaction)],
    ["a create with a free key", (transaction) => write([keyed(free())], transaction)],
    ["a create whose key is held", (transaction) => write([keyed("k3")], transaction)],
    ["a refresh", (transaction) => write([{ ...keyed("k4"), onConflict: "refresh" }], transaction)],
    ["a merge", (transaction) => write([{ ...keyed("k6"), onConflict: "merge" }], transaction)],
    [
      "a merge whose key is free",
      (transaction) => write([{ ...keyed(free()), onConflict: "merge", maxWaitMs: HOUR_MS }], transaction),
    ],
    ["a replacement", (transaction) => write([{ ...keyed("k5"), onConflict: "replace" }], transaction)],
    [
      "a cancel by key",
      async (transaction) => {
        const key = free();
        await write([keyed(key)], transaction);
        const reply = await stores.tasks.cancel({ target: holder(key), actor }, transaction);
        expect(reply.outcome).toBe("cancelled");
      },
    ],
    [
      "a cancel by a key that nobody holds",
      async (transaction) => {
        const reply = await stores.tasks.cancel({ target: holder("nobody's"), actor }, transaction);
        expect(reply.outcome).toBe("not_found");
      },
    ],
    [
      "a look for who holds a key",
      async (transaction) => {
        const filter = { namespace: NAMESPACE, key: "k6", live: true, limit: 10 };
        expect((await stores.tasks.find(filter, transaction)).tasks).toHaveLength(1);
      },
    ],
  ])("%s in a caller's transaction finds its rows by index and touches nothing of history", async (_name, work) => {
    const cost = await keptCostOf(work);
    expect(cost.history).toEqual({});
    expect(cost.scans).toBe(0);
    expect(cost.task).toBeLessThan(120);
  });

  test("a look-up, an edit and a retry by id find their rows by index, in the live table and in history", async () => {
    const { id: finished } = (await stores.tasks.find({ namespace: NAMESPACE, key: "h7", limit: 1 })).tasks[0]!;
    const waiting = (await stores.tasks.find({ namespace: NAMESPACE, key: "k8", limit: 1 })).tasks[0]!;
    const cost = await keptCostOf(async (transaction) => {
      expect(await stores.tasks.get(NAMESPACE, finished, { within: transaction })).not.toBeNull();
      expect(await stores.tasks.get(NAMESPACE, waiting.id, { within: transaction })).not.toBeNull();
      await stores.tasks.edit({ namespace: NAMESPACE, id: waiting.id, changes: { priority: 1 }, actor }, transaction);
      await stores.tasks.retry({ namespace: NAMESPACE, id: waiting.id, actor }, transaction);
    });
    expect(cost.scans).toBe(0);
    expect(cost.task).toBeLessThan(150);
    for (const blocks of Object.values(cost.history)) expect(blocks).toBeLessThan(60);
  });

  test("a handler's completion finds its row by index", async () => {
    const complete = async (transaction: CallerTransaction): Promise<void> => {
      const task = await claimed();
      await stores.tasks.beginWithin(task, transaction);
      const completion = { ...task, startedAt: task.claimedAt, result: null };
      expect(await stores.tasks.completeWithin(completion, transaction)).not.toBeNull();
    };
    const cost = await keptCostOf(complete);
    expect(cost.scans).toBe(0);
    expect(cost.task).toBeLessThan(150);
  });
});
