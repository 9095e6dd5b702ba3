import assert from "node:assert/strict";
import type { AnnouncedSchedule, PlannedSchedule, PlanSchedule } from "@tickwheel/schedules";
import { Interleaving, type InterleavingCase, type Waiting } from "../subject/interleaving.js";
import type { Scenario } from "../subject/scenario.js";
import { changeOf, concludeEnded, ScheduleScenario, verdictOn } from "../subject/schedule-scene.js";

/** Makes the `run` of a case, with schedules. */
function interleaved(
  run: (order: Interleaving, scene: ScheduleScenario, tasks: Scenario) => Promise<void>,
): InterleavingCase["run"] {
  return Interleaving.of(async (order, tasks) => run(order, await ScheduleScenario.open(order.subject, tasks), tasks));
}

/** Creates the next occurrence if nothing lives, as a planner does. */
function nextOf(scene: ScheduleScenario): PlanSchedule {
  return (seen) => {
    const concluded = concludeEnded(seen);
    const lives = seen.open.length > concluded.length;
    const isPaused = seen.schedule.planning.pause !== null;
    const insert = lives || isPaused ? [] : [scene.occurrence(seen)];
    return changeOf(seen, { concluded, insert });
  };
}

/** A planner that has decided and stands before the write of the schedule's row, with its locks. */
async function planning(
  order: Interleaving,
  id: string,
  plan: () => Promise<unknown>,
): Promise<{ planner: Waiting<unknown>; open: () => Promise<void> }> {
  const open = await order.holdClusterWrites({ schedule: id });
  return { planner: await order.waits(plan), open };
}

async function liveOf(scene: ScheduleScenario, id: string): Promise<string[]> {
  return (await scene.store.openOf(scene.namespace, id)).map((hint) => hint.id);
}

export const interleavedScheduleCases: InterleavingCase[] = [
  {
    // A planner that read the schedule's occurrences before it locked the row would find none, like the first, and make
    // a second one; with a key per instant nothing else would stop it.
    name: "the second of two planners of a schedule sees what the first has made: there is one occurrence",
    run: interleaved(async (order, scene) => {
      const { id } = await scene.add();
      const keyless: PlanSchedule = (seen) =>
        changeOf(seen, { insert: seen.open.length > 0 ? [] : [scene.occurrence(seen, { task: { key: null } })] });
      const { planner, open } = await planning(order, id, () => scene.planOf(id, keyless));
      const second = await order.waits(() => scene.planOf(id, keyless));
      await open();
      await Promise.all([planner.reply, second.reply]);
      assert.equal((await liveOf(scene, id)).length, 1);
    }),
  },
  {
    // Each of the two would find room for two more, if it had counted before it held the schedule's row.
    name: "a planner and a caller who count what lives make no more occurrences together than may live",
    run: interleaved(async (order, scene) => {
      const { id } = await scene.add();
      const mostLive = 3;
      const upToTwo: PlanSchedule = (seen) => {
        const places = Math.min(mostLive - seen.open.length, 2);
        const insert = Array.from({ length: places }, () => scene.occurrence(seen, { task: { key: null } }));
        return changeOf(seen, { insert });
      };
      const { planner, open } = await planning(order, id, () => scene.planOf(id, upToTwo));
      const caller = await order.waits(() => scene.change(id, upToTwo));
      await open();
      await Promise.all([planner.reply, caller.reply]);
      assert.equal((await liveOf(scene, id)).length, mostLive);
    }),
  },
  {
    // A look that waited would plan nothing else until the other planner is through, and a look without a lock would
    // plan the schedule as well.
    name: "a look passes over a schedule that another planner holds",
    run: interleaved(async (order, scene) => {
      const due = (name: string) => scene.add({ name }, (first) => changeOf(first, { planning: { lookAt: 1 } }));
      const held = await due("held");
      const free = await due("free");
      const { planner, open } = await planning(order, held.id, () => scene.planOf(held.id, nextOf(scene)));
      const planned = await order.passes(() => scene.store.plan({ limit: 1_000 }, nextOf(scene)));
      assert.deepEqual(
        planned.map(({ schedule }) => schedule.name).filter((name) => ["held", "free"].includes(name)),
        ["free"],
      );
      await open();
      await planner.reply;
      assert.deepEqual([(await liveOf(scene, held.id)).length, (await liveOf(scene, free.id)).length], [1, 1]);
    }),
  },
  {
    // An edit that did not wait, or looked before it locked, would withdraw nothing: the occurrence with the old
    // payload would stay, and run.
    name: "an edit that meets a planner withdraws the occurrence which that has just made",
    run: interleaved(async (order, scene, tasks) => {
      const { id } = await scene.add();
      const { planner, open } = await planning(order, id, () => scene.planOf(id, nextOf(scene)));
      const edit = await order.waits(() =>
        scene.change(id, (seen) => {
          const next = { insert: [scene.occurrence(seen, { task: { payload: "2" as never } })] };
          const content = { ...scene.content({ payload: "2" as never }), actor: "ed" };
          return changeOf(seen, { ...verdictOn(seen, "withdraw", "SCHEDULE_CHANGED"), ...next, content });
        }),
      );
      await open();
      const [made] = ((await planner.reply) as PlannedSchedule[])[0]!.created;
      const edited = (await edit.reply)!;
      assert.deepEqual([edited.cancelled, edited.schedule.revision], [[made!.id], 2]);
      assert.deepEqual(await liveOf(scene, id), [edited.created[0]!.id]);
      assert.equal((await tasks.get(edited.created[0]!.id)).payload, "2");
    }),
  },
  {
    // A planner that decided by the row as it was before its wait would plan under the old content.
    name: "a planner that waits for an edit plans by the new content",
    run: interleaved(async (order, scene) => {
      const { id } = await scene.add();
      const content = { ...scene.content({ payload: "2" as never }), actor: "ed" };
      const { planner, open } = await planning(order, id, () =>
        scene.change(id, (seen) => changeOf(seen, { content })),
      );
      const next = await order.waits(() => scene.planOf(id, nextOf(scene)));
      await open();
      await planner.reply;
      const [planned] = await next.reply;
      assert.deepEqual([planned!.schedule.revision, planned!.schedule.payload], [2, "2"]);
    }),
  },
  {
    // A planner that looked at the pause before its wait would make an occurrence of a paused schedule.
    name: "a planner that waits for a pause plans nothing",
    run: interleaved(async (order, scene, tasks) => {
      const { id } = await scene.add();
      const pause = { since: tasks.now(), until: null, reason: "REQUESTED" as const };
      const { planner, open } = await planning(order, id, () =>
        scene.change(id, (seen) => changeOf(seen, { planning: { pause } })),
      );
      const next = await order.waits(() => scene.planOf(id, nextOf(scene)));
      await open();
      await Promise.all([planner.reply, next.reply]);
      assert.deepEqual(await liveOf(scene, id), []);
    }),
  },
  {
    // A planner that did not look at the row's newest version would make an occurrence for a schedule that is gone.
    name: "a planner that waits for a delete plans nothing",
    run: interleaved(async (order, scene) => {
      const { id } = await scene.add();
      const { planner, open } = await planning(order, id, () =>
        scene.change(id, (seen) => changeOf(seen, { isDeleted: true })),
      );
      const next = await order.waits(() => scene.planOf(id, nextOf(scene)));
      await open();
      await planner.reply;
      assert.deepEqual(await next.reply, []);
      assert.deepEqual(await liveOf(scene, id), []);
    }),
  },
  {
    // If the end's planner passed over the row that the edit holds, nobody would plan the next occurrence: the edit has
    // seen the old one run.
    name: "an occurrence that ends during an edit is concluded once the edit is through",
    run: interleaved(async (order, scene, tasks) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const execution = await tasks.reclaim(taskId);
      const content = { ...scene.content(), actor: "ed" };
      const states: string[] = [];
      const { planner, open } = await planning(order, schedule.id, () =>
        scene.change(schedule.id, (seen) => {
          states.push(...seen.open.map(({ state }) => state));
          return changeOf(seen, { content });
        }),
      );
      await order.passes(() => tasks.succeed(execution));
      const next = await order.waits(() => scene.planOf(schedule.id, nextOf(scene)));
      await open();
      await planner.reply;
      const [planned] = await next.reply;
      assert.deepEqual(states, ["running"]);
      assert.deepEqual(await liveOf(scene, schedule.id), [planned!.created[0]!.id]);
      assert.equal(planned!.schedule.revision, 2);
    }),
  },
  {
    // An edit that ended the task as it had read it would cancel an execution that has begun, and make a second one
    // beside it under the same key.
    name: "a withdrawal that meets a claim is decided anew: the occurrence that runs now stays",
    run: interleaved(async (order, scene, tasks) => {
      const { schedule, taskId } = await scene.withOccurrence();
      const open = await order.holdWrites(taskId);
      const claim = await order.waits(() => tasks.claim([taskId]));
      const states: string[] = [];
      const edit = await order.waits(() =>
        scene.change(schedule.id, (seen) => {
          states.push(seen.open[0]!.state);
          return changeOf(seen, verdictOn(seen, "withdraw", "SCHEDULE_CHANGED"));
        }),
      );
      await open();
      assert.equal((await claim.reply).length, 1);
      assert.deepEqual((await edit.reply)!.cancelled, []);
      assert.deepEqual(states, ["scheduled", "running"]);
      assert.equal(await tasks.state(taskId), "running");
    }),
  },
  {
    // A node that read the nodes of an announcement before its wait, and wrote them back, would take out the one that
    // has come meanwhile: a version that live nodes announce would look forgotten.
    name: "two nodes that announce two versions at once are both known",
    run: interleaved(async (order, scene, tasks) => {
      const first = tasks.node;
      const second = await tasks.join();
      const version = (name: string): AnnouncedSchedule => {
        const hash = `${name} of ${scene.namespace}`;
        return { namespace: scene.namespace, name: "report", application: "shop", hash, content: scene.codeContent };
      };
      const old = version("h0");
      const one = version("h1");
      const other = version("h2");
      for (const node of [first, second]) await scene.store.announce(node, [old]);
      const open = await order.holdClusterWrites({ announcement: old });
      const early = await order.waits(() => scene.store.announce(first, [old, one]));
      const late = await order.waits(() => scene.store.announce(second, [other]));
      await open();
      await Promise.all([early.reply, late.reply]);
      const known = (await scene.store.announced(60_000)).filter(({ namespace }) => namespace === scene.namespace);
      assert.deepEqual(
        known.map(({ hash, liveForMs }) => `${hash} ${liveForMs !== null}`).toSorted(),
        [old, one, other].map(({ hash }) => `${hash} true`),
      );
    }),
  },
];
