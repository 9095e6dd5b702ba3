import assert from "node:assert/strict";
import { newTaskId, noLateness, slotOfKey, type Tally, type TaskFilter, TERMINAL_STATES } from "@tickwheel/core";
import { copyOf } from "@tickwheel/testing";
import { SeededRandom } from "@tickwheel/testing";
import { refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

async function findIds(scene: Scenario, filter: Partial<TaskFilter> = {}): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  for (let pages = 0; pages < 50; pages++) {
    const page = await scene.store.find({ namespace: scene.namespace, limit: 3, ...filter, after });
    found.push(...page.tasks.map((task) => task.id));
    if (page.next === null) return found;
    after = page.next;
  }
  throw new assert.AssertionError({ message: "the pages never end" });
}

/** One task of each state but `expired`. The succeeded one is in history. */
async function oneOfEach(scene: Scenario) {
  const succeeded = await scene.running({ key: "a" });
  await scene.succeed(succeeded);
  await scene.store.archive(1_000);
  const dead = await scene.running({ key: "b" });
  await scene.bury(dead);
  const cancelled = await scene.create({ key: "a" });
  await scene.cancel(cancelled.id);
  const running = await scene.running({ key: "a" });
  const scheduled = await scene.create({ key: "c", due: { delayMs: 1_000 } });
  return {
    succeeded: succeeded.id,
    dead: dead.id,
    cancelled: cancelled.id,
    running: running.id,
    scheduled: scheduled.id,
  };
}

/** Writes the tallies of what the case has done, as a node does each second. */
async function tell(scene: Scenario, counts: Partial<Tally>): Promise<void> {
  const nothing = { created: 0, started: 0, failed: 0, dead: 0, succeeded: 0, skipped: 0, cancelled: 0 };
  const noStart = {
    latestMs: null,
    latenessMs: [],
    latenessCounts: [],
    placeMs: 0,
    lastError: null,
    latenessPartsMs: noLateness(),
  };
  const tally = { at: scene.now(), typeId: scene.type.id, ...nothing, ...noStart, ...counts };
  await scene.store.tally({ writer: "7", label: "10.0.0.1:1", tallies: [tally], doubts: [], isLast: true });
}

export const readCases: ConformanceCase[] = [
  {
    name: "of some tasks, those that wait or run are live; ended, archived and unknown ones are not",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const tasks = await oneOfEach(scene);
      const paused = await scene.create({ due: { delayMs: 1_000 } });
      await scene.store.pause({ target: { namespace: scene.namespace, id: paused.id }, actor: "a" });
      const unknown = newTaskId(scene.now(), 0, new SeededRandom(7));
      const live = await scene.store.liveAmong([...Object.values(tasks), paused.id, unknown]);
      assert.deepEqual(live.toSorted(), [tasks.running, tasks.scheduled, paused.id].toSorted());
      assert.deepEqual(await scene.store.liveAmong([]), []);
    },
  },
  {
    name: "the store answers its clock",
    async run(subject) {
      assert.equal(await subject.store().now(), subject.now());
    },
  },
  {
    name: "the store answers its timeline, which stays the same while no standby is promoted",
    async run(subject) {
      const timeline = await subject.store().timeline();
      assert.match(timeline ?? "", /^[0-9A-F]+$/);
      assert.equal(await subject.store().timeline(), timeline);
    },
  },
  {
    name: "an unknown id and an id of another namespace are absent",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const other = await Scenario.open(subject);
      const { id } = await other.create();
      for (const absent of [id, scene.newTask().id]) {
        assert.equal(await scene.store.get(scene.namespace, absent), null);
        assert.equal(await scene.store.journal({ namespace: scene.namespace, id: absent, limit: 200 }), null);
      }
    },
  },
  {
    name: "tasks are found over live table and history, newest id first, page by page, each once",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const created: string[] = [];
      for (let index = 0; index < 8; index++) {
        await scene.advance(1); // ids are ordered by the millisecond in which they were made
        const execution = await scene.running();
        created.push(execution.id);
        if (index % 2 === 0) await scene.succeed(execution);
        if (index % 4 === 0) await scene.store.archive(1_000);
      }
      assert.deepEqual(await findIds(scene), [...created].reverse());
      assert.deepEqual(await findIds(scene, { limit: 1 }), [...created].reverse());
    },
  },
  {
    name: "a page ends with the task that reaches its bytes, and the next page goes on behind it, over live table and history",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const created: string[] = [];
      for (let index = 0; index < 6; index++) {
        await scene.advance(1);
        const execution = await scene.running({ payload: "x".repeat(20_000), key: "long" });
        created.unshift(execution.id);
        if (index < 2) await scene.succeed(execution, "y".repeat(200_000));
        else await scene.bury(execution);
      }
      const { namespace, store } = scene;
      const page = await store.find({ namespace, limit: 200, maxBytes: 50_000 });
      assert.deepEqual(
        page.tasks.map(({ id }) => id),
        created.slice(0, 3),
      );
      assert.equal(page.next, created[2]);
      assert.equal(page.incomplete, false);
      assert.ok(page.bytes > 60_000 && page.bytes < 70_000);
      for (const filter of [{}, { key: "long" }, { type: "order.cancel" }, { states: TERMINAL_STATES }])
        for (const maxBytes of [1, 50_000, 150_000])
          assert.deepEqual(await findIds(scene, { limit: 200, maxBytes, ...filter }), created);
      assert.equal((await store.find({ namespace, limit: 200, maxBytes: 1_000_000 })).next, null);
    },
  },
  {
    name: "every filter narrows the found tasks",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const second = await scene.store.ensureType({ namespace: scene.namespace, type: "b", delivery: "handler" });
      const tasks = await oneOfEach(scene);
      const other = await scene.create({ typeId: second.id, due: { delayMs: 500 } });
      const found = async (filter: Partial<TaskFilter>) => (await findIds(scene, filter)).sort();
      assert.deepEqual(await found({ type: "b" }), [other.id]);
      assert.deepEqual(await found({ type: "unknown" }), []);
      assert.deepEqual(await found({ states: ["succeeded"] }), [tasks.succeeded]);
      assert.deepEqual(await found({ states: ["dead", "running"] }), [tasks.dead, tasks.running].sort());
      assert.deepEqual(await found({ key: "a" }), [tasks.succeeded, tasks.cancelled, tasks.running].sort());
      assert.deepEqual(await found({ key: "a", live: true }), [tasks.running]);
      assert.deepEqual(await found({ key: "a", live: false }), [tasks.succeeded, tasks.cancelled].sort());
      assert.deepEqual(await found({ live: true }), [tasks.running, tasks.scheduled, other.id].sort());
      assert.deepEqual(await found({ type: "order.cancel", key: "c", states: ["scheduled"] }), [tasks.scheduled]);
    },
  },
  {
    name: "a key finds its live task and all tasks that had it: ended ones in the live table and in history, and one that lost it while it ran",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const other = await scene.store.ensureType({ namespace: scene.namespace, type: "b", delivery: "handler" });
      const wish = { key: "order-42" };
      const dead = await scene.running(wish);
      await scene.bury(dead);
      const succeeded = await scene.running(wish);
      await scene.succeed(succeeded);
      const overtaken = await scene.running(wish);
      const next = await scene.create({ ...wish, onConflict: "refresh", due: { delayMs: 60_000 } });
      await scene.fail(overtaken);
      const slot = slotOfKey(scene.namespace, other.type, wish.key);
      const id = newTaskId(scene.now(), slot, new SeededRandom(1));
      const ofOtherType = await scene.create({ ...wish, typeId: other.id, id });
      await scene.create({ key: "order-43" });
      const ofKey = [dead.id, succeeded.id, overtaken.id, next.id];
      const found = async (filter: Partial<TaskFilter>) => (await findIds(scene, filter)).sort();
      assert.deepEqual(await found({ ...wish, type: "order.cancel" }), ofKey.sort());
      assert.deepEqual(await found(wish), [...ofKey, ofOtherType.id].sort());
      assert.deepEqual(await found({ ...wish, type: "order.cancel", live: true }), [next.id]);
      assert.deepEqual(await found({ ...wish, states: ["dead"] }), [dead.id]);
      assert.deepEqual(await found({ ...wish, states: ["scheduled"], live: false }), [overtaken.id]);
      assert.deepEqual(await found({ key: "order-44" }), []);
    },
  },
  {
    name: "a range of `scheduledAt` includes its start and excludes its end",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const from = scene.now() + 100;
      const [, first, last] = [
        await scene.create({ due: { delayMs: 99 } }),
        await scene.create({ due: { delayMs: 100 } }),
        await scene.create({ due: { delayMs: 199 } }),
        await scene.create({ due: { delayMs: 200 } }),
      ];
      const found = await findIds(scene, { scheduledFrom: from, scheduledTo: from + 100 });
      assert.deepEqual(found.sort(), [first.id, last.id].sort());
    },
  },
  {
    name: "finished tasks move to history and are read from there; dead, scheduled and running ones stay",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const tasks = await oneOfEach(scene);
      const before = await Promise.all(Object.values(tasks).map((id) => scene.get(id)));
      const journals = await Promise.all(Object.values(tasks).map((id) => scene.journal(id)));
      while ((await scene.store.archive(1)) > 0);
      assert.deepEqual(await Promise.all(Object.values(tasks).map((id) => scene.get(id))), before);
      assert.deepEqual(await Promise.all(Object.values(tasks).map((id) => scene.journal(id))), journals);
      assert.equal((await findIds(scene)).length, 5);
      assert.equal(await scene.store.archive(1_000), 0);
    },
  },
  {
    name: "an archive moves at most its limit",
    async run(subject) {
      const scene = await Scenario.open(subject);
      while ((await scene.store.archive(1_000)) > 0);
      for (let index = 0; index < 3; index++) {
        const execution = await scene.running();
        await scene.cancel(execution.id);
        await scene.fail(execution);
      }
      assert.deepEqual(
        [await scene.store.archive(2), await scene.store.archive(2), await scene.store.archive(2)],
        [2, 1, 0],
      );
    },
  },
  {
    name: "stats count every state over live table and history, and what is due",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await oneOfEach(scene);
      await tell(scene, { succeeded: 1 });
      await scene.advance(1_250);
      await scene.create();
      await scene.create({ due: { delayMs: 1 } });
      const stats = copyOf(await scene.store.stats(scene.namespace));
      assert.deepEqual(stats.counts, {
        scheduled: 3,
        paused: 0,
        running: 1,
        succeeded: 1,
        dead: 1,
        cancelled: 1,
        expired: 0,
      });
      assert.deepEqual([stats.countedAt, stats.overdue, stats.oldestOverdueMs], [scene.now(), 2, 250]);
    },
  },
  {
    name: "tasks are counted once when they move to history, and no more when they are brought back",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const good = await scene.running();
      await scene.succeed(good);
      await tell(scene, { succeeded: 1 });
      const bad = await scene.create();
      await scene.cancel(bad.id);
      const counts = async () => {
        const { succeeded, cancelled, scheduled } = (await scene.store.stats(scene.namespace)).counts;
        return [succeeded, cancelled, scheduled];
      };
      assert.deepEqual(await counts(), [1, 1, 0]);
      while ((await scene.store.archive(1_000)) > 0);
      assert.deepEqual(await counts(), [1, 1, 0]);
      for (const { id } of [good, bad]) await scene.store.retry({ namespace: scene.namespace, id, actor: "somebody" });
      assert.deepEqual(await counts(), [0, 0, 2]);
    },
  },
  {
    name: "stats of an empty namespace are zero",
    async run(subject) {
      const scene = await Scenario.open(subject);
      assert.deepEqual(copyOf(await scene.store.stats(scene.namespace)), {
        counts: { scheduled: 0, paused: 0, running: 0, succeeded: 0, dead: 0, cancelled: 0, expired: 0 },
        countedAt: scene.now(),
        overdue: 0,
        oldestOverdueMs: null,
        lastMinute: { created: 0, started: 0, succeeded: 0, skipped: 0, failed: 0, latenessMs: null },
      });
    },
  },
  {
    name: "stats of the last minute tell how many tasks were created and ended in it, and how late they started",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const waits = [0, 60_000, 60_990, 0];
      const tasks = await Promise.all(waits.map((delayMs) => scene.create({ due: { delayMs } })));
      await scene.succeed(await scene.reclaim(tasks[0]!.id));
      await scene.advance(61_000);
      const late = await scene.reclaim(tasks[1]!.id);
      const good = await scene.reclaim(tasks[2]!.id);
      const bad = await scene.reclaim(tasks[3]!.id);
      const startedAt = scene.now() + 40;
      await scene.advance(50);
      await scene.store.settle([
        { ...refOf(late), startedAt, kind: "succeeded", result: null },
        { ...refOf(good), startedAt, kind: "skipped" },
        { ...refOf(bad), startedAt, kind: "dead", reason: "ATTEMPTS", error: "e" },
      ]);
      await scene.create();
      await scene.fail(await scene.running(), 5_000);
      const lateness = { latestMs: 61_040, latenessMs: [1_088, 61_440], latenessCounts: [2, 1] };
      await tell(scene, { created: 2, started: 3, succeeded: 2, skipped: 1, failed: 2, dead: 1, ...lateness });
      const { latenessMs, ...counts } = copyOf(await scene.store.stats(scene.namespace)).lastMinute;
      assert.deepEqual(counts, { created: 2, started: 3, succeeded: 2, skipped: 1, failed: 2 });
      assert.equal(latenessMs?.max, 61_040);
      assert.ok(latenessMs.p50 >= 1_040 && latenessMs.p50 < 1_040 * 1.125, String(latenessMs.p50));
      assert.equal(latenessMs.p99, 61_040);
    },
  },
  {
    name: "tasks past their retention are forgotten: finished ones first, dead ones by their own retention, never one that has not ended",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const days = 86_400_000;
      const retention = { historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 30 };
      await scene.store.maintain(retention);
      const good = await scene.running();
      const dead = await scene.running();
      const open = await scene.create({ due: { delayMs: 100 * days } });
      await scene.succeed(good);
      await scene.bury(dead);
      await scene.store.archive(1_000);
      const kept = async () => {
        await scene.store.maintain(retention);
        return (await Promise.all([good, dead, open].map(({ id }) => scene.store.get(scene.namespace, id)))).map(
          (task) => task?.state ?? null,
        );
      };
      await scene.advance(6 * days);
      assert.deepEqual(await kept(), ["succeeded", "dead", "scheduled"]);
      await scene.advance(3 * days);
      assert.deepEqual(await kept(), [null, "dead", "scheduled"]);
      await scene.advance(23 * days);
      assert.deepEqual(await kept(), [null, null, "scheduled"]);
      assert.equal(await scene.store.journal({ namespace: scene.namespace, id: dead.id, limit: 200 }), null);
    },
  },
];
