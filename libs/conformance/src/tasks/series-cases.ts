import assert from "node:assert/strict";
import { type ExecutionRef, newTaskId, slotOfId } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { refOf, Scenario, wrongRefs } from "../subject/scenario.js";
import { shows } from "../subject/schedule-scene.js";
import type { ConformanceCase } from "../subject/subject.js";

const DAY_MS = 86_400_000;
const KEY = "order-1";
const random = new SeededRandom(60);

/** A running task of a series that goes on after a day and after three. */
function runningTask(scene: Scenario, given: Parameters<Scenario["running"]>[0] = {}) {
  return scene.running({ key: KEY, laterMs: [DAY_MS, 2 * DAY_MS], given: 0, tags: ["a"], priority: 2, ...given });
}

const newId = (scene: Scenario, started: ExecutionRef): string => newTaskId(scene.now(), slotOfId(started.id), random);
const goOn = (scene: Scenario, started: ExecutionRef) =>
  scene.store.continueSeries(refOf(started), newId(scene, started));

/** What a task of a series makes when it starts. */
export const seriesCases: ConformanceCase[] = [
  {
    name: "a task of a series makes the next one, once: the same task at its next instant, under the same key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const started = await runningTask(scene, { startDeadlineMs: 60_000, payload: { order: 8 } });
      assert.equal(started.given, 8);
      const before = await scene.get(started.id);
      await scene.advance(20);
      const next = (await goOn(scene, started))!;
      const at = before.scheduledAt + DAY_MS;
      const { payload, priority, maxAttempts, backoff, timeoutMs, tags, createdBy } = before;
      const same = { payload, priority, maxAttempts, backoff, timeoutMs, tags, createdBy, key: KEY, keyLive: true };
      const times = { scheduledAt: at, dueAt: at, startDeadlineAt: at + 60_000, createdAt: scene.now() };
      shows(next, {
        ...same,
        ...times,
        laterMs: [2 * DAY_MS],
        given: 8,
        state: "scheduled",
        attempt: 0,
        continues: started.id,
      });
      assert.deepEqual(await scene.get(next.id), next);
      shows(await scene.get(started.id), { state: "running", keyLive: false, continuedBy: next.id });
      assert.equal(await goOn(scene, started), null);
      await scene.succeed(started);
      assert.equal((await scene.holder(KEY))!.id, next.id);
    },
  },
  {
    name: "a later attempt makes no further one",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const started = await runningTask(scene);
      const next = (await goOn(scene, started))!;
      await scene.fail(started);
      await scene.advance(2_000);
      assert.equal(await goOn(scene, await scene.reclaim(started.id)), null);
      await scene.cancel(next.id);
      assert.equal(await scene.holder(KEY), null);
    },
  },
  {
    name: "an instant that has passed is due at once, and the last task makes none",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const started = await scene.running({ key: KEY, laterMs: [1_000] });
      await scene.advance(5_000);
      const next = (await goOn(scene, started))!;
      shows(next, { dueAt: scene.now(), laterMs: [] });
      const last = await scene.reclaim(next.id);
      assert.equal(last.given & 8, 0);
      assert.equal(await goOn(scene, last), null);
    },
  },
  {
    name: "a stale task, a cancelled one and one whose key another task has taken make none",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const stale = await runningTask(scene);
      for (const wrong of wrongRefs(stale, await scene.join())) assert.equal(await goOn(scene, wrong), null);
      assert.equal((await scene.cancel(stale.id)).outcome, "cancel_requested");
      assert.equal(await goOn(scene, stale), null);
      const taken = await runningTask(scene, { key: "order-2" });
      await scene.createAll(scene.newTask({ key: "order-2", onConflict: "refresh", due: { delayMs: DAY_MS } }));
      assert.equal(await goOn(scene, taken), null);
      const task = await scene.running({ key: "order-3" });
      assert.equal(await goOn(scene, task), null);
    },
  },
];
