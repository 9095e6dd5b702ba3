import assert from "node:assert/strict";
import { MAX_COUNTED_STALLED, MAX_STALLED_NAMES, type StalledSchedules } from "@tickwheel/core";
import type { SchedulePause } from "@tickwheel/schedules";
import { changeOf, ScheduleScenario } from "../subject/schedule-scene.js";
import type { ConformanceCase } from "../subject/subject.js";

/** What is told of this scene's schedules, with its own type served or not. */
async function stalled(scene: ScheduleScenario, isServed: boolean): Promise<StalledSchedules[]> {
  const { id } = scene.tasks.type;
  const others = (await scene.store.stalled([])).map(({ typeId }) => typeId).filter((typeId) => typeId !== id);
  const told = await scene.store.stalled(isServed ? [...others, id] : others);
  return told.filter(({ namespace }) => namespace === scene.namespace);
}

async function addPaused(
  scene: ScheduleScenario,
  name: string,
  { reason, failures = 0 }: { reason: SchedulePause["reason"]; failures?: number },
): Promise<string> {
  const pausing = (pause: SchedulePause | null) => ({ failures, pause });
  const { id } = await scene.add({ name }, (seen) =>
    changeOf(seen, { planning: pausing({ since: seen.now, until: null, reason }) }),
  );
  return id;
}

function told(scene: ScheduleScenario, given: Partial<StalledSchedules>): StalledSchedules {
  const { id: typeId, type } = scene.tasks.type;
  const { namespace } = scene;
  return { typeId, namespace, type, reason: "NO_NODE", count: 1, names: [], failures: 0, since: 0, ...given };
}

export const stalledCases: ConformanceCase[] = [
  {
    name: "schedules in force are told where their type is not served, with names rising and the oldest change",
    run: ScheduleScenario.of(async (scene) => {
      const since = scene.tasks.now();
      await scene.add({ name: "b" });
      await scene.tasks.advance(1_000);
      for (const name of ["C", "a"]) await scene.add({ name });
      assert.deepEqual(await stalled(scene, true), []);
      assert.deepEqual(await stalled(scene, false), [told(scene, { count: 3, names: ["C", "a", "b"], since })]);
    }),
  },
  {
    name: "one that was paused by hand, is finished or was deleted is not told",
    run: ScheduleScenario.of(async (scene) => {
      await addPaused(scene, "paused", { reason: "REQUESTED" });
      await scene.add({ name: "finished" }, (seen) => changeOf(seen, { planning: { isFinished: true } }));
      const deleted = [(await scene.add({ name: "gone" })).id, await addPaused(scene, "late", { reason: "FAILURES" })];
      for (const id of deleted) await scene.change(id, (seen) => changeOf(seen, { isDeleted: true }));
      assert.deepEqual(await stalled(scene, false), []);
    }),
  },
  {
    name: "those that failed and those that no code defines are told by reason, served or not, until they are resumed",
    run: ScheduleScenario.of(async (scene) => {
      const since = scene.tasks.now();
      const id = await addPaused(scene, "b", { reason: "FAILURES", failures: 3 });
      await scene.tasks.advance(1_000);
      await addPaused(scene, "a", { reason: "FAILURES", failures: 5 });
      await addPaused(scene, "c", { reason: "UNANNOUNCED" });
      const failed = told(scene, { reason: "FAILURES", count: 2, names: ["a", "b"], failures: 5, since });
      const unannounced = told(scene, { reason: "UNANNOUNCED", names: ["c"], since: since + 1_000 });
      for (const isServed of [true, false]) assert.deepEqual(await stalled(scene, isServed), [failed, unannounced]);
      await scene.change(id, (seen) => changeOf(seen, { planning: { pause: null, failures: 0 } }));
      const fewer = { ...failed, count: 1, names: ["a"], since: since + 1_000 };
      assert.deepEqual(await stalled(scene, true), [fewer, unannounced]);
      const inForce = told(scene, { names: ["b"], since });
      assert.deepEqual(await stalled(scene, false), [fewer, inForce, unannounced]);
    }),
  },
  {
    name: "of many schedules the first are told by name, and they are counted up to a limit",
    run: ScheduleScenario.of(async (scene) => {
      const since = scene.tasks.now();
      const nameOf = (place: number): string => `s${String(place).padStart(3, "0")}`;
      const limits = { perNamespace: 1_000 };
      for (let place = MAX_COUNTED_STALLED + 4; place >= 0; place--)
        await scene.store.add(scene.newSchedule({ name: nameOf(place) }), limits, (seen) => changeOf(seen));
      const names = Array.from({ length: MAX_STALLED_NAMES }, (_, place) => nameOf(place));
      const [many] = await stalled(scene, false);
      assert.deepEqual(many, told(scene, { count: MAX_COUNTED_STALLED + 1, names, since: many!.since }));
      assert.ok(many!.since >= since);
    }),
  },
];
