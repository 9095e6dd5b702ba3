import assert from "node:assert/strict";
import { TickwheelError } from "@tickwheel/core";
import { decide, newPlanningState, type PlanSchedule, type ScheduleDefinition } from "@tickwheel/schedules";
import { changeOf, concludeEnded, MINUTE_MS, ScheduleScenario, shows } from "../subject/schedule-scene.js";
import type { ConformanceCase } from "../subject/subject.js";

export const planCases: ConformanceCase[] = [
  {
    name: "a schedule is read as it was added, by name and by id, and by nobody of another namespace",
    run: ScheduleScenario.of(async (scene) => {
      const content = scene.content({ source: { application: "shop", hash: "h1" }, payload: '{"a": 1.50}' as never });
      const added = await scene.add(content, (first) => changeOf(first, { planning: { lookAt: first.now + 5 } }));
      const { namespace } = scene;
      const now = scene.tasks.now();
      const made = { createdAt: now, changedAt: now, createdBy: "ann", changedBy: "ann", revision: 1 };
      shows(added, { ...content, ...made, namespace, name: "report" });
      const unpaused = {
        isFinished: false,
        pauseNote: null,
        pausedBy: null,
        backfill: null,
        backfilled: [],
        zoneRules: null,
        wallAt: null,
      };
      assert.deepEqual(added.planning, { ...newPlanningState(now), ...unpaused, lookAt: now + 5 });
      for (const ref of [{ name: "report" }, { id: added.id }]) {
        assert.deepEqual(await scene.store.get({ namespace, ...ref }), added);
        assert.equal(await scene.store.get({ namespace: "elsewhere", ...ref }), null);
      }
    }),
  },
  {
    name: "a name is given once in a namespace, and a namespace has no more schedules than it may have",
    run: ScheduleScenario.of(async (scene) => {
      await scene.add();
      const again = (name: string, perNamespace: number) =>
        scene.store.add(scene.newSchedule({ name }), { perNamespace }, (first) => changeOf(first));
      assert.equal(await again("report", 100), null);
      await assert.rejects(again("other", 1), (error) => codeOf(error) === "VALIDATION_FAILED");
      assert.ok(await again("other", 2));
      assert.equal(await again("report", 1), null);
    }),
  },
  {
    name: "schedules of code are listed by themselves, by namespace and name, but for deleted ones",
    run: ScheduleScenario.of(async (scene) => {
      const { namespace, store } = scene;
      const source = { application: "shop", hash: "h1" };
      for (const name of ["b", "a", "C", "e"]) await scene.add({ name, source });
      await scene.add({ name: "d" });
      await store.change({ namespace, name: "b" }, (seen) => changeOf(seen, { isDeleted: true }));
      const first = await store.listInCode({ limit: 2, after: { namespace, name: "" } });
      const second = await store.listInCode({ limit: 1, after: first.at(-1)! });
      assert.deepEqual(
        [first, second].map((page) => page.map((one) => [one.namespace, one.name])),
        [
          [
            [namespace, "C"],
            [namespace, "a"],
          ],
          [[namespace, "e"]],
        ],
      );
      const before = await store.listInCode({ limit: 1_000, after: null });
      assert.equal(before.filter((one) => one.namespace === namespace).length, 3);
    }),
  },
  {
    name: "a change of the content raises the revision and notes who; another change does neither",
    run: ScheduleScenario.of(async (scene) => {
      const { id } = await scene.add();
      await scene.tasks.advance(1_000);
      const paused = { since: scene.tasks.now(), until: null, reason: "REQUESTED" as const };
      const planning = { pause: paused, pauseNote: "stock-taking", pausedBy: "ben", backlog: [], failures: 2 };
      const first = await scene.change(id, (seen) => changeOf(seen, { planning }));
      shows(first!.schedule, { revision: 1, changedBy: "ann", planning });
      const content = { ...scene.content({ payload: "[7]" as never, taskOptions: { priority: 2 } }), actor: "cleo" };
      const second = await scene.change(id, (seen) => changeOf(seen, { content }));
      const { actor: changedBy, ...rest } = content;
      const now = scene.tasks.now();
      shows(second!.schedule, {
        ...rest,
        revision: 2,
        changedBy,
        changedAt: now,
        createdBy: "ann",
      });
      assert.equal(second!.schedule.createdAt, now - 1_000);
      assert.deepEqual(await scene.store.get({ namespace: scene.namespace, id }), second!.schedule);
    }),
  },
  {
    name: "a change that decides for nothing, of a missing schedule or from another namespace writes nothing",
    run: ScheduleScenario.of(async (scene) => {
      const before = await scene.add();
      assert.equal(await scene.change(before.id, () => null), null);
      assert.equal(await scene.change(scene.newSchedule().id, (seen) => changeOf(seen)), null);
      assert.equal(await scene.store.change({ namespace: "elsewhere", id: before.id }, (seen) => changeOf(seen)), null);
      assert.deepEqual(await scene.store.get({ namespace: scene.namespace, id: before.id }), before);
    }),
  },
  {
    name: "schedules that were planned under an older tzdata are found, up to the limit, until a newer one is noted",
    run: ScheduleScenario.of(async (scene) => {
      const planned: [string, string | null][] = [
        ["old", "0001a"],
        ["older", "0000z"],
        ["none", null],
        ["new", "0002a"],
        ["deleted", "0000a"],
      ];
      for (const [name, zoneRules] of planned)
        await scene.add({ name }, (first) => changeOf(first, { planning: { zoneRules, wallAt: 7 } }));
      const { namespace, store } = scene;
      await store.change({ namespace, name: "deleted" }, (seen) => changeOf(seen, { isDeleted: true }));
      const takeOver = async (limit: number): Promise<string[]> => {
        const done = await store.plan({ limit, rulesBefore: "0001b" }, (seen) =>
          seen.schedule.namespace === namespace ? changeOf(seen, { planning: { zoneRules: "0001b" } }) : null,
        );
        return done.map(({ schedule }) => schedule.name).toSorted();
      };
      assert.deepEqual(await takeOver(1_000), ["old", "older"]);
      assert.deepEqual(await takeOver(1_000), []);
      const { zoneRules, wallAt } = (await store.get({ namespace, name: "old" }))!.planning;
      assert.deepEqual([zoneRules, wallAt], ["0001b", 7]);
    }),
  },
  {
    name: "a look finds the schedules whose time has come, the oldest first, up to its limit",
    run: ScheduleScenario.of(async (scene) => {
      const now = scene.tasks.now();
      // Far back, so that what other cases have left does not come first.
      for (const [name, lookAt] of [
        ["late", 2],
        ["later", 1],
        ["today", now],
        ["next", now + 1],
        ["never", null],
      ] as const)
        await scene.add({ name }, (first) => changeOf(first, { planning: { lookAt } }));
      assert.deepEqual(await scene.dueNow(), ["later", "late", "today"]);
      assert.deepEqual(await scene.dueNow(1), ["later"]);
      await scene.tasks.advance(1);
      assert.deepEqual((await scene.dueNow()).sort(), ["late", "later", "next", "today"]);
      await settleLooks(scene);
    }),
  },
  {
    name: "a plan of schedules by their ids plans them whether or not their look has come, but no deleted one",
    run: ScheduleScenario.of(async (scene) => {
      const one = await scene.add({ name: "1" });
      const two = await scene.add({ name: "2" });
      const gone = await scene.add({ name: "3" });
      await scene.change(gone.id, (seen) => changeOf(seen, { isDeleted: true }));
      const of = [one, two, gone].map(({ id }) => id);
      const planned = await scene.store.plan({ limit: 10, of }, (seen) =>
        changeOf(seen, { planning: { failures: 1 } }),
      );
      assert.deepEqual(planned.map(({ schedule }) => schedule.name).sort(), ["1", "2"]);
      assert.equal((await scene.store.plan({ limit: 1, of }, (seen) => changeOf(seen))).length, 1);
    }),
  },
  {
    name: "an occurrence is created as a task that holds its key, and the next decision sees it",
    run: ScheduleScenario.of(async (scene) => {
      const { schedule, taskId } = await scene.withOccurrence({ tags: ["a"] });
      const task = await scene.tasks.get(taskId);
      shows(task, {
        key: `schedule:${schedule.id}`,
        keyLive: true,
        state: "scheduled",
        tags: ["a"],
      });
      const { open, last, now } = await scene.look(schedule.id);
      assert.equal(last, null);
      assert.equal(now, scene.tasks.now());
      const live = {
        state: "scheduled",
        startedAt: null,
        attemptEndedAt: null,
        attempt: 0,
        maxAttempts: 3,
        dueAt: task.dueAt,
      };
      const identity = { taskId, kind: "spec", at: now, missed: 0, hasMissedMore: false, isCancelRequested: false };
      assert.deepEqual(open, [{ ...identity, ...live, reason: null, finishedAt: null }]);
      const [hint] = await scene.store.openOf(scene.namespace, schedule.id);
      shows(hint!, { id: taskId, at: now, kind: "spec", dueAt: task.dueAt });
    }),
  },
  {
    name: "one schedule whose key another task holds does not fail the others' plan, and is looked at later",
    run: ScheduleScenario.of(async (scene) => {
      const held = await scene.add({ name: "held" });
      const free = await scene.add({ name: "free" });
      const { id: existingId } = await scene.tasks.create({ key: `schedule:${held.id}` });
      const plan: PlanSchedule = (seen) =>
        changeOf(seen, { insert: [scene.occurrence(seen)], planning: { failures: 9 } });
      const planned = await scene.store.plan({ limit: 10, of: [held.id, free.id] }, plan);
      assert.deepEqual(
        planned.map(({ schedule, created }) => [schedule.name, created.length]),
        [["free", 1]],
      );
      const left = (await scene.store.get({ namespace: scene.namespace, id: held.id }))!;
      assert.equal(left.planning.failures, 0);
      assert.ok(left.planning.lookAt! > scene.tasks.now());
      assert.deepEqual(await scene.runs(held.id), []);
      await assert.rejects(scene.change(held.id, plan), (error) => {
        assert.ok(error instanceof TickwheelError);
        return error.code === "TASK_KEY_CONFLICT" && error.details.existingId === existingId;
      });
      await scene.tasks.cancel(existingId);
      assert.equal((await scene.planOf(held.id, plan)).length, 1);
    }),
  },
  {
    name: "the real decisions run a schedule for an hour: each minute once, each run concluded",
    run: ScheduleScenario.of(async (scene) => {
      const plan = realPlan(scene);
      const { id } = await scene.add({}, plan);
      for (let minute = 0; minute < 60; minute++) {
        await scene.tasks.advance(MINUTE_MS);
        const [live] = await scene.store.openOf(scene.namespace, id);
        await scene.tasks.succeed(await scene.tasks.reclaim(live!.id));
        assert.equal((await scene.planOf(id, plan)).length, 1);
      }
      const runs = (await scene.runs(id)).map((run) => ("outcome" in run ? [run.at, run.outcome] : []));
      const start = Math.ceil((scene.tasks.now() - 60 * MINUTE_MS + 1) / MINUTE_MS) * MINUTE_MS;
      assert.equal(runs.length, 61);
      assert.deepEqual(
        runs.reverse(),
        Array.from({ length: 61 }, (_, index) => [start + index * MINUTE_MS, index < 60 ? "succeeded" : null]),
      );
    }),
  },
];

/** Plans as the engine does, in few words: a chain that always succeeds. */
function realPlan(scene: ScheduleScenario): PlanSchedule {
  return (seen) => {
    const { schedule, now, open } = seen;
    const concluded = concludeEnded(seen);
    const ended = open.find(({ taskId }) => taskId === concluded[0]?.taskId);
    const last = ended && { at: ended.at, startedAt: ended.startedAt, endedAt: ended.finishedAt!, isTrigger: false };
    const definition: ScheduleDefinition = { ...schedule.definition, id: schedule.id, createdAt: schedule.createdAt };
    const { insert, skips, state, lookAt } = decide({
      definition,
      state: schedule.planning,
      now,
      live: null,
      last: last ?? null,
    });
    const inserted = insert.map(({ at, dueAt }) => scene.occurrence(seen, { at, task: { due: { at: dueAt } } }));
    return changeOf(seen, { concluded, skips, insert: inserted, planning: { ...state, lookAt } });
  };
}

async function settleLooks(scene: ScheduleScenario): Promise<void> {
  await scene.store.plan({ limit: 1_000 }, (seen) => changeOf(seen));
}

function codeOf(error: unknown): string {
  return error instanceof TickwheelError ? error.code : String(error);
}
