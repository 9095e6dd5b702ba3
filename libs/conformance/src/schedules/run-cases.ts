import assert from "node:assert/strict";
import { RUNS_KEPT, type ScheduleScene, type SkippedStretch } from "@tickwheel/schedules";
import { changeOf, concludeEnded, ScheduleScenario, shows } from "../subject/schedule-scene.js";
import type { ConformanceCase } from "../subject/subject.js";

function stretch(from: number): SkippedStretch {
  return { from, to: from + 50, count: 6, hasMore: false, reason: "MISSED" };
}

export const runCases: ConformanceCase[] = [
  {
    name: "skipped stretches are rows of the runs, before the occurrence of the same decision",
    run: ScheduleScenario.of(async (scene) => {
      const { id } = await scene.add();
      const now = scene.tasks.now();
      const skips: SkippedStretch[] = [stretch(now - 100), { ...stretch(now - 40), hasMore: true, reason: "OVERLAP" }];
      const planned = await scene.change(id, (seen) =>
        changeOf(seen, { skips, insert: [scene.occurrence(seen, { missed: 12, hasMissedMore: true })] }),
      );
      const taskId = planned!.created[0]!.id;
      const made = { seq: 3, kind: "spec", taskId, at: now, missed: 12, hasMissedMore: true, stoodFor: null };
      const live = { dueAt: now, startedAt: null, outcome: null, reason: null, finishedAt: null };
      assert.deepEqual(await scene.runs(id), [
        { ...made, ...live },
        { ...skips[1]!, kind: "skip", seq: 2 },
        { ...skips[0]!, kind: "skip", seq: 1 },
      ]);
    }),
  },
  {
    name: "a concluded run keeps its end after its task is gone, and what it stood in for",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const now = scene.tasks.now();
      await scene.tasks.reclaim(taskId);
      const stoodFor = now + 7;
      const told = { taskId, stoodFor, missed: 7, hasMissedMore: false };
      await scene.look(schedule.id, () => ({ concluded: [told] }));
      const live = { at: now, stoodFor, missed: 7, outcome: null, finishedAt: null };
      shows(await scene.runs(schedule.id), [live]);
      const [open] = (await scene.look(schedule.id)).open;
      shows(open!, { taskId, missed: 7, state: "running" });
      const { owner, fence } = await scene.tasks.get(taskId);
      await scene.tasks.succeed({ id: taskId, owner: owner!, fence });
      await scene.look(schedule.id, (seen) => ({ concluded: concludeEnded(seen) }));
      const ended = { ...live, outcome: "succeeded", finishedAt: now, startedAt: now };
      shows(await scene.runs(schedule.id), [ended]);
    }),
  },
  {
    name: "the runs are read page by page, the last written first",
    run: ScheduleScenario.of(async (scene) => {
      const { id } = await scene.add();
      const skips = Array.from({ length: 5 }, (_, index) => stretch(1_000 * index));
      await scene.look(id, () => ({ skips }));
      const seqs = async (limit: number, before: number | null) =>
        (await scene.runs(id, { limit, before })).map(({ seq }) => seq);
      assert.deepEqual(await seqs(2, null), [5, 4]);
      assert.deepEqual(await seqs(2, 4), [3, 2]);
      assert.deepEqual(await seqs(2, 2), [1]);
      assert.deepEqual(await scene.store.runs({ namespace: "elsewhere", id, limit: 9, before: null }), []);
    }),
  },
  {
    name: "of a schedule the newest runs are kept, and older ones only until they are concluded",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const many = Array.from({ length: RUNS_KEPT }, (_, index) => stretch(1_000 * index));
      for (let round = 0; round < 2; round++) await scene.look(schedule.id, () => ({ skips: many }));
      const seqs = async () => (await scene.runs(schedule.id)).map(({ seq }) => seq);
      assert.deepEqual([(await seqs()).length, (await seqs()).at(-1), (await seqs()).at(-2)], [RUNS_KEPT + 1, 1, 102]);
      assert.deepEqual(
        (await scene.look(schedule.id)).open.map((each) => each.taskId),
        [taskId],
      );
      await scene.tasks.succeed(await scene.tasks.reclaim(taskId));
      await scene.look(schedule.id, (seen) => ({ concluded: concludeEnded(seen) }));
      assert.deepEqual([(await seqs()).length, (await seqs()).at(-1)], [RUNS_KEPT, 102]);
    }),
  },
  {
    name: "a change that asks for the past sees the kept runs, and whether they are all that there ever were",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule } = await scene.withOccurrence();
      const { namespace } = scene;
      const pastOf = async () => {
        let past: ScheduleScene["past"];
        const look = (seen: ScheduleScene): null => {
          past = seen.past;
          return null;
        };
        assert.equal(await scene.store.change({ namespace, id: schedule.id }, look, { withPast: true }), null);
        return past!;
      };
      await scene.look(schedule.id, () => ({ skips: [stretch(0)] }));
      assert.deepEqual(await pastOf(), { runs: await scene.runs(schedule.id), areAll: true });
      assert.equal((await scene.look(schedule.id)).past, undefined);
      const skips = Array.from({ length: RUNS_KEPT - 1 }, (_, index) => stretch(1_000 * index));
      await scene.look(schedule.id, () => ({ skips }));
      const { runs, areAll } = await pastOf();
      // The occurrence lives, so it is kept beyond the bound.
      assert.deepEqual([runs.length, runs.at(-1)!.seq, runs.at(-1)!.kind, areAll], [RUNS_KEPT + 1, 1, "spec", false]);
    }),
  },
  {
    name: "a backfill that goes on is kept with the schedule, instant for instant, and its runs are told as such",
    run: ScheduleScenario.of(async (scene) => {
      const { id } = await scene.add();
      const now = scene.tasks.now();
      const left = Array.from({ length: 1_000 }, (_, index) => now - (1_000 - index) * 60_000);
      const asked = { from: left[0]!, to: now, count: 1_000, since: now, by: "key:1" };
      const planning = { backfill: { ...asked, left }, backfilled: [{ from: 5, to: 7 }] };
      const at = left[0]!;
      await scene.change(id, (seen) => {
        const task = { key: `schedule:${id}:backfill:${at}`, priority: 9 };
        return changeOf(seen, { planning, insert: [scene.occurrence(seen, { kind: "backfill", at, task })] });
      });
      shows((await scene.store.get({ namespace: scene.namespace, id }))!.planning, planning);
      shows(await scene.runs(id), [{ kind: "backfill", at, dueAt: now, outcome: null }]);
      await scene.change(id, (seen) => changeOf(seen, { planning: { backfill: null } }));
      const { backfill, backfilled } = (await scene.look(id)).schedule.planning;
      assert.deepEqual([backfill, backfilled], [null, planning.backfilled]);
    }),
  },
];
