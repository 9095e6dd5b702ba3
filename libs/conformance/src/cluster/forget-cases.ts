import assert from "node:assert/strict";
import { type ForgetRequest, type Settlement } from "@tickwheel/core";
import { accepted, refOf, Scenario, wrongRefs } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

const HOUR_MS = 3_600_000;

async function isThere(scene: Scenario, id: string): Promise<boolean> {
  return (await scene.store.get(scene.namespace, id)) !== null;
}

/** Deletes what of the scenario's type has ended so for more than an hour; answers the pages. */
async function forget(
  scene: Scenario,
  { state, limit = 100 }: Pick<ForgetRequest, "state"> & { limit?: number },
): Promise<number[]> {
  const pages: number[] = [];
  let after: string | null = null;
  do {
    const given: ForgetRequest = { typeId: scene.type.id, state, keptMs: HOUR_MS, after, limit };
    const { forgotten, next } = await scene.store.forgetEnded(given);
    pages.push(forgotten);
    after = next;
  } while (after !== null);
  return pages;
}

/** What becomes of a task that nobody wants to keep. */
const completionCases: ConformanceCase[] = [
  {
    name: "a completion that is to be forgotten ends its task as any other, and leaves no row",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const done = await scene.running({ key: "k" });
      const skipped = await scene.running();
      const kept = await scene.running();
      const end = { startedAt: scene.now(), isForgotten: true };
      await scene.advance(80);
      const ends: Settlement[] = [
        { ...end, ...refOf(done), kind: "succeeded", result: "1" },
        { ...end, ...refOf(skipped), kind: "skipped" },
        { ...end, ...refOf(kept), kind: "succeeded", result: "2", isForgotten: false },
      ];
      const reply = { state: "succeeded", hint: null, finishedAt: scene.now() };
      assert.deepEqual(await scene.store.settle(ends), [reply, reply, reply]);
      assert.deepEqual(await scene.store.settle(ends), [null, null, null]);
      for (const { id } of [done, skipped]) {
        assert.equal(await isThere(scene, id), false);
        assert.equal(await scene.store.journal({ namespace: scene.namespace, id, limit: 10 }), null);
      }
      assert.equal((await scene.get(kept.id)).result, "2");
      assert.equal((await scene.store.find({ namespace: scene.namespace, limit: 10 })).tasks.length, 1);
      await scene.create({ key: "k" });
    },
  },
  {
    name: "a stale execution forgets nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      for (const wrong of wrongRefs(execution, await scene.join())) {
        const end = { ...wrong, startedAt: scene.now(), isForgotten: true, kind: "succeeded", result: null } as const;
        assert.deepEqual(await scene.store.settle([end]), [null]);
      }
      assert.equal(await scene.state(execution.id), "running");
    },
  },
  {
    name: "a member of a batch and a task that has spawned others are kept, also where they are to be forgotten",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const member = await scene.running();
      const parent = await scene.running();
      const other = await scene.running();
      const child = scene.newTask();
      const end = { startedAt: scene.now(), kind: "succeeded", result: null, isForgotten: true } as const;
      await scene.store.settle([
        { ...end, ...refOf(member), isMember: true },
        { ...end, ...refOf(parent), spawned: [child] },
        { ...end, ...refOf(other) },
      ]);
      assert.deepEqual([await scene.state(member.id), await scene.state(parent.id)], ["succeeded", "succeeded"]);
      assert.deepEqual([await isThere(scene, other.id), await scene.state(child.id)], [false, "scheduled"]);
    },
  },
  {
    name: "in a handler's own transaction, a task is forgotten by the commit",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const done = await scene.running();
      const undone = await scene.running();
      const end = { startedAt: scene.now(), result: null, isForgotten: true };
      await subject.transaction(async (within) => {
        assert.equal(await scene.store.completeWithin({ ...end, ...refOf(done) }, within), scene.now());
      });
      const rolledBack = subject.transaction(async (within) => {
        await scene.store.completeWithin({ ...end, ...refOf(undone) }, within);
        throw new Error("rolled back");
      });
      await assert.rejects(rolledBack);
      assert.deepEqual([await isThere(scene, done.id), await scene.state(undone.id)], [false, "running"]);
    },
  },
  {
    name: "a replay of a task that was forgotten says that it is gone",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const request = { namespace: scene.namespace, idempotency: { key: "i", bodyHash: "aa" } };
      const first = await scene.store.create({ ...request, tasks: [scene.newTask()] });
      assert.ok(first.kind === "written");
      const execution = await scene.reclaim(accepted(first.results[0], "created").id);
      const end = { startedAt: scene.now(), kind: "succeeded", result: null, isForgotten: true } as const;
      await scene.store.settle([{ ...end, ...refOf(execution) }]);
      const replay = scene.store.create({ ...request, tasks: [scene.newTask()] });
      await assert.rejects(replay, { code: "TASK_NOT_FOUND" });
    },
  },
];

/** What a cancel of many leaves of types whose cancelled tasks nobody wants to keep. */
const cancelCases: ConformanceCase[] = [
  {
    name: "a cancel of many leaves no row of types that are to be forgotten, whichever way it is answered",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const foreign = await Scenario.open(subject);
      for (const how of ["cancelScheduled", "cancelBriefly"] as const) {
        const gone = await scene.create();
        const keyed = await scene.create({ key: "k" });
        const kept = await foreign.create();
        const running = await scene.running();
        const requests = [
          ...[gone, keyed, running].map(({ id }) => ({ namespace: scene.namespace, id, actor: "canceller" })),
          { namespace: foreign.namespace, id: kept.id, actor: "canceller" },
        ];
        const told = await scene.store[how]({ requests, forgotten: [scene.type.id] });
        assert.deepEqual(
          told.map((task) => task && [task.id, task.namespace, task.typeId, task.finishedAt]),
          [
            [gone.id, scene.namespace, scene.type.id, scene.now()],
            [keyed.id, scene.namespace, scene.type.id, scene.now()],
            null,
            [kept.id, foreign.namespace, foreign.type.id, scene.now()],
          ],
        );
        for (const { id } of [gone, keyed]) {
          assert.equal(await isThere(scene, id), false);
          assert.equal(await scene.store.journal({ namespace: scene.namespace, id, limit: 10 }), null);
        }
        assert.deepEqual([await scene.state(running.id), await foreign.state(kept.id)], ["running", "cancelled"]);
        assert.equal((await foreign.get(kept.id)).cancelledBy, "canceller");
      }
    },
  },
  {
    name: "without types to forget, both ways keep what they cancel, and answer each id that is given twice",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (const how of ["cancelScheduled", "cancelBriefly"] as const) {
        const { id } = await scene.create({ key: how });
        const request = { namespace: scene.namespace, id, actor: "canceller" };
        const requests = [request, { ...request, id: "no id" }, request];
        const told = await scene.store[how]({ requests });
        assert.deepEqual(
          told.map((task) => task?.id ?? null),
          [id, null, id],
        );
        assert.equal(await scene.state(id), "cancelled");
        assert.deepEqual(await scene.store[how]({ requests: [request] }), [null]);
        assert.equal((await scene.create({ key: how })).state, "scheduled");
      }
    },
  },
];

/** What of a type is deleted once it has been kept for long enough. */
const retentionCases: ConformanceCase[] = [
  {
    name: "succeeded tasks of a type are deleted once they ended longer ago than it keeps them, and nothing else is",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const foreign = await Scenario.open(subject);
      const done = await scene.running();
      const cancelled = await scene.create();
      const dead = await scene.running();
      const ofOther = await foreign.running();
      await scene.succeed(done);
      await scene.cancel(cancelled.id);
      await scene.bury(dead);
      await foreign.succeed(ofOther);
      await scene.store.archive(100_000);
      await scene.advance(HOUR_MS);
      const young = await scene.running();
      await scene.succeed(young);
      assert.deepEqual(await forget(scene, { state: "succeeded" }), [0]);
      await scene.advance(1);
      assert.deepEqual(await forget(scene, { state: "succeeded" }), [1]);
      assert.equal(await isThere(scene, done.id), false);
      for (const { id } of [cancelled, dead, young]) assert.equal(await isThere(scene, id), true);
      assert.equal(await isThere(foreign, ofOther.id), true);
    },
  },
  {
    name: "cancelled tasks of a type are deleted once they ended longer ago than it keeps them, and nothing else is",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const foreign = await Scenario.open(subject);
      const cancelled = await scene.create();
      const stopped = await scene.running();
      const done = await scene.running();
      const ofOther = await foreign.create();
      await scene.cancel(cancelled.id);
      await scene.cancel(stopped.id);
      await scene.bury(stopped);
      await scene.succeed(done);
      await foreign.cancel(ofOther.id);
      await scene.store.archive(100_000);
      await scene.advance(HOUR_MS);
      const young = await scene.create();
      await scene.cancel(young.id);
      await scene.store.archive(100_000);
      assert.deepEqual(await forget(scene, { state: "cancelled" }), [0]);
      await scene.advance(1);
      assert.deepEqual(await forget(scene, { state: "cancelled" }), [2]);
      for (const { id } of [cancelled, stopped]) assert.equal(await isThere(scene, id), false);
      for (const { id } of [done, young]) assert.equal(await isThere(scene, id), true);
      assert.equal(await isThere(foreign, ofOther.id), true);
    },
  },
  {
    name: "dead tasks of a type are deleted once they ended longer ago than it keeps them, and nothing else is",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const foreign = await Scenario.open(subject);
      const dead = await scene.running();
      const done = await scene.running();
      const waiting = await scene.create();
      const ofOther = await foreign.running();
      await scene.bury(dead);
      await scene.succeed(done);
      await foreign.bury(ofOther);
      await scene.advance(HOUR_MS);
      const young = await scene.running();
      await scene.bury(young);
      assert.deepEqual(await forget(scene, { state: "dead" }), [0]);
      await scene.advance(1);
      assert.deepEqual(await forget(scene, { state: "dead" }), [1]);
      assert.equal(await isThere(scene, dead.id), false);
      for (const { id } of [done, waiting, young]) assert.equal(await isThere(scene, id), true);
      assert.equal(await isThere(foreign, ofOther.id), true);
    },
  },
  {
    name: "old ends are deleted page by page, each once, also past those that stay",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (const [state, end] of [
        ["succeeded", (id: string) => scene.reclaim(id).then((execution) => scene.succeed(execution))],
        ["dead", (id: string) => scene.reclaim(id).then((execution) => scene.bury(execution))],
      ] as const) {
        const old: string[] = [];
        for (let count = 0; count < 5; count++) old.push((await scene.create()).id);
        const late = await scene.create();
        for (const id of old) await end(id);
        await scene.advance(HOUR_MS);
        await end(late.id);
        await scene.advance(1);
        const pages = await forget(scene, { state, limit: 2 });
        assert.ok(pages.length >= 3, "a page looks at two tasks");
        assert.equal(
          pages.reduce((sum, count) => sum + count, 0),
          5,
        );
        assert.equal(await isThere(scene, late.id), true);
        assert.deepEqual(await forget(scene, { state }), [0]);
      }
    },
  },
];

/** Retention by type: what a completion leaves, and what upkeep deletes. */
export const forgetCases: ConformanceCase[] = [...completionCases, ...cancelCases, ...retentionCases];
