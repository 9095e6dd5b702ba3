import { jsonTextOf } from "@tickwheel/core";
import assert from "node:assert/strict";
import { accepted, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { findAll } from "../subject/find-all.js";

class RolledBack extends Error {}

/** Runs `work` in a transaction that is rolled back. */
async function rollBack(scene: Scenario, work: Parameters<Scenario["subject"]["transaction"]>[0]): Promise<void> {
  const undone = scene.subject.transaction(async (within) => {
    await work(within);
    throw new RolledBack();
  });
  await assert.rejects(undone, RolledBack);
}

export const transactionCases: ConformanceCase[] = [
  {
    name: "a task created within a transaction exists from its commit on, not before",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace } = scene;
      const task = scene.newTask({ key: "k" });
      await subject.transaction(async (within) => {
        const reply = await scene.store.create({ namespace, tasks: [task] }, within);
        assert.ok(reply.kind === "written");
        accepted(reply.results[0], "created");
        assert.equal(await scene.store.get(namespace, task.id), null);
        assert.deepEqual(await scene.claim([task.id]), []);
      });
      await scene.reclaim(task.id);
    },
  },
  {
    name: "reads within a transaction see its writes, other reads do not",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace, store } = scene;
      const { id } = await scene.create({ key: "k" });
      await rollBack(scene, async (within) => {
        await store.cancel({ target: { namespace, id }, actor: "a" }, within);
        assert.equal((await store.get(namespace, id, { within }))?.state, "cancelled");
        const filter = { namespace, states: ["cancelled" as const], limit: 10 };
        assert.equal((await store.find(filter, within)).tasks.length, 1);
        assert.equal((await store.find(filter)).tasks.length, 0);
        assert.equal((await store.get(namespace, id))?.state, "scheduled");
      });
    },
  },
  {
    name: "a transaction that is rolled back leaves no created task, no key and no idempotency key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace } = scene;
      const request = () => ({
        namespace,
        tasks: [scene.newTask({ key: "k" })],
        idempotency: { key: "i", bodyHash: "aa" },
      });
      await rollBack(scene, (within) => scene.store.create(request(), within));
      assert.deepEqual(await findAll(scene.store, { namespace }), []);
      assert.equal((await scene.store.create(request())).kind, "written");
    },
  },
  {
    name: "cancel, edit and retry within a transaction that is rolled back change nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace, store } = scene;
      const one = await scene.create({ key: "k" });
      const two = await scene.create();
      const ended = await scene.running();
      const archived = await scene.running();
      await scene.succeed(archived);
      await store.archive(1_000);
      await scene.succeed(ended);
      const tasks = [one, two, ended, archived];
      const before = await Promise.all(tasks.map(({ id }) => scene.get(id)));
      const steps = await Promise.all(tasks.map(({ id }) => scene.steps(id)));
      await rollBack(scene, async (within) => {
        const cancelled = await store.cancel({ target: { namespace, id: one.id }, actor: "a" }, within);
        const changes = { due: { delayMs: 9_000 } };
        const edited = await store.edit({ namespace, id: two.id, changes, actor: "a" }, within);
        const retried = await store.retry({ namespace, id: ended.id, actor: "a" }, within);
        const revived = await store.retry({ namespace, id: archived.id, actor: "a" }, within);
        assert.deepEqual(
          [cancelled.outcome, edited.outcome, retried.outcome, revived.outcome],
          ["cancelled", "changed", "scheduled", "scheduled"],
        );
      });
      assert.deepEqual(await Promise.all(tasks.map(({ id }) => scene.get(id))), before);
      assert.deepEqual(await Promise.all(tasks.map(({ id }) => scene.steps(id))), steps);
    },
  },
  {
    name: "cancel, edit and retry within a transaction take effect with its commit",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace, store } = scene;
      const one = await scene.create();
      const two = await scene.create();
      const ended = await scene.running();
      await scene.succeed(ended);
      await subject.transaction(async (within) => {
        await store.cancel({ target: { namespace, id: one.id }, actor: "a" }, within);
        await store.edit({ namespace, id: two.id, changes: { priority: 0 }, actor: "a" }, within);
        await store.retry({ namespace, id: ended.id, actor: "a" }, within);
        assert.equal(await scene.state(one.id), "scheduled");
      });
      assert.deepEqual(
        [await scene.state(one.id), (await scene.get(two.id)).priority, await scene.state(ended.id)],
        ["cancelled", 0, "scheduled"],
      );
    },
  },
  {
    name: "a claim skips a task that an open transaction has changed, and takes it when that is rolled back",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace } = scene;
      const locked = await scene.create();
      const free = await scene.create();
      await rollBack(scene, async (within) => {
        await scene.store.cancel({ target: { namespace, id: locked.id }, actor: "a" }, within);
        const claimed = await scene.claim([locked.id, free.id]);
        assert.deepEqual(
          claimed.map((task) => task.id),
          [free.id],
        );
      });
      await scene.reclaim(locked.id);
    },
  },
  {
    name: "a cancel waits for the transaction that has changed its task",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace } = scene;
      const { id } = await scene.create();
      let cancelled: ReturnType<Scenario["cancel"]> | undefined;
      await subject.transaction(async (within) => {
        await scene.store.edit({ namespace, id, changes: { payload: jsonTextOf("edited") }, actor: "a" }, within);
        cancelled = scene.cancel(id);
      });
      const reply = await cancelled;
      assert.ok(reply && "task" in reply);
      assert.deepEqual([reply.outcome, reply.task.payload, reply.task.version], ["cancelled", jsonTextOf("edited"), 3]);
    },
  },
  {
    name: "a completion within a transaction counts when it commits",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      const completion = { ...refOf(execution), startedAt: scene.now(), result: '{"ok":1}' };
      await subject.transaction(async (within) => {
        assert.notEqual(await scene.store.completeWithin(completion, within), null);
        assert.equal(await scene.state(execution.id), "running");
      });
      const task = await scene.get(execution.id);
      assert.deepEqual(
        [task.state, task.result, task.startedAt, task.finishedAt, task.keyLive],
        ["succeeded", completion.result, completion.startedAt, scene.now(), false],
      );
      assert.deepEqual(await scene.steps(task.id), ["none>scheduled", "scheduled>running", "running>succeeded"]);
      assert.deepEqual(await scene.store.settle([{ ...completion, kind: "succeeded" }]), [null]);
    },
  },
  {
    name: "a completion within a transaction that is rolled back has no effect",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const before = await scene.get(execution.id);
      const completion = { ...refOf(execution), startedAt: scene.now(), result: null };
      await rollBack(scene, (within) => scene.store.completeWithin(completion, within));
      assert.deepEqual(await scene.get(execution.id), before);
      await scene.succeed(execution);
    },
  },
  {
    name: "a stale completion within a transaction is refused: taken over, cancelled, or ended",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const reaped = await scene.running({}, await scene.join());
      const cancelled = await scene.running();
      const ended = await scene.running();
      await scene.reap(reaped.owner);
      await scene.reclaim(reaped.id);
      await scene.cancel(cancelled.id);
      await scene.fail(cancelled);
      await scene.succeed(ended);
      for (const execution of [reaped, cancelled, ended]) {
        const before = await scene.get(execution.id);
        const completion = { ...refOf(execution), startedAt: scene.now(), result: '"stale"' };
        await rollBack(scene, async (within) => {
          assert.equal(await scene.store.completeWithin(completion, within), null);
        });
        assert.deepEqual(await scene.get(execution.id), before);
      }
    },
  },
  {
    name: "a keyed create waits for the transaction that has written the key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace } = scene;
      const first = scene.newTask({ key: "k" });
      let second: ReturnType<Scenario["createAll"]> | undefined;
      await subject.transaction(async (within) => {
        await scene.store.create({ namespace, tasks: [first] }, within);
        second = scene.createAll(scene.newTask({ key: "k" }));
      });
      assert.deepEqual(await second, [{ outcome: "rejected", code: "TASK_KEY_CONFLICT", existingId: first.id }]);
    },
  },
  {
    name: "a reap skips a task whose completion is in an open transaction, and takes it when that is rolled back",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const owner = await scene.join();
      const kept = await scene.running({}, owner);
      const undone = await scene.running({}, owner);
      const complete = (execution: typeof kept) => ({ ...refOf(execution), startedAt: scene.now(), result: null });
      await subject.transaction(async (within) => {
        assert.notEqual(await scene.store.completeWithin(complete(kept), within), null);
        await rollBack(scene, async (doomed) => {
          assert.notEqual(await scene.store.completeWithin(complete(undone), doomed), null);
          assert.deepEqual(await scene.reap(owner), []);
        });
      });
      assert.deepEqual(
        (await scene.reap(owner)).map(({ hint }) => hint.id),
        [undone.id],
      );
      assert.deepEqual([await scene.state(kept.id), await scene.state(undone.id)], ["succeeded", "scheduled"]);
    },
  },
  {
    name: "a cancel that waits for a completion's transaction is too late when it commits",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      let cancelled: ReturnType<Scenario["cancel"]> | undefined;
      await subject.transaction(async (within) => {
        const completion = { ...refOf(execution), startedAt: scene.now(), result: null };
        assert.notEqual(await scene.store.completeWithin(completion, within), null);
        cancelled = scene.cancel(execution.id);
      });
      assert.equal((await cancelled)?.outcome, "too_late");
      assert.equal(await scene.state(execution.id), "succeeded");
    },
  },
  {
    name: "a duplicate waits for the transaction that has written its idempotency key, and writes if that is rolled back",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace, store } = scene;
      const request = (key: string) => ({
        namespace,
        tasks: [scene.newTask()],
        idempotency: { key, bodyHash: "aa" },
      });
      const duplicates: ReturnType<typeof store.create>[] = [];
      await subject.transaction(async (within) => {
        await store.create(request("kept"), within);
        duplicates.push(store.create(request("kept")));
      });
      await rollBack(scene, async (within) => {
        await store.create(request("undone"), within);
        duplicates.push(store.create(request("undone")));
      });
      const kinds = (await Promise.all(duplicates)).map((reply) => reply.kind);
      assert.deepEqual(kinds, ["replayed", "written"]);
    },
  },
];
