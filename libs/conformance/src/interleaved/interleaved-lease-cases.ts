import assert from "node:assert/strict";
import type { PulledTask } from "@tickwheel/core";
import { LeaseScene } from "../cluster/lease-scene.js";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { refOf, type Scenario } from "../subject/scenario.js";

/** A case about a pulled task whose lease is over. */
function ofLapsed(
  run: (order: Interleaving, leases: LeaseScene, task: PulledTask) => Promise<void>,
): InterleavingCase["run"] {
  return Interleaving.of(async (order: Interleaving, scene: Scenario) => {
    const leases = new LeaseScene(scene);
    const task = await leases.running();
    await leases.outlast();
    await run(order, leases, task);
  }, "pull");
}

async function endedIds(leases: LeaseScene): Promise<string[]> {
  return (await leases.end()).map(({ id }) => id);
}

/** The end of a lease against who has the task's row, or asks for it. */
export const interleavedLeaseCases: InterleavingCase[] = [
  ...(["commit", "rollBack"] as const).map((how) => ({
    name: `the end of a lease passes by a success in a transaction under way, and ${how === "commit" ? "finds nothing to end once that is committed" : "ends it once that is rolled back"}`,
    run: ofLapsed(async (order, leases, task) => {
      const { scene } = leases;
      const completion = { ...refOf(task), startedAt: scene.now(), result: null };
      const completing = await order.begin((within) => order.store.completeWithin(completion, within));
      assert.deepEqual(await order.passes(() => endedIds(leases)), []);
      assert.deepEqual(await leases.heldIds(), [task.id]);
      await completing[how]();
      assert.deepEqual(await endedIds(leases), how === "commit" ? [] : [task.id]);
      assert.equal(await scene.state(task.id), how === "commit" ? "succeeded" : "scheduled");
      assert.deepEqual(await leases.heldIds(), []);
    }),
  })),
  {
    name: "the end of a lease passes by a consumer's success under way",
    run: ofLapsed(async (order, leases, task) => {
      const open = await order.holdWrites(task.id);
      const settling = await order.waits(() => order.settle(order.success(task)));
      assert.deepEqual(await order.passes(() => endedIds(leases)), []);
      await open();
      assert.equal((await settling.reply)?.state, "succeeded");
      assert.deepEqual(await endedIds(leases), []);
      assert.deepEqual(await leases.heldIds(), []);
    }),
  },
  {
    name: "a success, a failure and a release that wait for the end of the lease change nothing",
    run: ofLapsed(async (order, leases, task) => {
      const open = await order.holdWrites(task.id);
      const ending = await order.waits(() => endedIds(leases));
      const settling = await order.waits(() => order.settle(order.success(task)));
      await open();
      assert.deepEqual(await ending.reply, [task.id]);
      assert.equal(await settling.reply, null);
      const [late] = await order.store.release([{ ...refOf(task), reason: "RELEASED" }]);
      assert.deepEqual([late, await order.settle(order.failure(task))], [null, null]);
      const { state, attempt, fence } = await leases.scene.get(task.id);
      assert.deepEqual([state, attempt, fence], ["scheduled", 1, 2]);
    }),
  },
  {
    name: "an extend that waits for the end of its lease has lost it",
    run: ofLapsed(async (order, leases, task) => {
      const open = await order.holdWrites(task.id);
      const ending = await order.waits(() => endedIds(leases));
      const extending = await order.waits(() => leases.extend(task));
      await open();
      assert.deepEqual(await ending.reply, [task.id]);
      assert.deepEqual(await extending.reply, { outcome: "lost" });
      assert.deepEqual(await leases.heldIds(), []);
    }),
  },
  {
    name: "the end of a lease passes by an extend under way, which keeps the task",
    run: ofLapsed(async (order, leases, task) => {
      const open = await order.holdClusterWrites({ lease: task.id });
      const extending = await order.waits(() => leases.extend(task));
      assert.deepEqual(await order.passes(() => endedIds(leases)), []);
      await open();
      assert.equal((await extending.reply).outcome, "extended");
      assert.deepEqual(await endedIds(leases), []);
      assert.deepEqual(await leases.heldIds(), [task.id]);
    }),
  },
  {
    name: "the end of a lease whose snapshot is older than an extend takes nothing",
    run: ofLapsed(async (order, leases, task) => {
      const open = await order.holdNextStatement();
      const ending = await order.waits(() => endedIds(leases));
      assert.equal((await order.passes(() => leases.extend(task))).outcome, "extended");
      await open();
      assert.deepEqual(await ending.reply, []);
      assert.deepEqual(await leases.heldIds(), [task.id]);
    }),
  },
  {
    name: "the end of a lease whose snapshot is older than the task's next pull takes nothing",
    run: ofLapsed(async (order, leases, task) => {
      const open = await order.holdNextStatement();
      const ending = await order.waits(() => endedIds(leases));
      assert.equal(await order.passes(() => leases.scene.fail(task)), "scheduled");
      const again = await order.passes(() => leases.repull(task.id));
      await open();
      assert.deepEqual(await ending.reply, []);
      assert.deepEqual(
        (await leases.held()).map(({ id, fence }) => [id, fence]),
        [[task.id, again.fence]],
      );
    }),
  },
  {
    name: "of two looks at once one ends the lease, and the other waits for nobody",
    run: ofLapsed(async (order, leases, task) => {
      const open = await order.holdWrites(task.id);
      const first = await order.waits(() => endedIds(leases));
      assert.deepEqual(await order.passes(() => endedIds(leases)), []);
      await open();
      assert.deepEqual(await first.reply, [task.id]);
      assert.deepEqual(await endedIds(leases), []);
    }),
  },
  {
    name: "an extend waits for a cancel of its task, and tells of it",
    run: ofLapsed(async (order, leases, task) => {
      const { namespace } = leases.scene;
      const target = { namespace, id: task.id };
      const cancelling = await order.begin((within) => order.store.cancel({ target, actor: "somebody" }, within));
      const extending = await order.waits(() => leases.extend(task));
      await cancelling.commit();
      assert.deepEqual(await extending.reply, { outcome: "cancel_requested" });
      assert.deepEqual(await endedIds(leases), [task.id]);
      assert.equal(await leases.scene.state(task.id), "cancelled");
    }),
  },
];
