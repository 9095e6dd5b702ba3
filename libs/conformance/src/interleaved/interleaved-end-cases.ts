import assert from "node:assert/strict";
import { type BootId, type ClaimedTask, type ExecutionRef, RowsLockedError, type Settlement } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { killNode, refOf, type Scenario } from "../subject/scenario.js";

async function reap(scene: Scenario, owner: BootId): Promise<string[]> {
  return (await scene.reap(owner)).map(({ hint }) => hint.id);
}

/** An execution whose node is now dead. */
async function orphan(scene: Scenario) {
  const execution = await scene.running({}, await scene.join());
  await killNode(scene.subject, execution.owner);
  return execution;
}

/** The ways to settle, which are two statements. */
const SETTLEMENTS: { name: string; of: (order: Interleaving, execution: ExecutionRef) => Settlement }[] = [
  { name: "success", of: (order, execution) => order.success(execution) },
  { name: "failure", of: (order, execution) => order.failure(execution) },
  { name: "snooze", of: (order, execution) => order.snooze(execution) },
];

/** Settlements against statements that end their execution. */
const staleCases: InterleavingCase[] = SETTLEMENTS.flatMap(({ name, of }): InterleavingCase[] => [
  {
    name: `a ${name} that waits for the reap of its task changes nothing`,
    run: Interleaving.of(async (order, scene) => {
      const execution = await orphan(scene);
      const open = await order.holdWrites(execution.id);
      const reaping = await order.waits(() => reap(scene, execution.owner));
      const settling = await order.waits(() => order.settle(of(order, execution)));
      await open();
      assert.deepEqual(await reaping.reply, [execution.id]);
      assert.equal(await settling.reply, null);
      const task = await scene.get(execution.id);
      assert.deepEqual([task.state, task.fence, task.crashCount], ["scheduled", 2, 1]);
    }),
  },
  {
    name: `a ${name} whose snapshot is older than the reap of its task and the next claim changes nothing`,
    run: Interleaving.of(async (order, scene) => {
      const execution = await orphan(scene);
      const open = await order.holdNextStatement();
      const late = await order.waits(() => order.settle(of(order, execution)));
      assert.deepEqual(await order.passes(() => reap(scene, execution.owner)), [execution.id]);
      const next = await order.passes(() => scene.reclaim(execution.id));
      await open();
      assert.equal(await late.reply, null);
      assert.deepEqual(await scene.store.verifyStart([refOf(next)]), [refOf(next)]);
    }),
  },
  {
    name: `a ${name} that waits for another end of its execution changes nothing`,
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const open = await order.holdWrites(execution.id);
      const first = await order.waits(() => order.settle(order.failure(execution)));
      const second = await order.waits(() => order.settle(of(order, execution)));
      await open();
      assert.equal((await first.reply)?.state, "scheduled");
      assert.equal(await second.reply, null);
      const task = await scene.get(execution.id);
      assert.deepEqual([task.state, task.fence, task.attempt], ["scheduled", 2, 1]);
    }),
  },
]);

const cancelCases: InterleavingCase[] = [
  {
    name: "a success that waits for a cancel request counts all the same",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const execution = await scene.running();
      const target = { namespace, id: execution.id };
      const cancelling = await order.begin((within) => store.cancel({ target, actor: "a" }, within));
      const settling = await order.waits(() => order.settle(order.success(execution)));
      await cancelling.commit();
      assert.equal((await settling.reply)?.state, "succeeded");
    }),
  },
  {
    name: "a failure that waits for a cancel request ends the task cancelled",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const execution = await scene.running();
      const target = { namespace, id: execution.id };
      const cancelling = await order.begin((within) => store.cancel({ target, actor: "a" }, within));
      const settling = await order.waits(() => order.settle(order.failure(execution)));
      await cancelling.commit();
      assert.equal((await settling.reply)?.state, "cancelled");
      assert.equal(await scene.state(execution.id), "cancelled");
    }),
  },
  {
    name: "a batch of ends names the rows that others hold and ends the rest; sent again, it ends those too",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const running = [await scene.running(), await scene.running(), await scene.running(), await scene.running()];
      const [one, two, held, alsoHeld] = running as [ClaimedTask, ClaimedTask, ClaimedTask, ClaimedTask];
      const cancelling = await order.begin(async (within) => {
        for (const { id } of [held, alsoHeld]) await store.cancel({ target: { namespace, id }, actor: "a" }, within);
      });
      const batch = [order.success(one), order.success(held), order.failure(two), order.failure(alsoHeld)];
      const settling = await order.waits(() => store.settle(batch).catch((error: unknown) => error));
      await scene.advance(10_000); // where the clock stands still, this lets the lock's time-out pass
      const error = await settling.reply;
      assert.ok(error instanceof RowsLockedError);
      const states = error.replies.map((reply) => reply && reply.state);
      assert.deepEqual(states, ["succeeded", undefined, "scheduled", undefined]);
      await cancelling.commit();
      const ends = [await order.settle(order.success(held)), await order.settle(order.failure(alsoHeld))];
      assert.deepEqual(
        ends.map((reply) => reply?.state),
        ["succeeded", "cancelled"],
      );
    }),
  },
];

const reapCases: InterleavingCase[] = [
  {
    name: "a reap skips a row that is being settled, and takes the rest",
    run: Interleaving.of(async (order, scene) => {
      const owner = await scene.join();
      const settled = await scene.running({}, owner);
      const left = await scene.running({}, owner);
      await killNode(scene.subject, owner);
      const open = await order.holdWrites(settled.id);
      const settling = await order.waits(() => order.settle(order.success(settled)));
      assert.deepEqual(await order.passes(() => reap(scene, owner)), [left.id]);
      await open();
      assert.equal((await settling.reply)?.state, "succeeded");
      assert.deepEqual(await reap(scene, owner), []);
    }),
  },
  {
    name: "a reap whose snapshot is older than another reap and the next claim leaves the task with its new owner",
    run: Interleaving.of(async (order, scene) => {
      const execution = await orphan(scene);
      const open = await order.holdNextStatement();
      const late = await order.waits(() => reap(scene, execution.owner));
      assert.deepEqual(await order.passes(() => reap(scene, execution.owner)), [execution.id]);
      const owner = await scene.join();
      await order.passes(() => scene.reclaim(execution.id, owner));
      await open();
      assert.deepEqual(await late.reply, []);
      const task = await scene.get(execution.id);
      assert.deepEqual([task.state, task.owner, task.crashCount], ["running", owner, 1]);
      const steps = ["none>scheduled", "scheduled>running", "running>scheduled", "scheduled>running"];
      assert.deepEqual(await scene.steps(task.id), steps);
    }),
  },
  {
    name: "when two reaps run at once, one takes the task, and the other waits for nobody",
    run: Interleaving.of(async (order, scene) => {
      const execution = await orphan(scene);
      const open = await order.holdWrites(execution.id);
      const first = await order.waits(() => reap(scene, execution.owner));
      assert.deepEqual(await order.passes(() => reap(scene, execution.owner)), []);
      await open();
      assert.deepEqual(await first.reply, [execution.id]);
      assert.equal((await scene.get(execution.id)).crashCount, 1);
    }),
  },
];

/** Completions in a handler's own transaction. */
const handlerCases: InterleavingCase[] = [
  {
    name: "a completion in a transaction that waits for the reap of its task is stale",
    run: Interleaving.of(async (order, scene) => {
      const execution = await orphan(scene);
      const open = await order.holdWrites(execution.id);
      const reaping = await order.waits(() => reap(scene, execution.owner));
      const completing = await order.waits(() => order.complete(execution));
      await open();
      assert.deepEqual(await reaping.reply, [execution.id]);
      assert.equal(await completing.reply, false);
      assert.equal(await scene.state(execution.id), "scheduled");
    }),
  },
  {
    name: "a completion in a transaction that waits for the end of its time-out is stale",
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running();
      const open = await order.holdWrites(execution.id);
      const settling = await order.waits(() => order.settle(order.failure(execution)));
      const completing = await order.waits(() => order.complete(execution));
      await open();
      assert.equal((await settling.reply)?.state, "scheduled");
      assert.equal(await completing.reply, false);
      assert.equal(await scene.state(execution.id), "scheduled");
    }),
  },
  {
    name: "a completion in a transaction that waits for a cancel request counts all the same",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const execution = await scene.running();
      const target = { namespace, id: execution.id };
      const cancelling = await order.begin((within) => store.cancel({ target, actor: "a" }, within));
      const completing = await order.waits(() => order.complete(execution));
      await cancelling.commit();
      assert.equal(await completing.reply, true);
      assert.equal(await scene.state(execution.id), "succeeded");
    }),
  },
];

/** The answers of statements that wait for a completion in an open transaction, by how that transaction ends. */
const OPEN_COMPLETIONS = [
  { ending: "commit", settled: null, cancelled: "too_late", state: "succeeded" },
  { ending: "rollBack", settled: "scheduled", cancelled: "cancel_requested", state: "running" },
] as const;

const openHandlerCases: InterleavingCase[] = OPEN_COMPLETIONS.flatMap(
  ({ ending, settled, cancelled, state }): InterleavingCase[] => {
    const when = ending === "commit" ? "committed" : "rolled back";
    const beginCompletion = (order: Interleaving, execution: ExecutionRef) =>
      order.begin(async (within) => {
        const completion = { ...refOf(execution), startedAt: order.scene.now(), result: null };
        assert.notEqual(await order.store.completeWithin(completion, within), null);
      });
    return [
      {
        name: `the end of a time-out waits for a completion's transaction, and is ${settled ?? "stale"} when that is ${when}`,
        run: Interleaving.of(async (order, scene) => {
          const execution = await scene.running();
          const completion = await beginCompletion(order, execution);
          const settling = await order.waits(() => order.settle(order.failure(execution)));
          await completion[ending]();
          assert.equal((await settling.reply)?.state ?? null, settled);
          assert.equal(await scene.state(execution.id), settled ?? "succeeded");
        }),
      },
      {
        name: `a cancel waits for a completion's transaction, and is ${cancelled} when that is ${when}`,
        run: Interleaving.of(async (order, scene) => {
          const { namespace, store } = scene;
          const execution = await scene.running();
          const completion = await beginCompletion(order, execution);
          const target = { namespace, id: execution.id };
          const cancelling = await order.waitsWithin((within) => store.cancel({ target, actor: "a" }, within));
          await completion[ending]();
          assert.equal((await cancelling.reply).outcome, cancelled);
          assert.equal(await scene.state(execution.id), state);
        }),
      },
    ];
  },
);

export const interleavedEndCases: InterleavingCase[] = [
  ...staleCases,
  ...cancelCases,
  ...reapCases,
  ...handlerCases,
  ...openHandlerCases,
];
