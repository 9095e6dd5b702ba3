import assert from "node:assert/strict";
import type { Pulse, PulseRequest } from "@tickwheel/core";
import { changeOf, ScheduleScenario } from "../subject/schedule-scene.js";
import { killNode, Scenario } from "../subject/scenario.js";
import type { ConformanceCase, TaskStoreSubject } from "../subject/subject.js";

const MANY = 1_000;

function pulseOf(subject: TaskStoreSubject, asked: Partial<PulseRequest> = {}): Promise<Pulse> {
  return subject.pulse().pulse({ expiring: [], asksOwners: false, ...asked });
}

export const pulseCases: ConformanceCase[] = [
  {
    name: "a pulse tells the timeline, and of dead owners nothing where it was not asked for them",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { timeline, deadOwners } = await pulseOf(subject);
      assert.deepEqual([timeline, deadOwners], [await scene.store.timeline(), null]);
    },
  },
  {
    name: "a pulse tells of ended tasks until all are in history; dead, running and waiting ones are none",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const archived = async (): Promise<boolean> => {
        while ((await scene.store.archive(MANY)) === MANY);
        return (await pulseOf(subject)).endedTasks;
      };
      assert.equal(await archived(), false);
      await scene.running();
      await scene.bury(await scene.running());
      await scene.create();
      assert.equal((await pulseOf(subject)).endedTasks, false);
      const cancelled = await scene.create();
      await scene.cancel(cancelled.id);
      assert.equal((await pulseOf(subject)).endedTasks, true);
      assert.equal(await archived(), false);
      const late = await scene.create({ startDeadlineMs: 10 });
      await scene.advance(11);
      assert.equal(await archived(), false);
      await scene.store.expire({ typeIds: [late.typeId], limit: MANY });
      assert.equal((await pulseOf(subject)).endedTasks, true);
      assert.equal(await archived(), false);
    },
  },
  {
    name: "a pulse tells of tasks past their start deadline of the types asked for, until they are expired",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const other = await Scenario.open(subject);
      const isLate = async (...scenes: Scenario[]): Promise<boolean> =>
        (await pulseOf(subject, { expiring: scenes.map(({ type }) => type.id) })).lateTasks;
      await scene.create({ startDeadlineMs: 10 });
      await scene.create();
      await scene.running({ startDeadlineMs: 10 });
      await scene.advance(10);
      assert.equal(await isLate(scene, other), false);
      await scene.advance(1);
      assert.deepEqual([await isLate(), await isLate(other), await isLate(other, scene)], [false, false, true]);
      assert.equal(await scene.store.expire({ typeIds: [scene.type.id], limit: MANY }), 1);
      assert.equal(await isLate(scene, other), false);
    },
  },
  {
    name: "a pulse tells of dead owners of running tasks until these are taken back",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const hasDead = async (): Promise<boolean | null> => {
        const { deadOwners } = await pulseOf(subject, { asksOwners: true });
        assert.equal(deadOwners, (await scene.store.deadOwners()).length > 0);
        return deadOwners;
      };
      await takeAllBack(scene);
      assert.equal(await hasDead(), false);
      const owner = await scene.join();
      const execution = await scene.running({}, owner);
      assert.equal(await hasDead(), false);
      await killNode(subject, owner);
      assert.equal(await hasDead(), true);
      await takeAllBack(scene);
      assert.equal(await hasDead(), false);
      assert.equal(await scene.state(execution.id), "scheduled");
    },
  },
  {
    name: "a pulse tells of schedules whose look has come, until they are planned; deleted ones have none",
    run: async (subject) => {
      const scene = await ScheduleScenario.open(subject);
      const planAll = () => scene.store.plan({ limit: MANY }, (seen) => changeOf(seen));
      while ((await planAll()).length === MANY);
      const isDue = async (): Promise<boolean> => (await pulseOf(subject)).dueSchedules;
      assert.equal(await isDue(), false);
      await scene.add({}, (first) => changeOf(first, { planning: { lookAt: first.now + 5 } }));
      await scene.add({ name: "gone" }, (first) => changeOf(first, { planning: { lookAt: first.now + 1 } }));
      await scene.store.change({ namespace: scene.namespace, name: "gone" }, (seen) =>
        changeOf(seen, { isDeleted: true }),
      );
      await scene.tasks.advance(4);
      assert.equal(await isDue(), false);
      await scene.tasks.advance(1);
      assert.equal(await isDue(), true);
      await planAll();
      assert.equal(await isDue(), false);
    },
  },
];

async function takeAllBack(scene: Scenario): Promise<void> {
  const owners = await scene.store.deadOwners();
  const leader = await scene.lead();
  while ((await scene.store.reap({ leader, owners, maxCrashes: 3, limit: MANY })).length === MANY);
}
