import assert from "node:assert/strict";
import { type ClaimedTask, jsonTextOf } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { killNode, refOf, type Scenario } from "../subject/scenario.js";

function stepOf(execution: ClaimedTask, result = "1") {
  return { ...refOf(execution), name: "pay", result };
}

function checkpointOf(scene: Scenario, execution: ClaimedTask) {
  return { ...refOf(execution), namespace: scene.namespace, state: jsonTextOf("mine") };
}

/** The first checkpoint of a task, in a handler's own transaction. */
function firstOf(execution: ClaimedTask, state = 1) {
  return { ...refOf(execution), before: null, state: jsonTextOf(state) };
}

async function stateOf({ subject }: Interleaving, taskId: string): Promise<string | null> {
  return (await subject.effects().readReport(taskId)).checkpoint?.state ?? null;
}

function found({ subject }: Interleaving, taskId: string) {
  return subject.transaction((within) => subject.effects().findStep({ taskId, name: "pay" }, within));
}

/** An execution whose node is now dead. */
async function orphan(scene: Scenario): Promise<ClaimedTask> {
  const execution = await scene.running({}, await scene.join());
  await killNode(scene.subject, execution.owner);
  return execution;
}

/** What handlers leave behind, against statements that end their execution. */
export const interleavedEffectCases: InterleavingCase[] = [
  {
    name: "a step that waits for the reap of its task is refused",
    run: Interleaving.of(async (order, scene) => {
      const execution = await orphan(scene);
      const open = await order.holdWrites(execution.id);
      const reaping = await order.waits(() => scene.reap(execution.owner));
      const storing = await order.waitsWithin((within) => order.subject.effects().storeStep(stepOf(execution), within));
      await open();
      assert.equal((await reaping.reply).length, 1);
      assert.equal(await storing.reply, "stale");
      assert.deepEqual(await found(order, execution.id), { stored: null, count: 0 });
    }),
  },
  {
    name: "a reap leaves out a task whose step is about to be committed, and the next execution finds that step",
    run: Interleaving.of(async (order, scene) => {
      const execution = await orphan(scene);
      const effects = order.subject.effects();
      const storing = await order.begin((within) => effects.storeStep(stepOf(execution), within));
      assert.equal(storing.result, "stored");
      assert.deepEqual(await order.passes(() => scene.reap(execution.owner)), []);
      await storing.commit();
      assert.equal((await scene.reap(execution.owner)).length, 1);
      await scene.reclaim(execution.id);
      assert.deepEqual(await found(order, execution.id), { stored: { result: "1" }, count: 1 });
    }),
  },
  {
    name: "a failure waits for a step of its execution that is about to be committed",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const storing = await order.begin((within) => order.subject.effects().storeStep(stepOf(execution), within));
      const failing = await order.waits(() => order.settle(order.failure(execution)));
      await storing.commit();
      assert.equal((await failing.reply)?.state, "scheduled");
      assert.deepEqual(await found(order, execution.id), { stored: { result: "1" }, count: 1 });
    }),
  },
  {
    name: "a cancel waits for a step that is about to be committed, and both count",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const storing = await order.begin((within) => order.subject.effects().storeStep(stepOf(execution), within));
      const cancelling = await order.waits(() => scene.cancel(execution.id));
      await storing.commit();
      assert.equal((await cancelling.reply).outcome, "cancel_requested");
      assert.deepEqual(await found(order, execution.id), { stored: { result: "1" }, count: 1 });
    }),
  },
  {
    name: "a step that waits for another try of the same step finds it stored",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const effects = order.subject.effects();
      const first = await order.begin((within) => effects.storeStep(stepOf(execution), within));
      const second = await order.waitsWithin((within) => effects.storeStep(stepOf(execution, "2"), within));
      await first.commit();
      assert.deepEqual([first.result, await second.reply], ["stored", "present"]);
      assert.deepEqual(await found(order, execution.id), { stored: { result: "1" }, count: 1 });
    }),
  },
  {
    name: "a step of an execution that failed and was retried from dead is refused after its wait",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      await scene.bury(execution);
      const { namespace } = scene;
      const retrying = await order.begin((within) =>
        scene.store.retry({ namespace, id: execution.id, actor: "operator" }, within),
      );
      const effects = order.subject.effects();
      const early = await scene.subject.transaction((within) => effects.storeStep(stepOf(execution), within));
      await retrying.commit();
      const next = await scene.reclaim(execution.id);
      const late = await scene.subject.transaction((within) => effects.storeStep(stepOf(execution), within));
      assert.deepEqual([early, late, next.fence > execution.fence], ["stale", "stale", true]);
      assert.deepEqual(await found(order, execution.id), { stored: null, count: 0 });
    }),
  },
  {
    name: "a checkpoint that waits for the end of its execution is refused",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const completion = { ...refOf(execution), startedAt: scene.now(), result: null };
      const completing = await order.begin((within) => scene.store.completeWithin(completion, within));
      const saving = await order.waits(() => order.subject.effects().saveCheckpoint(checkpointOf(scene, execution)));
      await completing.commit();
      assert.deepEqual([completing.result !== null, await saving.reply], [true, false]);
      assert.deepEqual((await order.subject.effects().readReport(execution.id)).checkpoint, null);
    }),
  },
  {
    name: "a checkpoint that waits for somebody's transaction is stored once that is rolled back",
    run: Interleaving.of(async (order, scene) => {
      const { namespace } = scene;
      const execution = await scene.running();
      const target = { namespace, id: execution.id };
      const cancelling = await order.begin((within) => scene.store.cancel({ target, actor: "a" }, within));
      const saving = await order.waits(() => order.subject.effects().saveCheckpoint(checkpointOf(scene, execution)));
      await cancelling.rollBack();
      assert.equal(await saving.reply, true);
      assert.equal((await order.subject.effects().readReport(execution.id)).checkpoint?.state, '"mine"');
    }),
  },
  {
    name: "a checkpoint that waits for a cancel is stored, since the task is only asked to stop; the cancel wins at its end",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const target = { namespace: scene.namespace, id: execution.id };
      const save = () => order.subject.effects().saveCheckpoint(checkpointOf(scene, execution));
      const cancelling = await order.begin((within) => scene.store.cancel({ target, actor: "a" }, within));
      const saving = await order.waits(save);
      await cancelling.commit();
      assert.deepEqual([cancelling.result.outcome, await saving.reply], ["cancel_requested", true]);
      assert.equal((await order.settle(order.failure(execution)))?.state, "cancelled");
      assert.deepEqual([await save(), await stateOf(order, execution.id)], [false, '"mine"']);
    }),
  },
  {
    name: "a checkpoint that waits for the end of a cancelled execution is refused",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      assert.equal((await scene.cancel(execution.id)).outcome, "cancel_requested");
      const open = await order.holdWrites(execution.id);
      const failing = await order.waits(() => order.settle(order.failure(execution)));
      const saving = await order.waits(() => order.subject.effects().saveCheckpoint(checkpointOf(scene, execution)));
      await open();
      assert.deepEqual([(await failing.reply)?.state, await saving.reply], ["cancelled", false]);
      assert.equal(await stateOf(order, execution.id), null);
    }),
  },
  {
    name: "a cancel waits for a checkpoint that is about to be committed, and both count",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const effects = order.subject.effects();
      const storing = await order.begin((within) => effects.storeCheckpoint(firstOf(execution), within));
      const cancelling = await order.waits(() => scene.cancel(execution.id));
      const saving = await order.waits(() => effects.saveCheckpoint(checkpointOf(scene, execution)));
      await storing.commit();
      const { outcome } = await cancelling.reply;
      assert.deepEqual([storing.result, outcome, await saving.reply], ["stored", "cancel_requested", true]);
      assert.equal((await order.settle(order.failure(execution)))?.state, "cancelled");
      assert.deepEqual([await scene.state(execution.id), await stateOf(order, execution.id)], ["cancelled", '"mine"']);
    }),
  },
  {
    name: "a page that waits for the reap of its task is refused",
    run: Interleaving.of(async (order, scene) => {
      const execution = await orphan(scene);
      const effects = order.subject.effects();
      const open = await order.holdWrites(execution.id);
      const reaping = await order.waits(() => scene.reap(execution.owner));
      const storing = await order.waitsWithin((within) => effects.storeCheckpoint(firstOf(execution), within));
      await open();
      assert.equal((await reaping.reply).length, 1);
      assert.deepEqual([await storing.reply, await stateOf(order, execution.id)], ["stale", null]);
    }),
  },
  {
    name: "a failure waits for a page that is about to be committed, and the next execution begins behind it",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const effects = order.subject.effects();
      const storing = await order.begin((within) => effects.storeCheckpoint(firstOf(execution), within));
      const failing = await order.waits(() => order.settle(order.failure(execution)));
      await storing.commit();
      assert.equal((await failing.reply)?.state, "scheduled");
      assert.deepEqual([storing.result, await stateOf(order, execution.id)], ["stored", "1"]);
    }),
  },
  {
    name: "a page that waits for another try of the same page finds it done",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const effects = order.subject.effects();
      const first = await order.begin((within) => effects.storeCheckpoint(firstOf(execution), within));
      const second = await order.waitsWithin((within) => effects.storeCheckpoint(firstOf(execution, 2), within));
      await first.commit();
      assert.deepEqual([first.result, await second.reply], ["stored", "moved"]);
      assert.equal(await stateOf(order, execution.id), "1");
    }),
  },
];
