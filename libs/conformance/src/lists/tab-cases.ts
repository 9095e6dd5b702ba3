import assert from "node:assert/strict";
import { TASK_TABS, type Task, type TaskFilter, type TaskTab } from "@tickwheel/core";
import { refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

const HOUR_MS = 3_600_000;

/** The ids of a list, from pages of two. */
async function idsOf(scene: Scenario, filter: Partial<TaskFilter>): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await scene.store.find({ namespace: scene.namespace, limit: 2, ...filter, after });
    ids.push(...page.tasks.map(({ id }) => id));
    if (page.next === null) return ids;
    after = page.next;
  }
}

async function assertTabs(scene: Scenario, expected: Partial<Record<TaskTab, string[]>>): Promise<void> {
  for (const tab of TASK_TABS) assert.deepEqual([tab, await idsOf(scene, { tab })], [tab, expected[tab] ?? []]);
}

/** Creates a task that is due in so many milliseconds, one millisecond after the one before. */
async function dueIn(scene: Scenario, delayMs: number): Promise<Task> {
  const task = await scene.create({ due: { delayMs } });
  await scene.advance(1);
  return task;
}

/** Ends an execution, one millisecond after the one before. */
async function end(scene: Scenario, how: "bury" | "succeed"): Promise<string> {
  const execution = await scene.running();
  await scene.advance(1);
  await scene[how](execution);
  return execution.id;
}

/** Lists of tasks by what is the matter with them. */
export const tabCases: readonly ConformanceCase[] = [
  {
    name: "tasks that wait are overdue or scheduled by their due time, the first one first",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const [late, soon, later, latest] = [
        await dueIn(scene, HOUR_MS),
        await dueIn(scene, 2 * HOUR_MS),
        await dueIn(scene, 3 * HOUR_MS),
        await dueIn(scene, HOUR_MS - 9),
      ].map(({ id }) => id) as [string, string, string, string];
      await assertTabs(scene, { scheduled: [latest, late, soon, later] });
      await scene.advance(HOUR_MS);
      await assertTabs(scene, { overdue: [latest, late], scheduled: [soon, later] });
    },
  },
  {
    name: "tasks of one due time are listed by id",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const tasks = Array.from({ length: 7 }, () => scene.newTask({ due: { delayMs: HOUR_MS } }));
      await scene.createAll(...tasks);
      await assertTabs(scene, { scheduled: tasks.map(({ id }) => id).sort() });
    },
  },
  {
    name: "tasks that run are listed by their claim, and paused ones by their creation",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const first = await scene.create();
      const second = await scene.create();
      const third = await scene.create();
      for (const { id } of [second, first]) {
        await scene.reclaim(id);
        await scene.advance(1);
      }
      const paused = [await dueIn(scene, HOUR_MS), await dueIn(scene, HOUR_MS)];
      for (const { id } of paused.toReversed()) await scene.pause(id);
      await assertTabs(scene, {
        running: [second.id, first.id],
        overdue: [third.id],
        paused: paused.map(({ id }) => id),
      });
    },
  },
  {
    name: "a task whose attempt failed is failing until it runs again; one that was snoozed or given back is not",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const failed = await scene.running();
      const next = await scene.running();
      const snoozed = await scene.running();
      const released = await scene.running();
      await scene.fail(failed, 2 * HOUR_MS);
      await scene.fail(next, HOUR_MS);
      await scene.snooze(snoozed, HOUR_MS);
      await scene.store.release([{ ...refOf(released), reason: "DRAIN" }]);
      assert.deepEqual(await idsOf(scene, { tab: "failing" }), [next.id, failed.id]);
      await scene.advance(HOUR_MS);
      await scene.reclaim(next.id);
      assert.deepEqual(await idsOf(scene, { tab: "failing" }), [failed.id]);
    },
  },
  {
    name: "dead tasks are listed by their death, finished ones by day and creation, the newest first",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const buried = await scene.running();
      const dead = await end(scene, "bury");
      await scene.advance(1);
      await scene.bury(buried);
      const cancelled = await scene.create();
      await scene.advance(1);
      const succeeded = await end(scene, "succeed");
      await scene.cancel(cancelled.id);
      const finished = [succeeded, cancelled.id];
      await assertTabs(scene, { dead: [buried.id, dead], finished });
      while ((await scene.store.archive(1_000)) > 0);
      await assertTabs(scene, { dead: [buried.id, dead], finished });
    },
  },
  {
    name: "lists take the node that runs a task or ran it last",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const running = await scene.running();
      const failed = await scene.running();
      const dead = await scene.running();
      await scene.fail(failed, HOUR_MS);
      await scene.bury(dead);
      await scene.create();
      const node = (await scene.get(running.id)).node!;
      assert.deepEqual((await idsOf(scene, { node })).sort(), [running.id, failed.id, dead.id].sort());
      assert.deepEqual(await idsOf(scene, { node, tab: "failing" }), [failed.id]);
      assert.deepEqual(await idsOf(scene, { node: `${node}0` }), []);
    },
  },
  {
    name: "lists take a part of the last error, whatever its case, and take it literally",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const failed = await scene.running();
      await scene.fail(failed, HOUR_MS);
      await scene.create();
      for (const error of ["no answer", "NO", "Answer", " "])
        assert.deepEqual(await idsOf(scene, { error }), [failed.id]);
      for (const error of ["no%", "_", "n.", "\\", "answers"]) assert.deepEqual(await idsOf(scene, { error }), []);
      assert.deepEqual(await idsOf(scene, { error: "no answer", tab: "failing" }), [failed.id]);
    },
  },
  {
    name: "lists take stretches of the creation and of the due time, whose ends are left out",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const one = await dueIn(scene, HOUR_MS);
      const two = await dueIn(scene, 2 * HOUR_MS);
      for (const tab of [undefined, "scheduled"] as const) {
        assert.deepEqual(await idsOf(scene, { tab, createdFrom: two.createdAt }), [two.id]);
        assert.deepEqual(await idsOf(scene, { tab, createdTo: two.createdAt }), [one.id]);
        assert.deepEqual(await idsOf(scene, { tab, dueFrom: two.dueAt }), [two.id]);
        assert.deepEqual(await idsOf(scene, { tab, dueTo: two.dueAt }), [one.id]);
        assert.deepEqual(await idsOf(scene, { tab, dueFrom: one.dueAt, dueTo: one.dueAt }), []);
      }
    },
  },
  {
    name: "nothing stands behind a cursor of another tab",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await scene.createAll(...Array.from({ length: 3 }, () => scene.newTask()));
      const asked = { namespace: scene.namespace, limit: 1 };
      const { next } = await scene.store.find({ ...asked, tab: "overdue" });
      const page = await scene.store.find({ ...asked, tab: "running", after: next! });
      assert.deepEqual([page.tasks, page.next, page.incomplete], [[], null, false]);
    },
  },
];
