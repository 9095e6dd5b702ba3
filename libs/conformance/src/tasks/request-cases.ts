import { handlerDelivery, JSON_NULL, jsonTextOf, payloadVersionOf, withTrace } from "@tickwheel/core";
import assert from "node:assert/strict";
import type { EditRequest } from "@tickwheel/core";
import { Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { findAll } from "../subject/find-all.js";

function edit(scene: Scenario, id: string, given: Omit<EditRequest, "namespace" | "id" | "actor">) {
  return scene.store.edit({ namespace: scene.namespace, id, actor: "editor", ...given });
}

export const editCases: ConformanceCase[] = [
  {
    name: "an edit changes what it names and nothing else, and raises the version",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const task = await scene.create({ due: { delayMs: 5_000 } });
      const changes = { payload: jsonTextOf({ order: 8 }), priority: 0, maxAttempts: 9 };
      const reply = await edit(scene, task.id, { changes });
      assert.equal(reply.outcome, "changed");
      assert.deepEqual(await scene.get(task.id), { ...task, ...changes, version: 2 });
    },
  },
  {
    name: "a reschedule moves the due time by the store's clock, earlier or later, and the past means now",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ due: { delayMs: 5_000 } });
      await scene.advance(100);
      const dues: number[][] = [];
      for (const due of [{ delayMs: 9_000 }, { at: scene.now() + 3 }, { at: scene.now() - 50_000 }]) {
        const reply = await edit(scene, id, { changes: { due } });
        assert.ok("task" in reply);
        dues.push([reply.task.dueAt - scene.now(), reply.task.scheduledAt - scene.now(), reply.task.version]);
      }
      assert.deepEqual(dues, [
        [9_000, 9_000, 2],
        [3, 3, 3],
        [0, 0, 4],
      ]);
    },
  },
  {
    name: "an edit without a due time makes an overdue task due now, and leaves its `scheduledAt`",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const task = await scene.create();
      await scene.advance(5_000);
      await edit(scene, task.id, { changes: { priority: 1 } });
      const edited = await scene.get(task.id);
      assert.deepEqual([edited.dueAt, edited.scheduledAt], [scene.now(), task.scheduledAt]);
    },
  },
  {
    name: "a payload may be edited to null",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      await edit(scene, id, { changes: { payload: JSON_NULL } });
      assert.equal((await scene.get(id)).payload, JSON_NULL);
    },
  },
  {
    name: "an edit that expects another version changes nothing and shows the task",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const task = await scene.create();
      const refused = await edit(scene, task.id, { changes: { priority: 1 }, expectedVersion: 2 });
      assert.deepEqual({ ...refused }, { outcome: "version_mismatch", task });
      assert.deepEqual(await scene.get(task.id), task);
      assert.equal((await edit(scene, task.id, { changes: { priority: 1 }, expectedVersion: 1 })).outcome, "changed");
    },
  },
  {
    name: "only scheduled tasks are edited; an unknown or foreign id is not found",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const running = await scene.running();
      const ended = await scene.running();
      const cancelled = await scene.create();
      await scene.succeed(ended);
      await scene.cancel(cancelled.id);
      await scene.store.archive(1_000);
      for (const { id } of [running, ended, cancelled]) {
        const before = await scene.get(id);
        const reply = await edit(scene, id, { changes: { due: { delayMs: 1 } } });
        assert.deepEqual({ ...reply }, { outcome: "state_conflict", task: before });
      }
      assert.equal((await edit(scene, scene.newTask().id, { changes: { priority: 1 } })).outcome, "not_found");
      const foreign = await Scenario.open(subject);
      assert.equal((await edit(foreign, running.id, { changes: { priority: 1 } })).outcome, "not_found");
    },
  },
];

export const retryCases: ConformanceCase[] = [
  {
    name: "the version of a payload stays whatever becomes of its task, and an edit of the payload sets it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const versionOf = async (id: string): Promise<number | null> => payloadVersionOf(await scene.get(id));
      const { id } = await scene.create({ key: "k", delivery: handlerDelivery(3) });
      const running = await scene.reclaim(id);
      assert.equal(payloadVersionOf(running), 3);
      await scene.bury(running);
      while ((await scene.store.archive(1_000)) > 0);
      assert.equal(await versionOf(id), 3);
      await scene.retry(id);
      assert.equal(await versionOf(id), 3);
      for (const [changes, version] of [
        [{ priority: 1 }, 3],
        [{ payload: JSON_NULL, payloadVersion: 4 }, 4],
        [{ payload: JSON_NULL }, null],
      ] as const) {
        await edit(scene, id, { changes });
        assert.equal(await versionOf(id), version);
      }
      const [replaced] = await scene.createAll(
        scene.newTask({ key: "k", onConflict: "replace", delivery: handlerDelivery(32_767) }),
      );
      assert.ok(replaced && "task" in replaced);
      assert.equal(await versionOf(replaced.task.id), 32_767);
    },
  },
  {
    name: "the trace of a task stays whatever becomes of it, and what finds it leaves that",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const trace = { traceparent: "00-of-its-creator", baggage: 'tenant=7;why="none"' };
      const { id } = await scene.create({ key: "k", payload: {}, delivery: withTrace(null, trace) });
      const version = { payload: JSON_NULL, payloadVersion: 4 };
      const other = { traceparent: "00-of-another" };
      for (const changes of [{ priority: 1 }, version, { payload: jsonTextOf({}) }]) await edit(scene, id, { changes });
      for (const onConflict of ["return", "refresh", "merge"] as const)
        await scene.createAll(scene.newTask({ key: "k", onConflict, payload: {}, delivery: withTrace(null, other) }));
      const running = await scene.reclaim(id);
      assert.deepEqual(running.delivery, { kind: "handler", trace });
      await scene.bury(running);
      while ((await scene.store.archive(1_000)) > 0);
      await scene.retry(id);
      await edit(scene, id, { changes: version });
      assert.deepEqual((await scene.get(id)).delivery, { kind: "handler", payloadVersion: 4, trace });
    },
  },
  {
    name: "an edit of a webhook's payload leaves where it goes",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const webhook = { kind: "webhook", url: "https://example.com/" } as const;
      const { id } = await scene.create({ delivery: webhook });
      await edit(scene, id, { changes: { payload: JSON_NULL, payloadVersion: 4 } });
      assert.deepEqual((await scene.get(id)).delivery, webhook);
    },
  },
  {
    name: "a retry schedules a dead task again, due now, with a new account and a higher fence",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id: crashed, owner } = await scene.running({ key: "k" }, await scene.join());
      await scene.reap(owner);
      const execution = await scene.reclaim(crashed);
      await scene.bury(execution);
      const dead = await scene.get(execution.id);
      assert.equal(dead.crashCount, 1);
      await scene.advance(500);
      const reply = await scene.retry(execution.id);
      assert.equal(reply.outcome, "scheduled");
      const task = await scene.get(execution.id);
      assert.deepEqual(task, {
        ...dead,
        state: "scheduled",
        reason: null,
        dueAt: scene.now(),
        keyLive: true,
        fence: dead.fence + 1,
        attempt: 0,
        crashCount: 0,
        owner: null,
        node: null,
        result: null,
        lastError: null,
        errorPrint: null,
        version: task.version,
        claimedAt: null,
        startedAt: null,
        finishedAt: null,
        cancelRequestedAt: null,
        cancelledBy: null,
      });
      assert.ok(task.version > dead.version);
      assert.ok("task" in reply);
      assert.deepEqual(reply.task, task);
      assert.deepEqual([(await scene.reclaim(task.id)).fence, (await scene.get(task.id)).attempt], [dead.fence + 2, 1]);
    },
  },
  {
    name: "a retry brings a finished task back from history, however it ended",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const good = await scene.running({ key: "a" });
      const stopped = await scene.create({ key: "b" });
      await scene.succeed(good, { done: true });
      await scene.cancel(stopped.id);
      await scene.store.archive(1_000);
      for (const { id } of [good, stopped]) {
        assert.equal((await scene.retry(id)).outcome, "scheduled");
        const task = await scene.get(id);
        assert.deepEqual([task.state, task.result, task.cancelledBy, task.keyLive], ["scheduled", null, null, true]);
        await scene.succeed(await scene.reclaim(id));
      }
      const tasks = await findAll(scene.store, { namespace: scene.namespace });
      assert.equal(tasks.length, 2);
    },
  },
  {
    name: "a cancel request of an earlier account does not outlive a retry",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.cancel(execution.id);
      await scene.fail(execution);
      await scene.retry(execution.id);
      const again = await scene.reclaim(execution.id);
      assert.equal((await scene.store.verifyStart([again])).length, 1);
      assert.equal(await scene.fail(again), "scheduled");
    },
  },
  {
    name: "a retry whose key is held by another task is refused, from the live table and from history",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const dead = await scene.running({ key: "a" });
      const archived = await scene.running({ key: "b" });
      await scene.bury(dead);
      await scene.succeed(archived);
      await scene.store.archive(1_000);
      const holders = [await scene.create({ key: "a" }), await scene.create({ key: "b" })];
      for (const { id } of [dead, archived]) {
        const before = await scene.get(id);
        assert.equal((await scene.retry(id)).outcome, "key_conflict");
        assert.deepEqual(await scene.get(id), before);
      }
      for (const { id } of holders) await scene.cancel(id);
      for (const { id } of [dead, archived]) assert.equal((await scene.retry(id)).outcome, "scheduled");
    },
  },
  {
    name: "a task that is scheduled or running is not retried; an unknown or foreign id is not found",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const scheduled = await scene.create();
      const running = await scene.running();
      for (const { id } of [scheduled, running]) {
        const before = await scene.get(id);
        const reply = await scene.retry(id);
        assert.deepEqual({ ...reply }, { outcome: "state_conflict", task: before });
        assert.deepEqual(await scene.get(id), before);
      }
      assert.deepEqual({ ...(await scene.retry(scene.newTask().id)) }, { outcome: "not_found" });
      const foreign = await Scenario.open(subject);
      assert.equal((await foreign.retry(running.id)).outcome, "not_found");
    },
  },
];
