import assert from "node:assert/strict";
import type { CallerTransaction, CreateReply } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import type { Scenario } from "../subject/scenario.js";
import { findAll } from "../subject/find-all.js";

function retryWithin({ namespace, store }: Scenario, id: string) {
  return (within: CallerTransaction) => store.retry({ namespace, id, actor: "operator" }, within);
}

/** An ended task. In the live table it was cancelled while it ran; in history it has succeeded. */
async function ended(scene: Scenario, place: "live" | "history", key: string | null = null): Promise<string> {
  await scene.store.archive(100_000); // ended tasks that other cases have left
  const execution = await scene.running({ key });
  if (place === "history") await scene.succeed(execution);
  else {
    await scene.cancel(execution.id);
    assert.equal(await scene.fail(execution), "cancelled");
  }
  return execution.id;
}

/** Asserts that there is one such task, that it is scheduled again, and that it can be claimed. */
async function assertRevived(scene: Scenario, id: string): Promise<void> {
  const tasks = await findAll(scene.store, { namespace: scene.namespace });
  assert.deepEqual(
    tasks.map((task) => [task.id, task.state, task.fence]),
    [[id, "scheduled", 2]],
  );
  await scene.reclaim(id);
}

const archiveCases: InterleavingCase[] = [
  {
    name: "a retry that waits for the archive of its task brings it back from history",
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, "live");
      const open = await order.holdWrites(id);
      const archiving = await order.waits(() => scene.store.archive(10));
      const retrying = await order.waitsWithin(retryWithin(scene, id));
      await open();
      assert.equal(await archiving.reply, 1);
      assert.equal((await retrying.reply).outcome, "scheduled");
      await assertRevived(scene, id);
    }),
  },
  {
    name: "a retry whose snapshot is older than the archive of its task brings it back from history",
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, "live");
      const open = await order.holdNextStatement();
      const late = await order.waits(() => scene.retry(id));
      assert.equal(await order.passes(() => scene.store.archive(10)), 1);
      await open();
      assert.equal((await late.reply).outcome, "scheduled");
      await assertRevived(scene, id);
    }),
  },
  {
    name: "an archive skips a task that is being retried, and the task stays",
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, "live");
      const open = await order.holdWrites(id);
      const retrying = await order.waitsWithin(retryWithin(scene, id));
      assert.equal(await order.passes(() => scene.store.archive(10)), 0);
      await open();
      assert.equal((await retrying.reply).outcome, "scheduled");
      await assertRevived(scene, id);
    }),
  },
  {
    name: "an archive whose snapshot is older than a retry leaves the task",
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, "live");
      const open = await order.holdNextStatement();
      const late = await order.waits(() => scene.store.archive(10));
      assert.equal((await order.passes(() => scene.retry(id))).outcome, "scheduled");
      await open();
      assert.equal(await late.reply, 0);
      await assertRevived(scene, id);
    }),
  },
  {
    name: "when two archives run at once, one moves the task, and the other waits for nobody",
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, "live");
      const open = await order.holdWrites(id);
      const first = await order.waits(() => scene.store.archive(10));
      assert.equal(await order.passes(() => scene.store.archive(10)), 0);
      await open();
      assert.equal(await first.reply, 1);
      assert.equal(await scene.state(id), "cancelled");
    }),
  },
  {
    name: "an archive whose snapshot is older than another archive moves nothing again",
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, "live");
      const open = await order.holdNextStatement();
      const late = await order.waits(() => scene.store.archive(10));
      assert.equal(await order.passes(() => scene.store.archive(10)), 1);
      await open();
      assert.equal(await late.reply, 0);
      assert.equal((await scene.retry(id)).outcome, "scheduled");
      await assertRevived(scene, id);
    }),
  },
  {
    name: "a statement that waited in vain for a row that an archive moved holds no lock on it",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const id = await ended(scene, "live");
      const open = await order.holdWrites(id);
      const archiving = await order.waits(() => store.archive(10));
      const edit = { namespace, id, changes: { priority: 1 }, actor: "a" };
      const editing = await order.waits(() => order.begin((within) => store.edit(edit, within)));
      await open();
      assert.equal(await archiving.reply, 1);
      const edited = await editing.reply;
      assert.equal(edited.result.outcome, "state_conflict");
      assert.equal((await order.passes(() => scene.retry(id))).outcome, "scheduled");
      await edited.rollBack();
      await assertRevived(scene, id);
    }),
  },
];

/** Where a retry may find its task. */
const PLACES = [
  { place: "live", from: "in place", state: "cancelled" },
  { place: "history", from: "from history", state: "succeeded" },
] as const;

function createWithin(scene: Scenario, key: string) {
  const request = { namespace: scene.namespace, tasks: [scene.newTask({ key })] };
  return (within: CallerTransaction) => scene.store.create(request, within);
}

function outcomeOf(reply: CreateReply): string | undefined {
  return reply.kind === "written" ? reply.results[0]?.outcome : reply.kind;
}

/** Retries of a task whose key somebody else creates. */
const keyCases: InterleavingCase[] = PLACES.flatMap(({ place, from, state }): InterleavingCase[] => [
  {
    name: `a retry ${from} that waits for a create of its key is refused when that is committed, and nothing is lost`,
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, place, "k");
      const creating = await order.begin(createWithin(scene, "k"));
      const retrying = await order.waitsWithin(retryWithin(scene, id));
      await creating.commit();
      assert.equal((await retrying.reply).outcome, "key_conflict");
      assert.equal(await scene.state(id), state);
      await scene.cancel((await scene.holder("k"))!.id);
      assert.equal((await scene.retry(id)).outcome, "scheduled");
    }),
  },
  {
    name: `a retry ${from} that waits for a create of its key gets it when that is rolled back`,
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, place, "k");
      const creating = await order.begin(createWithin(scene, "k"));
      const retrying = await order.waitsWithin(retryWithin(scene, id));
      await creating.rollBack();
      assert.equal((await retrying.reply).outcome, "scheduled");
      await assertRevived(scene, id);
    }),
  },
  {
    name: `a create that waits for a retry ${from} of its key is refused when that is committed`,
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, place, "k");
      const retrying = await order.begin(retryWithin(scene, id));
      assert.equal(retrying.result.outcome, "scheduled");
      const creating = await order.waitsWithin(createWithin(scene, "k"));
      await retrying.commit();
      assert.equal(outcomeOf(await creating.reply), "rejected");
      await assertRevived(scene, id);
    }),
  },
  {
    name: `a create that waits for a retry ${from} of its key gets it when that is rolled back`,
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, place, "k");
      const retrying = await order.begin(retryWithin(scene, id));
      const creating = await order.waitsWithin(createWithin(scene, "k"));
      await retrying.rollBack();
      assert.equal(outcomeOf(await creating.reply), "created");
      assert.equal(await scene.state(id), state);
    }),
  },
]);

/** Retries of a task that somebody else retries. */
const rivalCases: InterleavingCase[] = PLACES.flatMap(({ place, from }): InterleavingCase[] => [
  {
    name: `a retry ${from} that waits for another retry finds the task scheduled, once`,
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, place);
      const first = await order.begin(retryWithin(scene, id));
      const second = await order.waitsWithin(retryWithin(scene, id));
      await first.commit();
      const reply = await second.reply;
      assert.deepEqual([reply.outcome, "task" in reply && reply.task.state], ["state_conflict", "scheduled"]);
      await assertRevived(scene, id);
    }),
  },
  {
    name: `a retry ${from} whose snapshot is older than another retry finds the task scheduled, once`,
    run: Interleaving.of(async (order, scene) => {
      const id = await ended(scene, place);
      const open = await order.holdNextStatement();
      const late = await order.waits(() => scene.retry(id));
      assert.equal((await order.passes(() => scene.retry(id))).outcome, "scheduled");
      await open();
      const reply = await late.reply;
      assert.deepEqual([reply.outcome, "task" in reply && reply.task.state], ["state_conflict", "scheduled"]);
      await assertRevived(scene, id);
    }),
  },
]);

export const interleavedRetryCases: InterleavingCase[] = [...archiveCases, ...keyCases, ...rivalCases];
