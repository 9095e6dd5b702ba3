import assert from "node:assert/strict";
import type { ConformanceCase } from "../subject/subject.js";
import { idsOf, LeaseScene } from "./lease-scene.js";
import { LimitScene } from "./limit-scene.js";
import { changed } from "./setting-scene.js";

/** Due tasks of a pulled type, oldest first. */
async function open(...given: Parameters<typeof LeaseScene.open>) {
  const leases = await LeaseScene.open(...given);
  const limits = new LimitScene(leases.scene);
  const due = async (count: number) => (await limits.due(count)).sort();
  /** What a pull takes, and whether there is room for more. */
  const take = async (most = 10) => {
    const reply = await leases.pull({ most });
    return { ids: idsOf(reply), isFull: reply.isFull, mayBeMore: reply.mayBeMore };
  };
  return { leases, limits, scene: leases.scene, due, take };
}

/** Pulls within the limits of the whole cluster. */
export const pullLimitCases: ConformanceCase[] = [
  {
    name: "a pull takes as many as its type has places, and tells when there are no more",
    async run(subject) {
      const { leases, limits, scene, due, take } = await open(subject);
      const limitId = await limits.limit({ maxRunning: 3 });
      const ids = await due(5);
      assert.deepEqual(await take(2), { ids: ids.slice(0, 2), isFull: false, mayBeMore: true });
      assert.deepEqual(await take(), { ids: ids.slice(2, 3), isFull: true, mayBeMore: false });
      assert.deepEqual(await take(), { ids: [], isFull: true, mayBeMore: false });
      assert.deepEqual(await limits.state(limitId), { running: 3, tokens: null });
      changed(await leases.setting.set({ maxRunning: null }));
      assert.deepEqual(await take(), { ids: ids.slice(3), isFull: false, mayBeMore: false });
      assert.equal(await scene.state(ids[0]!), "running");
    },
  },
  {
    name: "whatever ends an execution frees its place: a success, a failure, a release, the end of its lease",
    async run(subject) {
      const { leases, limits, scene, due, take } = await open(subject);
      const limitId = await limits.limit({ maxRunning: 4 });
      await due(4);
      const { tasks } = await leases.pull();
      const [one, two, three, four] = tasks;
      await scene.succeed(one!);
      await scene.fail(two!, 600_000);
      await leases.outlast();
      const next = await due(2);
      assert.deepEqual(await take(), { ids: next, isFull: true, mayBeMore: false });
      assert.equal((await leases.end()).length, 2);
      assert.deepEqual(await limits.state(limitId), { running: 2, tokens: null });
      assert.deepEqual((await take()).ids, [three!.id, four!.id].sort());
    },
  },
  {
    name: "of the limits of a type and its namespace the smaller room counts, and a pull takes places in both",
    async run(subject) {
      const { leases, limits, scene, due, take } = await open(subject);
      const ofNamespace = await limits.limitNamespace({ maxRunning: 3 });
      const ofType = await limits.limit({ maxRunning: 2 });
      const other = await limits.addType("order.close");
      const ids = await due(4);
      const others = await limits.due(3, other);
      assert.deepEqual(await limits.claimed(others.slice(0, 2), { limitIds: [ofNamespace] }), others.slice(0, 2));
      assert.deepEqual(await take(), { ids: ids.slice(0, 1), isFull: true, mayBeMore: false });
      assert.deepEqual(await limits.claimed(others, { limitIds: [ofNamespace] }), []);
      assert.deepEqual(await limits.state(ofNamespace), { running: 3, tokens: null });
      assert.deepEqual(await limits.state(ofType), { running: 1, tokens: null });
      changed(await leases.setting.setNamespace({ maxRunning: 9 }));
      assert.deepEqual(await take(), { ids: ids.slice(1, 2), isFull: true, mayBeMore: false });
      assert.equal(await scene.state(ids[2]!), "scheduled");
    },
  },
  {
    name: "a pull takes a token of each rate for each task, and none where it takes nothing",
    async run(subject) {
      const { limits, scene, due, take } = await open(subject);
      const ofType = await limits.limit({ rate: { count: 1, perMs: 1_000, burst: 3 } });
      const ofNamespace = await limits.limitNamespace({ rate: { count: 1, perMs: 1_000, burst: 10 } });
      assert.deepEqual(await take(), { ids: [], isFull: false, mayBeMore: false });
      const ids = await due(5);
      assert.deepEqual(await take(1), { ids: ids.slice(0, 1), isFull: false, mayBeMore: true });
      assert.deepEqual(await take(), { ids: ids.slice(1, 3), isFull: true, mayBeMore: false });
      const tokens = async () => [(await limits.state(ofType)).tokens, (await limits.state(ofNamespace)).tokens];
      assert.deepEqual(await tokens(), [0, 7]);
      await scene.advance(999);
      assert.deepEqual(await take(), { ids: [], isFull: true, mayBeMore: false });
      await scene.advance(1);
      assert.deepEqual(await take(), { ids: ids.slice(3, 4), isFull: true, mayBeMore: false });
      assert.deepEqual(await tokens(), [0, 7]);
    },
  },
  {
    name: "a limit with places and a rate holds pulls by whichever has less",
    async run(subject) {
      const { leases, limits, scene, due, take } = await open(subject);
      const limitId = await limits.limit({ maxRunning: 2, rate: { count: 1, perMs: 1_000, burst: 3 } });
      const ids = await due(5);
      assert.deepEqual(await take(), { ids: ids.slice(0, 2), isFull: true, mayBeMore: false });
      assert.deepEqual(await limits.state(limitId), { running: 2, tokens: 1 });
      for (const id of ids.slice(0, 2)) {
        const { fence } = await scene.get(id);
        await scene.succeed({ id, fence, owner: "0" });
      }
      assert.deepEqual(await take(), { ids: ids.slice(2, 3), isFull: true, mayBeMore: false });
      assert.deepEqual(await limits.state(limitId), { running: 1, tokens: 0 });
      assert.equal((await leases.held()).length, 1);
    },
  },
  {
    name: "a task of a paused key takes neither a place nor a token",
    async run(subject) {
      const { leases, limits, scene, take } = await open(subject);
      const limitId = await limits.limit({ maxRunning: 3, rate: { count: 1, perMs: 1_000, burst: 3 } });
      const paused = await scene.create({ key: "k" });
      changed(await leases.setting.pause(leases.setting.key("k")));
      assert.deepEqual(await take(), { ids: [], isFull: false, mayBeMore: true });
      assert.equal(await scene.state(paused.id), "paused");
      assert.deepEqual(await limits.state(limitId), { running: 0, tokens: 3 });
    },
  },
  {
    name: "what consumers had before there was a limit takes places once the limit has adopted what runs",
    async run(subject) {
      const { leases, limits, due, take } = await open(subject);
      const ids = await due(4);
      assert.deepEqual(await leases.pulled({ most: 2 }), ids.slice(0, 2));
      const limitId = await limits.limit({ maxRunning: 3 });
      await limits.store.adoptRunning([limitId]);
      assert.deepEqual(await take(), { ids: ids.slice(2, 3), isFull: true, mayBeMore: false });
    },
  },
  {
    name: "six pulls at once within a limit of five never hold more than five, and all tasks are done in the end",
    async run(subject) {
      const { leases, limits, scene, due } = await open(subject);
      await limits.limit({ maxRunning: 5 });
      await due(60);
      for (let done = 0, round = 0; done < 60; round++) {
        assert.ok(round < 60, "each round takes some");
        const replies = await Promise.all(Array.from({ length: 6 }, () => leases.pull({ most: 3 })));
        const tasks = replies.flatMap((reply) => reply.tasks);
        assert.ok(tasks.length > 0 && tasks.length <= 5, `${tasks.length} are held`);
        for (const task of tasks) await scene.succeed(task);
        done += tasks.length;
      }
    },
  },
];
