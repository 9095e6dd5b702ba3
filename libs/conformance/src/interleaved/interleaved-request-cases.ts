import { jsonTextOf } from "@tickwheel/core";
import assert from "node:assert/strict";
import type { CallerTransaction, EditRequest, EpochMs } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { refOf, type Scenario } from "../subject/scenario.js";

const ENDINGS = [
  { ending: "commit", when: "is committed" },
  { ending: "rollBack", when: "is rolled back" },
] as const;

function editOf({ namespace }: Scenario, id: string, changes: EditRequest["changes"]): EditRequest {
  return { namespace, id, changes, actor: "editor" };
}

function cancelWithin({ namespace, store }: Scenario, id: string) {
  return (within: CallerTransaction) => store.cancel({ target: { namespace, id }, actor: "canceller" }, within);
}

/** Cancels several tasks by one request. Answers for each whether it was cancelled. */
async function cancelMany({ namespace, store }: Scenario, ...ids: string[]): Promise<boolean[]> {
  const replies = await store.cancelScheduled({ requests: ids.map((id) => ({ namespace, id, actor: "canceller" })) });
  return replies.map((task) => task !== null);
}

const cancelCases: InterleavingCase[] = [
  {
    name: "a cancel of many skips a row that an open transaction has changed, and cancels the rest",
    run: Interleaving.of(async (order, scene) => {
      const held = await scene.create();
      const free = await scene.create();
      const edit = editOf(scene, held.id, { priority: 1 });
      const editing = await order.begin((within) => scene.store.edit(edit, within));
      assert.deepEqual(await order.passes(() => cancelMany(scene, held.id, free.id)), [false, true]);
      await editing.commit();
      assert.deepEqual(await cancelMany(scene, held.id, free.id), [true, false]);
    }),
  },
  {
    name: "a cancel of many whose snapshot is older than a claim leaves the claimed tasks",
    run: Interleaving.of(async (order, scene) => {
      const claimed = await scene.create();
      const left = await scene.create();
      const open = await order.holdNextStatement();
      const late = await order.waits(() => cancelMany(scene, claimed.id, left.id));
      const execution = await order.passes(() => scene.reclaim(claimed.id));
      await open();
      assert.deepEqual(await late.reply, [false, true]);
      assert.deepEqual((await scene.store.verifyStart([execution])).length, 1);
    }),
  },
  {
    name: "a claim skips a row that a cancel of many is about to write, and later finds it cancelled",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      const open = await order.holdWrites(id);
      const cancelling = await order.waits(() => cancelMany(scene, id));
      assert.deepEqual(await order.passes(() => scene.claim([id])), []);
      await open();
      assert.deepEqual(await cancelling.reply, [true]);
      assert.deepEqual(await scene.claim([id]), []);
    }),
  },
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `a cancel waits for the transaction that edits its task, and answers with the task as it is when that ${when}`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ payload: "as created" });
      const edit = editOf(scene, id, { payload: jsonTextOf("edited") });
      const editing = await order.begin((within) => scene.store.edit(edit, within));
      const cancelling = await order.waitsWithin(cancelWithin(scene, id));
      await editing[ending]();
      const reply = await cancelling.reply;
      const [payload, version] = ending === "commit" ? ["edited", 3] : ["as created", 2];
      assert.ok("task" in reply);
      assert.deepEqual(
        [reply.outcome, reply.task.payload, reply.task.version],
        ["cancelled", jsonTextOf(payload), version],
      );
    }),
  })),
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `a cancel that waits for another cancel leaves one canceller when that ${when}`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      const target = { namespace: scene.namespace, id };
      const first = await order.begin((within) => scene.store.cancel({ target, actor: "first" }, within));
      const second = await order.waitsWithin(cancelWithin(scene, id));
      await first[ending]();
      assert.equal((await second.reply).outcome, "cancelled");
      assert.equal((await scene.get(id)).cancelledBy, ending === "commit" ? "first" : "canceller");
    }),
  })),
  {
    name: "a cancel that waits for a claim asks the execution to stop",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.reclaim(id));
      const cancelling = await order.waitsWithin(cancelWithin(scene, id));
      await open();
      const execution = await claiming.reply;
      assert.equal((await cancelling.reply).outcome, "cancel_requested");
      assert.equal(await scene.state(id), "running");
      assert.deepEqual(await scene.store.verifyStart([execution]), []);
    }),
  },
  {
    name: "a cancel by key that waits while the next cycle takes the key cancels the next cycle, and leaves the execution alone",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store, type } = scene;
      const execution = await scene.running({ key: "k" });
      const task = scene.newTask({ key: "k", onConflict: "refresh" });
      const refreshing = await order.begin((within) => store.create({ namespace, tasks: [task] }, within));
      const target = { namespace, type: type.type, key: "k" };
      const cancelling = await order.waitsWithin((within) => store.cancel({ target, actor: "canceller" }, within));
      await refreshing.commit();
      const reply = await cancelling.reply;
      assert.deepEqual([reply.outcome, "task" in reply && reply.task.id], ["cancelled", task.id]);
      const ref = refOf(execution);
      assert.deepEqual(await store.verifyStart([ref]), [ref]);
    }),
  },
];

const editCases: InterleavingCase[] = [
  {
    name: "an edit that waits while its task is claimed is refused",
    run: Interleaving.of(async (order, scene) => {
      const { id, dueAt } = await scene.create();
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.reclaim(id));
      const edit = editOf(scene, id, { due: { delayMs: 60_000 } });
      const editing = await order.waitsWithin((within) => scene.store.edit(edit, within));
      await open();
      await claiming.reply;
      const reply = await editing.reply;
      assert.ok("task" in reply);
      assert.deepEqual([reply.outcome, reply.task.state], ["state_conflict", "running"]);
      const task = await scene.get(id);
      assert.deepEqual([task.state, task.dueAt, task.version], ["running", dueAt, 1]);
    }),
  },
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `an edit of a version that waits for another edit ${ending === "commit" ? "is refused" : "counts"} when that ${when}`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create();
      const { store } = scene;
      const first = await order.begin((within) => store.edit(editOf(scene, id, { priority: 1 }), within));
      const edit = { ...editOf(scene, id, { priority: 9 }), expectedVersion: 1 };
      const second = await order.waitsWithin((within) => store.edit(edit, within));
      await first[ending]();
      const [outcome, priority] = ending === "commit" ? ["version_mismatch", 1] : ["changed", 9];
      assert.equal((await second.reply).outcome, outcome);
      const task = await scene.get(id);
      assert.deepEqual([task.priority, task.version], [priority, 2]);
    }),
  })),
];

/** How long a caller's transaction has been open when it writes, in milliseconds. */
const OPEN_FOR_MS = 500;
const DELAY_MS = 60_000;

/** Asserts that a delay was counted from an instant between two readings of the clock. */
function assertCounted(dueAt: EpochMs, from: EpochMs, to: EpochMs): void {
  const countedFrom = dueAt - DELAY_MS;
  assert.ok(countedFrom >= from && countedFrom <= to, `counted from ${countedFrom}, between ${from} and ${to}`);
}

/** Cases by the server's own clock. */
const clockCases: InterleavingCase[] = [
  {
    name: "in a caller's transaction that has been open for long, a delay counts from its statement, not from the transaction's beginning",
    run: Interleaving.of(async (order, scene) => {
      const { namespace } = scene;
      const store = order.subject.liveStore();
      const due = { delayMs: DELAY_MS };
      const edited = await scene.create();
      const refreshed = await scene.create({ key: "refreshed", due });
      const unkeyed = scene.newTask({ due });
      const keyed = scene.newTask({ due, key: "created" });
      const refresh = scene.newTask({ due, key: "refreshed", onConflict: "refresh" });
      const begun = await store.now();
      await order.subject.transaction(async (within) => {
        await store.create({ namespace, tasks: [scene.newTask()] }, within);
        await order.subject.elapse(OPEN_FOR_MS);
        const before = await store.now();
        assert.ok(before >= begun + OPEN_FOR_MS, "time went by");
        for (const task of [unkeyed, keyed, refresh]) await store.create({ namespace, tasks: [task] }, within);
        await store.edit(editOf(scene, edited.id, { due }), within);
        const after = await store.now();
        for (const { id } of [unkeyed, keyed, refreshed, edited]) {
          assertCounted((await store.get(namespace, id, { within }))!.dueAt, before, after);
        }
      });
    }),
  },
  {
    name: "the delay of an edit counts from the end of its wait",
    run: Interleaving.of(async (order, scene) => {
      const store = order.subject.liveStore();
      const { id } = await scene.create();
      const holding = await order.begin((within) => store.edit(editOf(scene, id, { priority: 1 }), within));
      const edit = editOf(scene, id, { due: { delayMs: DELAY_MS } });
      const editing = await order.waitsWithin((within) => store.edit(edit, within));
      await order.subject.elapse(OPEN_FOR_MS);
      const waited = await store.now();
      await holding.commit();
      const reply = await editing.reply;
      assert.ok("task" in reply && reply.outcome === "changed");
      assertCounted(reply.task.dueAt, waited, await store.now());
    }),
  },
];

export const interleavedRequestCases: InterleavingCase[] = [...cancelCases, ...editCases, ...clockCases];
