import assert from "node:assert/strict";
import type { NewTask } from "@tickwheel/core";
import { refOf, Scenario, wrongRefs } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

async function states(scene: Scenario, tasks: readonly NewTask[]): Promise<(string | null)[]> {
  const found = await Promise.all(tasks.map(({ id }) => scene.store.get(scene.type.namespace, id)));
  return found.map((task) => task?.state ?? null);
}

/** What an execution spawns is written by the statement that ends it, or not at all. */
export const spawnCases: ConformanceCase[] = [
  {
    name: "what an execution spawns is written with its end: scheduled, due as it asks, with its own fields",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const tasks = [scene.newTask({ tags: ["a"] }), scene.newTask({ due: { delayMs: 5_000 }, priority: 2 })];
      await scene.advance(80);
      const end = { ...refOf(execution), startedAt: scene.now(), kind: "succeeded", result: null } as const;
      const reply = { state: "succeeded", hint: null, finishedAt: scene.now() };
      assert.deepEqual(await scene.store.settle([{ ...end, spawned: tasks }]), [reply]);
      const soon = await scene.get(tasks[0]!.id);
      const late = await scene.get(tasks[1]!.id);
      assert.deepEqual([soon.state, soon.dueAt, soon.tags, soon.batchId], ["scheduled", scene.now(), ["a"], null]);
      assert.deepEqual([late.dueAt, late.priority, late.createdBy], [scene.now() + 5_000, 2, tasks[1]!.actor]);
    },
  },
  {
    name: "a stale execution spawns nothing, and one whose end is sent twice spawns once",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      for (const wrong of wrongRefs(execution, await scene.join())) {
        const tasks = [scene.newTask()];
        const end = { ...wrong, startedAt: scene.now(), kind: "succeeded", result: null } as const;
        assert.deepEqual(await scene.store.settle([{ ...end, spawned: tasks }]), [null]);
        assert.deepEqual(await states(scene, tasks), [null]);
      }
      const tasks = [scene.newTask()];
      const end = {
        ...refOf(execution),
        startedAt: scene.now(),
        kind: "succeeded",
        result: null,
        spawned: tasks,
      } as const;
      assert.notEqual((await scene.store.settle([end]))[0], null);
      assert.deepEqual(await scene.store.settle([end]), [null]);
      assert.deepEqual(await states(scene, tasks), ["scheduled"]);
    },
  },
  {
    name: "ends of one batch spawn their own tasks, also beside ends that spawn none, and beside stale ones",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const first = await scene.running();
      const second = await scene.running();
      const third = await scene.running();
      const ofFirst = [scene.newTask()];
      const ofSecond = [scene.newTask(), scene.newTask()];
      const ofStale = [scene.newTask()];
      const end = { startedAt: scene.now(), kind: "succeeded", result: null } as const;
      const replies = await scene.store.settle([
        { ...end, ...refOf(first), spawned: ofFirst },
        { ...end, ...refOf(second), spawned: ofSecond },
        { ...end, ...refOf(third) },
        { ...end, ...wrongRefs(third, await scene.join())[0]!, spawned: ofStale },
      ]);
      assert.deepEqual(
        replies.map((reply) => reply?.state ?? null),
        ["succeeded", "succeeded", "succeeded", null],
      );
      assert.deepEqual(await states(scene, [...ofFirst, ...ofSecond]), ["scheduled", "scheduled", "scheduled"]);
      assert.deepEqual(await states(scene, ofStale), [null]);
    },
  },
  {
    name: "in a handler's own transaction, what it spawns is committed and rolled back with it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const kept = await scene.running();
      const undone = await scene.running();
      const tasks = [scene.newTask(), scene.newTask()];
      const end = { startedAt: scene.now(), result: null };
      await subject.transaction(async (within) => {
        assert.ok(await scene.store.completeWithin({ ...end, ...refOf(kept), spawned: [tasks[0]!] }, within));
      });
      const rolledBack = subject.transaction(async (within) => {
        await scene.store.completeWithin({ ...end, ...refOf(undone), spawned: [tasks[1]!] }, within);
        throw new Error("rolled back");
      });
      await assert.rejects(rolledBack);
      assert.deepEqual(await states(scene, tasks), ["scheduled", null]);
      assert.equal((await scene.get(undone.id)).state, "running");
    },
  },
];
