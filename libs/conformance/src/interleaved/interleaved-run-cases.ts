import assert from "node:assert/strict";
import type { CallerTransaction, CreateReply, ExecutionRef, NewTask } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { refOf, type Scenario } from "../subject/scenario.js";

const LATER_MS = 60_000;
const ITEMS = 4;

/** Tasks of one key with one policy, each due a little later than the one before. */
function runOf(scene: Scenario, onConflict: "refresh" | "replace"): NewTask[] {
  return Array.from({ length: ITEMS }, (_, place) =>
    scene.newTask({ key: "k", onConflict, due: { delayMs: LATER_MS + place }, actor: `a${place}` }),
  );
}

function createWithin({ namespace, store }: Scenario, tasks: readonly NewTask[]) {
  return (within: CallerTransaction) => store.create({ namespace, tasks }, within);
}

function cancelWithin({ namespace, store }: Scenario, id: string) {
  return (within: CallerTransaction) => store.cancel({ target: { namespace, id }, actor: "somebody" }, within);
}

/** The outcomes of a request, and the executions that it has asked to stop. */
function told(reply: CreateReply): [string[], ExecutionRef[]] {
  assert.equal(reply.kind, "written");
  const results = reply.kind === "written" ? reply.results : [];
  const interrupted = results.flatMap((result) => ("task" in result && result.interrupted ? [result.interrupted] : []));
  return [results.map(({ outcome }) => outcome), interrupted];
}

async function assertHolder(scene: Scenario, { id, version }: { id: string; version: number }): Promise<void> {
  const holder = await scene.holder("k");
  assert.deepEqual([holder?.id, holder?.state, holder?.version], [id, "scheduled", version]);
  assert.equal(holder?.dueAt, scene.now() + LATER_MS + ITEMS - 1);
}

/** Asserts that all tasks of a run but the last have ended, each cancelled by the actor of the next. */
async function assertReplaced(scene: Scenario, run: readonly NewTask[]): Promise<void> {
  for (const [place, { id }] of run.slice(0, -1).entries()) {
    const { state, reason, keyLive, cancelledBy } = await scene.get(id);
    assert.deepEqual([state, reason, keyLive, cancelledBy], ["cancelled", "REPLACED", false, `a${place + 1}`]);
  }
}

const [FIRST_CREATED, FIRST_REPLACED] = ["created", "replaced"].map((first) => [
  first,
  ...Array.from({ length: ITEMS - 1 }, () => "replaced"),
]);

/** Many tasks of one key in one request, against a holder that changes while they wait for it. */
export const interleavedRunCases: InterleavingCase[] = [
  {
    name: "replacements in one request that wait while their holder is claimed ask it once to stop, and the last one takes the key",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k" });
      const run = runOf(scene, "replace");
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.reclaim(id));
      const replacing = await order.waitsWithin(createWithin(scene, run));
      await open();
      const execution = await claiming.reply;
      assert.deepEqual(told(await replacing.reply), [FIRST_REPLACED, [refOf(execution)]]);
      await assertHolder(scene, { id: run.at(-1)!.id, version: 1 });
      await assertReplaced(scene, run);
      assert.equal(await scene.fail(execution), "cancelled");
      assert.equal((await scene.get(id)).cancelledBy, "a0");
    }),
  },
  ...(["commit", "rollBack"] as const).map((ending): InterleavingCase => ({
    name: `replacements in one request that wait while their holder is cancelled find it ${ending === "commit" ? "gone when that is committed" : "waiting when that is rolled back"}`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k" });
      const run = runOf(scene, "replace");
      const cancelling = await order.begin(cancelWithin(scene, id));
      const replacing = await order.waitsWithin(createWithin(scene, run));
      await cancelling[ending]();
      assert.deepEqual(told(await replacing.reply), [ending === "commit" ? FIRST_CREATED : FIRST_REPLACED, []]);
      await assertHolder(scene, { id: run.at(-1)!.id, version: 1 });
      await assertReplaced(scene, run);
      const { state, cancelledBy } = await scene.get(id);
      assert.deepEqual([state, cancelledBy], ["cancelled", ending === "commit" ? "somebody" : "a0"]);
    }),
  })),
  {
    name: "refreshes in one request that wait while their holder is claimed become the next cycle and one change of it",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k" });
      const run = runOf(scene, "refresh");
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.reclaim(id));
      const refreshing = await order.waitsWithin(createWithin(scene, run));
      await open();
      const execution = await claiming.reply;
      assert.deepEqual(told(await refreshing.reply), [["created", "refreshed", "refreshed", "refreshed"], []]);
      await assertHolder(scene, { id: run[0]!.id, version: 2 });
      await scene.succeed(execution);
    }),
  },
  ...(["commit", "rollBack"] as const).map((ending): InterleavingCase => ({
    name: `refreshes in one request that wait while their holder is cancelled ${ending === "commit" ? "are a new task when that is committed" : "move it when that is rolled back"}`,
    run: Interleaving.of(async (order, scene) => {
      const held = { key: "k", due: { delayMs: LATER_MS / 2 } };
      const { id } = await scene.create(held);
      const run = runOf(scene, "refresh");
      const cancelling = await order.begin(cancelWithin(scene, id));
      const refreshing = await order.waitsWithin(createWithin(scene, run));
      await cancelling[ending]();
      const [outcomes] = told(await refreshing.reply);
      const isGone = ending === "commit";
      assert.deepEqual(outcomes, [isGone ? "created" : "refreshed", "refreshed", "refreshed", "refreshed"]);
      await assertHolder(scene, isGone ? { id: run[0]!.id, version: 2 } : { id, version: 3 });
    }),
  })),
  {
    name: "replacements in one request whose snapshot is older than their holder's claim ask it to stop",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k" });
      const run = runOf(scene, "replace");
      const open = await order.holdNextStatement();
      const replacing = await order.waitsWithin(createWithin(scene, run));
      const execution = await order.passes(() => scene.reclaim(id));
      await open();
      assert.deepEqual(told(await replacing.reply), [FIRST_REPLACED, [refOf(execution)]]);
      await assertHolder(scene, { id: run.at(-1)!.id, version: 1 });
      await assertReplaced(scene, run);
    }),
  },
];
