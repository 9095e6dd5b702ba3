import assert from "node:assert/strict";
import { FIRST_VITALS, type ClaimedTask } from "@tickwheel/core";
import { killBlockedNode, killNode, labelOf, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

/** The task is claimed by its own node, which dies with a blocked loop, and is reaped. */
async function killed(scene: Scenario, id: string): Promise<string> {
  const node = await scene.join();
  await scene.reclaim(id, node);
  await killBlockedNode(scene, node);
  const [reaped] = await scene.reap(node);
  return reaped!.state;
}

/** A suspect that runs again, on a live node. */
export async function runningSuspect(scene: Scenario): Promise<ClaimedTask> {
  const { id } = await scene.create();
  await killed(scene, id);
  await scene.advance(10_000);
  return scene.reclaim(id);
}

export const quarantineCases: ConformanceCase[] = [
  {
    name: "tasks that ran in a blocked loop when their node died are suspects, due one after the other, and the one called last is the last",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const node = await scene.join();
      const last = await scene.running({}, node);
      const first = await scene.running({}, node);
      const second = await scene.running({}, node);
      await killBlockedNode(scene, node, last.id);
      await scene.reap(node);
      const waits = await Promise.all(
        [first, second, last].map(async ({ id }) => (await scene.get(id)).dueAt - scene.now()),
      );
      assert.deepEqual([...waits.slice(0, 2).sort((one, other) => one - other), waits[2]], [0, 50, 1_100]);
      const ids = [first.id, second.id, last.id];
      assert.deepEqual((await scene.store.suspectsAmong(ids)).sort(), ids.sort());
      const steps = (await scene.journal(first.id)).map(({ reason }) => reason);
      assert.equal(steps.at(-1), "LOOP_BLOCKED");
    },
  },
  {
    name: "tasks are no suspects after their first crash if their node's loop was not blocked, or if they had ended before",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const crashed = await scene.join();
      const blocked = await scene.join();
      const task = await scene.running({}, crashed);
      const ended = await scene.running({}, blocked);
      await scene.succeed(ended);
      await killNode(subject, crashed);
      await killBlockedNode(scene, blocked);
      await scene.reap(crashed);
      await scene.reap(blocked);
      assert.deepEqual(await scene.store.suspectsAmong([task.id, ended.id]), []);
      assert.deepEqual(await scene.store.suspectsAmong([]), []);
    },
  },
  {
    name: "a loop that was blocked and turned again before its node died makes no suspects",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const node = await scene.join();
      const { id } = await scene.running({}, node);
      const cluster = subject.cluster();
      await cluster.beat(node, { ...FIRST_VITALS, blocked: { forMs: 2_000, running: [], lastStarted: null } });
      const beat = await cluster.beat(node, { ...FIRST_VITALS, blocked: null });
      await cluster.declareDead({ bootId: node, beat: beat!.beat, leader: await scene.lead() });
      await scene.reap(node);
      assert.deepEqual(await scene.store.suspectsAmong([id]), []);
    },
  },
  {
    name: "a task whose loop was blocked when its second node died ends dead, and says where and when",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: "k" });
      const nodes = [await scene.join(), await scene.join()];
      const told: string[] = [];
      for (const node of nodes) {
        await scene.reclaim(id, node);
        await killBlockedNode(scene, node);
        await scene.reap(node, 5);
        told.push(`node ${labelOf(node)} at ${new Date(scene.now()).toISOString()} (its event loop was blocked)`);
        await scene.advance(10_000);
      }
      const task = await scene.get(id);
      assert.deepEqual([task.state, task.reason, task.crashCount, task.keyLive], ["dead", "CRASHES", 2, false]);
      assert.equal(task.lastError, `its nodes died: ${told.join("; ")}`);
    },
  },
  {
    name: "a task with one kill in a blocked loop ends dead by maxCrashes crashes of any kind, and by no fewer",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      const states = [await killed(scene, id)];
      for (let crash = 2; crash <= 3; crash++) {
        await scene.advance(10_000);
        const node = await scene.join();
        await scene.reclaim(id, node);
        await killNode(subject, node);
        states.push((await scene.reap(node))[0]!.state);
      }
      assert.deepEqual(states, ["scheduled", "scheduled", "dead"]);
      const [first, ...others] = (await scene.get(id)).lastError!.split("; ");
      assert.match(first!, /its event loop was blocked/);
      assert.deepEqual(
        others.map((death) => death.includes("blocked")),
        [false, false],
      );
    },
  },
  {
    name: "a retry opens a new account: kills before it are not counted",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      await killed(scene, id);
      await scene.advance(10_000);
      assert.equal(await killed(scene, id), "dead");
      await scene.retry(id);
      const node = await scene.join();
      await scene.reclaim(id, node);
      await killNode(subject, node);
      await scene.reap(node);
      assert.deepEqual(await scene.store.suspectsAmong([id]), []);
      assert.equal(await killed(scene, id), "scheduled");
      assert.deepEqual(await scene.store.suspectsAmong([id]), [id]);
    },
  },
  {
    name: "one execution at a time is in quarantine, until its task is no longer running",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const one = await runningSuspect(scene);
      const two = await runningSuspect(scene);
      assert.deepEqual(await scene.store.enterQuarantine(refOf(one)), { entered: true });
      await scene.advance(700);
      assert.deepEqual(await scene.store.enterQuarantine(refOf(two)), { entered: false, occupiedForMs: 700 });
      assert.deepEqual(await scene.store.enterQuarantine(refOf(one)), { entered: true });
      await scene.succeed(one);
      assert.deepEqual(await scene.store.enterQuarantine(refOf(two)), { entered: true });
      await scene.store.release([{ ...refOf(two), reason: "DRAIN" }]);
      const again = await scene.reclaim(two.id);
      assert.deepEqual(await scene.store.enterQuarantine(refOf(again)), { entered: true });
      await scene.succeed(again);
    },
  },
  {
    name: "a stale execution does not enter the quarantine",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const suspect = await runningSuspect(scene);
      const stale = [
        { ...refOf(suspect), fence: suspect.fence - 1 },
        { ...refOf(suspect), owner: await scene.join() },
      ];
      for (const ref of stale) assert.equal((await scene.store.enterQuarantine(ref)).entered, false);
      await scene.succeed(suspect);
      assert.equal((await scene.store.enterQuarantine(refOf(suspect))).entered, false);
    },
  },
  {
    name: "the quarantine's occupant and its time there are reported while suspects wait",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const occupant = await runningSuspect(scene);
      await scene.store.enterQuarantine(refOf(occupant));
      const { id } = await scene.create();
      await killed(scene, id);
      await scene.advance(1_500);
      const told = await scene.store.quarantine();
      assert.ok(told && told.waiting >= 1);
      assert.deepEqual(
        { ...told.occupant },
        { id: occupant.id, type: scene.type.type, node: labelOf(scene.node), forMs: 1_500 },
      );
      await scene.succeed(occupant);
      assert.equal((await scene.store.quarantine())?.occupant, null);
      await scene.cancel(id);
    },
  },
];
