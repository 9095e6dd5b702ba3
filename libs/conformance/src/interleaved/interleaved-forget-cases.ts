import assert from "node:assert/strict";
import type { CallerTransaction, ForgetReply, ForgetRequest } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import type { Scenario } from "../subject/scenario.js";

type State = ForgetRequest["state"];

function forget({ store, type }: Scenario, state: State): Promise<ForgetReply> {
  return store.forgetEnded({ typeId: type.id, state, keptMs: 0, after: null, limit: 10 });
}

/** A task that has ended so some time ago. */
async function ended(scene: Scenario, state: State): Promise<string> {
  const execution = await scene.running();
  if (state === "cancelled") await scene.cancel(execution.id);
  if (state !== "succeeded") await scene.bury(execution);
  else await scene.succeed(execution);
  await scene.store.archive(100_000);
  await scene.advance(5);
  return execution.id;
}

function retryWithin({ namespace, store }: Scenario, id: string) {
  return (within: CallerTransaction) => store.retry({ namespace, id, actor: "operator" }, within);
}

function leavesRetried(state: State): InterleavingCase {
  return {
    name: `a deletion of old ends leaves a ${state} task that is being retried, and the task runs again`,
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, state);
      const retrying = await order.begin(retryWithin(scene, id));
      assert.equal((await order.passes(() => forget(scene, state))).forgotten, 0);
      await retrying.commit();
      await scene.reclaim(id);
    }),
  };
}

/** Deletions of what has ended, against retries of it and against each other. */
export const interleavedForgetCases: InterleavingCase[] = [
  leavesRetried("succeeded"),
  leavesRetried("cancelled"),
  leavesRetried("dead"),
  {
    name: "a deletion of old ends whose snapshot is older than the retry of a dead task leaves the task",
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, "dead");
      const open = await order.holdNextStatement();
      const late = await order.waits(() => forget(scene, "dead"));
      assert.equal((await order.passes(() => scene.retry(id))).outcome, "scheduled");
      await open();
      assert.equal((await late.reply).forgotten, 0);
      await scene.reclaim(id);
    }),
  },
  {
    name: "of two deletions of old ends at once one deletes the task, and the other waits for nobody",
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, "dead");
      const open = await order.holdNextStatement();
      const late = await order.waits(() => forget(scene, "dead"));
      assert.equal((await order.passes(() => forget(scene, "dead"))).forgotten, 1);
      await open();
      assert.equal((await late.reply).forgotten, 0);
      assert.equal(await scene.store.get(scene.namespace, id), null);
    }),
  },
];
