import assert from "node:assert/strict";
import { changeOf, concludeEnded, ScheduleScenario, shows, verdictOn } from "../subject/schedule-scene.js";
import { refOf } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

const VERDICTS = ["cancel", "withdraw", "end-retries"] as const;

export const liveCases: ConformanceCase[] = [
  ...VERDICTS.map((verdict): ConformanceCase => ({
    name: `${verdict} ends an occurrence that waits, journalled with the reason, and the same change creates the next`,
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const planned = await scene.change(schedule.id, (seen) => {
        const next = { insert: [scene.occurrence(seen)], actor: "dora" };
        const concluded = [{ taskId, stoodFor: null, missed: 0, hasMissedMore: false }];
        return changeOf(seen, { ...verdictOn(seen, verdict, "SCHEDULE_CHANGED"), ...next, concluded });
      });
      assert.deepEqual([planned!.cancelled, planned!.asked, planned!.created.length], [[taskId], [], 1]);
      const ended = { state: "cancelled", reason: "SCHEDULE_CHANGED", keyLive: false, cancelledBy: "dora" };
      shows(await scene.tasks.get(taskId), { ...ended, finishedAt: scene.tasks.now() });
      const entry = (await scene.tasks.journal(taskId)).at(-1)!;
      shows(entry, { to: "cancelled", reason: "SCHEDULE_CHANGED", actor: "dora" });
      const { open, last } = await scene.look(schedule.id);
      assert.deepEqual(
        open.map((each) => each.taskId),
        [planned!.created[0]!.id],
      );
      const end = { taskId, state: "cancelled", reason: "SCHEDULE_CHANGED", finishedAt: scene.tasks.now() };
      if (verdict === "withdraw") assert.equal(last, null);
      else shows(last!, { ...end, startedAt: null });
    }),
  })),
  {
    name: "cancel asks a running occurrence to stop, once, and it ends with the reason",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const execution = await scene.tasks.reclaim(taskId);
      const cancel = () => scene.change(schedule.id, (seen) => changeOf(seen, verdictOn(seen, "cancel")));
      assert.deepEqual((await cancel())!.asked, [refOf(execution)]);
      const asked = await scene.tasks.get(taskId);
      shows(asked, { state: "running", keyLive: true, cancelRequestedAt: scene.tasks.now() });
      assert.equal((await scene.look(schedule.id)).open[0]!.isCancelRequested, true);
      await scene.tasks.advance(1_000);
      assert.deepEqual((await cancel())!.asked, []);
      assert.equal((await scene.tasks.get(taskId)).cancelRequestedAt, asked.cancelRequestedAt);
      assert.equal(await scene.tasks.fail(execution), "cancelled");
      const ended = { state: "cancelled", reason: "OVERLAP", cancelledBy: "schedule:report" };
      shows(await scene.tasks.get(taskId), ended);
    }),
  },
  {
    name: "a cancel for people leaves the reason that every cancel at a request has",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const execution = await scene.tasks.reclaim(taskId);
      await scene.look(schedule.id, (seen) => verdictOn(seen, "cancel", "REQUESTED"));
      assert.equal((await scene.tasks.get(taskId)).reason, null);
      assert.equal(await scene.tasks.fail(execution), "cancelled");
      assert.equal((await scene.tasks.get(taskId)).reason, "REQUESTED");
    }),
  },
  {
    name: "a withdrawn occurrence leaves no run: its instant is open again",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      await scene.look(schedule.id, (seen) => verdictOn(seen, "withdraw", "SCHEDULE_CHANGED"));
      assert.equal(await scene.tasks.state(taskId), "cancelled");
      const { namespace } = scene;
      assert.deepEqual(await scene.store.runs({ namespace, id: schedule.id, limit: 10, before: null }), []);
      const { open, last } = await scene.look(schedule.id);
      assert.deepEqual([open, last], [[], null]);
    }),
  },
  {
    name: "each attempt is told the same instant, also once it is written which one it stands for",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const startedAt = scene.tasks.now();
      const first = await scene.begin(taskId, startedAt);
      await scene.tasks.reclaim(taskId);
      const stoodFor = first!.at + 5_000;
      const concluded = [{ taskId, stoodFor, missed: 5, hasMissedMore: false }];
      await scene.change(schedule.id, (seen) => changeOf(seen, { concluded }));
      const again = await scene.begin(taskId, startedAt + 60_000);
      assert.deepEqual([again!.at, again!.missed, again!.startedAt], [stoodFor, 5, startedAt]);
    }),
  },
  {
    name: "withdraw leaves an occurrence that has started, whether it runs or waits for its retry",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const execution = await scene.tasks.reclaim(taskId);
      const withdraw = () => scene.change(schedule.id, (seen) => changeOf(seen, verdictOn(seen, "withdraw")));
      assert.deepEqual((await withdraw())!.cancelled, []);
      await scene.tasks.fail(execution);
      assert.deepEqual((await withdraw())!.cancelled, []);
      assert.equal(await scene.tasks.state(taskId), "scheduled");
    }),
  },
  {
    name: "a retrying occurrence tells when its first attempt started and when its last one ended; end-retries ends it",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const startedAt = scene.tasks.now();
      assert.ok(await scene.begin(taskId, startedAt));
      for (let attempt = 0; attempt < 2; attempt++) {
        const execution = await scene.tasks.reclaim(taskId);
        await scene.tasks.advance(1_000);
        await scene.tasks.fail(execution);
      }
      const attemptEndedAt = scene.tasks.now();
      await scene.tasks.advance(500);
      const { open } = await scene.look(schedule.id, (seen) => verdictOn(seen, "end-retries"));
      shows(open[0]!, { state: "scheduled", attempt: 2, startedAt, attemptEndedAt });
      shows(await scene.tasks.get(taskId), { state: "cancelled", reason: "OVERLAP" });
    }),
  },
  {
    name: "end-retries lets the attempt that executes finish, and its failure is the last",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const execution = await scene.tasks.reclaim(taskId);
      await scene.look(schedule.id, (seen) => verdictOn(seen, "end-retries"));
      shows(await scene.tasks.get(taskId), { state: "running", maxAttempts: 1, reason: null });
      assert.equal(await scene.tasks.fail(execution), "dead");
      shows(await scene.tasks.get(taskId), { state: "dead", reason: "ATTEMPTS", attempt: 1 });
    }),
  },
  {
    name: "what has ended is seen until a decision concludes it; then it is the last one",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const startedAt = scene.tasks.now();
      await scene.tasks.succeed(await scene.tasks.reclaim(taskId));
      await scene.tasks.advance(1_000);
      const ended = { taskId, state: "succeeded", startedAt, finishedAt: startedAt };
      const seen = await scene.look(schedule.id);
      shows(seen.open, [ended]);
      await scene.look(schedule.id, (again) => ({ concluded: concludeEnded(again) }));
      const { open, last } = await scene.look(schedule.id);
      assert.deepEqual(open, []);
      shows(last!, ended);
    }),
  },
  {
    name: "the last one is the one that ended last, and never a backfill",
    run: ScheduleScenario.of(async (scene) => {
      const { id } = await scene.add();
      const kinds = ["spec", "trigger", "backfill"] as const;
      const planned = await scene.change(id, (seen) =>
        changeOf(seen, { insert: kinds.map((kind) => scene.occurrence(seen, { kind, task: { key: null } })) }),
      );
      const [spec, trigger, backfill] = planned!.created.map((task) => task.id);
      for (const taskId of [trigger!, spec!, backfill!]) {
        await scene.tasks.advance(10);
        await scene.tasks.succeed(await scene.tasks.reclaim(taskId));
      }
      await scene.look(id, (seen) => ({ concluded: concludeEnded(seen) }));
      assert.equal((await scene.look(id)).last!.taskId, spec);
    }),
  },
  {
    name: "the start of an occurrence is noted once, and a handler is told of its instant and schedule",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const at = scene.tasks.now();
      const begun = await scene.begin(taskId, at + 5);
      assert.deepEqual(begun, {
        schedule,
        kind: "spec",
        at,
        missed: 0,
        hasMissedMore: false,
        startedAt: at + 5,
      });
      assert.equal((await scene.begin(taskId, at + 9_000))!.startedAt, at + 5);
      assert.equal((await scene.look(schedule.id)).open[0]!.startedAt, at + 5);
      assert.equal(await scene.begin((await scene.tasks.create()).id, at), null);
    }),
  },
  {
    name: "starts that are noted together are answered in their order, each for its own task",
    run: ScheduleScenario.of(async (scene) => {
      const schedules = [];
      for (const name of ["one", "two", "three"])
        schedules.push(
          await scene.addPlanned({ name }, (seen) => changeOf(seen, { insert: [scene.occurrence(seen)] })),
        );
      const at = scene.tasks.now();
      const taskIds = schedules.map(({ created }) => created[0]!.id).reverse();
      const none = (await scene.tasks.create()).id;
      const starts = [...taskIds.slice(0, 2), none, taskIds[2]!].map((taskId, index) => {
        return { taskId, startedAt: at + index };
      });
      const begun = await scene.store.begin(starts);
      assert.deepEqual(
        begun.map((one) => one && [one.schedule.name, one.startedAt - at]),
        [["three", 0], ["two", 1], null, ["one", 3]],
      );
      assert.deepEqual(await scene.store.begin([]), []);
    }),
  },
  {
    name: "an occurrence whose first attempt ended before it was noted has started with that attempt",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      await scene.tasks.fail(await scene.tasks.reclaim(taskId));
      const { startedAt } = await scene.tasks.get(taskId);
      await scene.tasks.advance(60_000);
      await scene.tasks.reclaim(taskId);
      assert.equal((await scene.look(schedule.id)).open[0]!.startedAt, startedAt);
      assert.equal((await scene.begin(taskId, scene.tasks.now()))!.startedAt, startedAt);
    }),
  },
  {
    name: "a deleted schedule's name is free: the new one has another id, and the old run goes on under the old",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const execution = await scene.tasks.reclaim(taskId);
      const lookAt = scene.tasks.now();
      await scene.change(schedule.id, (seen) => changeOf(seen, { isDeleted: true, planning: { lookAt } }));
      for (const ref of [{ name: "report" }, { id: schedule.id }])
        assert.equal(await scene.store.get({ namespace: scene.namespace, ...ref }), null);
      assert.deepEqual(await scene.dueNow(), []);
      assert.equal(await scene.change(schedule.id, (seen) => changeOf(seen)), null);
      const next = await scene.withOccurrence();
      assert.notEqual(next.schedule.id, schedule.id);
      assert.equal((await scene.begin(taskId, lookAt))!.schedule.id, schedule.id);
      await scene.tasks.succeed(execution);
      const [run] = await scene.runs(schedule.id);
      shows(run!, { taskId, outcome: "succeeded" });
      assert.deepEqual(
        (await scene.runs(next.schedule.id)).map(({ seq }) => seq),
        [1],
      );
    }),
  },
];
