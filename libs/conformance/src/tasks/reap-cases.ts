import assert from "node:assert/strict";
import { killNode, refOf, Scenario, unknownBootId } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

export const reapCases: ConformanceCase[] = [
  {
    name: "a reaped task is due now after its first crash, the attempt not charged, the crash counted",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      await scene.advance(7_000);
      const reaped = await scene.reap(scene.node);
      const task = await scene.get(execution.id);
      assert.deepEqual(
        [task.state, task.attempt, task.crashCount, task.fence, task.owner, task.dueAt, task.startedAt, task.keyLive],
        ["scheduled", 0, 1, 2, null, scene.now(), execution.claimedAt, true],
      );
      assert.deepEqual(
        reaped.map(({ state, hint }) => [state, hint.id, hint.dueAt]),
        [["scheduled", task.id, task.dueAt]],
      );
    },
  },
  {
    name: "from the second crash on a task waits 1 s, twice as long after each further one, 60 s at most",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      const waits: number[] = [];
      for (let crash = 1; crash <= 10; crash++) {
        await scene.reclaim(id);
        await scene.reap(scene.node, 100);
        waits.push((await scene.get(id)).dueAt - scene.now());
        await scene.advance(60_000);
      }
      assert.deepEqual(waits, [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    },
  },
  {
    name: "a task that crashes its node maxCrashes times ends dead, reason CRASHES",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: "k" });
      const states: string[] = [];
      for (let crash = 1; crash <= 3; crash++) {
        await scene.reclaim(id);
        states.push(...(await scene.reap(scene.node, 3)).map((reaped) => reaped.state));
        await scene.advance(60_000);
      }
      assert.deepEqual(states, ["scheduled", "scheduled", "dead"]);
      const task = await scene.get(id);
      assert.deepEqual([task.state, task.reason, task.crashCount, task.keyLive], ["dead", "CRASHES", 3, false]);
    },
  },
  {
    name: "a reap takes running tasks of the named owners only, and at most its limit",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const dead = await scene.join();
      const other = await scene.join();
      const running = [await scene.running({}, dead), await scene.running({}, dead), await scene.running({}, dead)];
      const foreign = await scene.running({}, other);
      const ended = await scene.running({}, dead);
      await scene.succeed(ended);
      const limits = { leader: await scene.lead(), maxCrashes: 3, limit: 2 };
      const first = await scene.store.reap({ ...limits, owners: [dead, unknownBootId()] });
      const rest = await scene.store.reap({ ...limits, owners: [dead] });
      assert.deepEqual([first.length, rest.length], [2, 1]);
      const ids = [...first, ...rest].map(({ hint }) => hint.id).sort();
      assert.deepEqual(ids, running.map((task) => task.id).sort());
      assert.equal(await scene.state(foreign.id), "running");
      assert.equal(await scene.state(ended.id), "succeeded");
      assert.deepEqual(await scene.store.reap({ ...limits, owners: [] }), []);
    },
  },
  {
    name: "a leader whose term is over reaps nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const rival = await scene.join();
      const deposed = await scene.lead();
      const leader = await subject.cluster().takeTerm(rival, await subject.cluster().readTerm());
      assert.ok(leader);
      const asked = { owners: [scene.node], maxCrashes: 3, limit: 10 };
      for (const stale of [deposed, { ...leader, holder: scene.node }, { ...leader, term: leader.term + 1 }])
        assert.deepEqual(await scene.store.reap({ ...asked, leader: stale }), []);
      assert.deepEqual(await scene.steps(execution.id), ["none>scheduled", "scheduled>running"]);
      assert.equal((await scene.store.reap({ ...asked, leader })).length, 1);
    },
  },
  {
    name: "reap against complete: whichever comes first decides, and the other changes nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const reapedFirst = await scene.running();
      const completedFirst = await scene.running();
      await scene.succeed(completedFirst);
      assert.deepEqual(
        (await scene.reap(scene.node)).map(({ hint }) => hint.id),
        [reapedFirst.id],
      );
      const startedAt = scene.now();
      const late = await scene.store.settle([{ ...refOf(reapedFirst), startedAt, kind: "succeeded", result: null }]);
      assert.deepEqual(late, [null]);
      for (let round = 0; round < 20; round++) {
        const execution = await scene.running();
        const settlement = { ...refOf(execution), startedAt, kind: "succeeded", result: null } as const;
        const [reaped, [settled]] = await Promise.all([scene.reap(scene.node), scene.store.settle([settlement])]);
        assert.equal(reaped.length + (settled ? 1 : 0), 1);
        assert.equal(await scene.state(execution.id), settled ? "succeeded" : "scheduled");
      }
    },
  },
  {
    name: "the tasks that run under a node are listed with fence and cancel request, all or those among given ones",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const plain = await scene.running();
      const asked = await scene.running();
      const ended = await scene.running();
      await scene.running({}, await scene.join());
      await scene.cancel(asked.id);
      await scene.fail(ended);
      const rows = (await scene.store.runningUnder(scene.node)).map(
        (row) => `${row.id} ${row.fence} ${row.cancelRequested}`,
      );
      const expected = [`${plain.id} 1 false`, `${asked.id} 1 true`];
      assert.deepEqual(rows.sort(), expected.sort());
      assert.deepEqual(await scene.store.runningUnder(unknownBootId()), []);
      const [row] = await scene.store.runningUnder(scene.node, [asked.id, ended.id]);
      assert.deepEqual(row, { id: asked.id, fence: 1, cancelRequested: true });
      assert.deepEqual(await scene.store.runningUnder(unknownBootId(), [asked.id]), []);
      assert.deepEqual(await scene.store.runningUnder(scene.node, []), []);
    },
  },
  {
    name: "dead owners are the owners of running tasks that are dead or gone, each once",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const dead = await scene.join();
      const live = await scene.join();
      const draining = await scene.join();
      const idle = await scene.join();
      for (const owner of [dead, dead, live, draining]) await scene.running({}, owner);
      await killNode(subject, dead);
      await killNode(subject, idle);
      await subject.cluster().startDraining(draining);
      const ours = [dead, live, draining, idle];
      const owners = async () => (await scene.store.deadOwners()).filter((owner) => ours.includes(owner));
      assert.deepEqual(await owners(), [dead]);
      await scene.reap(dead);
      assert.deepEqual(await owners(), []);
    },
  },
  {
    name: "lost reply: a claim that was applied unseen is found under its owner and released without charge",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      await scene.store.claim({ owner: scene.node, ids: [id], claimAheadMs: 0 }); // the reply never arrives
      const [row] = (await scene.store.runningUnder(scene.node)).filter((running) => running.id === id);
      assert.ok(row);
      const release = { id, owner: scene.node, fence: row.fence, reason: "LOST_REPLY" };
      assert.equal((await scene.store.release([release]))[0]?.state, "scheduled");
      assert.equal((await scene.store.release([release]))[0], null);
      const again = await scene.reclaim(id);
      assert.deepEqual([again.attempt, again.fence], [1, 3]);
    },
  },
];
