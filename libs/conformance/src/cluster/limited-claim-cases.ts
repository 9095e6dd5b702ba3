import assert from "node:assert/strict";
import { killNode } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { answeredBy, fullBy, LimitScene } from "./limit-scene.js";
import { changed } from "./setting-scene.js";

/** How often six nodes claim at once. */
const ROUNDS = 25;

/** Which of the ids take places. */
const orderCases: ConformanceCase[] = [
  {
    name: "a claim within a limit takes as many as there are places, the first of the ids in their order",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const limitIds = [await limits.limit({ maxRunning: 3 })];
      const ids = await limits.due(5);
      const [a, b, c, d, e] = ids as [string, string, string, string, string];
      const late = await limits.scene.create({ due: { delayMs: 60_000 } });
      const first = answeredBy(await limits.claim([e, late.id, c, a, b, d], { limitIds }));
      assert.deepEqual(first, { places: 3, fenced: false, ids: [e, c, a] });
      assert.deepEqual(await limits.state(limitIds[0]!), { running: 3, tokens: null });
      const second = answeredBy(await limits.claim([b, d], { limitIds }));
      assert.deepEqual(second, { places: 0, fenced: false, ids: [] });
      assert.equal(await limits.running(ids), 3);
    },
  },
  {
    name: "a claim takes no more than it asks for, and tells how many places there were",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const limitIds = [await limits.limit({ maxRunning: 3 })];
      const ids = await limits.due(4);
      const reply = answeredBy(await limits.claim(ids, { limitIds, most: 2 }));
      assert.deepEqual(reply, { places: 3, fenced: false, ids: ids.slice(0, 2) });
      assert.deepEqual(await limits.claimed(ids, { limitIds, most: 2 }), [ids[2]]);
    },
  },
  {
    name: "an id that is gone, cancelled or running leaves its place to the next one, and so does one that comes twice",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const { scene } = limits;
      const limitIds = [await limits.limit({ maxRunning: 2 })];
      const [cancelled, running, free, next] = (await limits.due(4)) as [string, string, string, string];
      const gone = scene.newTask().id;
      await scene.cancel(cancelled);
      await scene.reclaim(running);
      assert.deepEqual(await limits.claimed([gone, cancelled, running, free, free, next], { limitIds }), [free, next]);
    },
  },
  {
    name: "a task of a paused key becomes paused and takes no place, and the next one does",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const { scene, setting } = limits;
      const key = scene.namespace;
      const limitIds = [await limits.limit({ maxRunning: 1 })];
      const paused = await scene.create({ key });
      const [free, other] = (await limits.due(2)) as [string, string];
      await setting.pause(setting.key(key));
      const ids = [paused.id, free, other];
      assert.deepEqual(await limits.claimed(ids, { limitIds, pausedKeys: [key] }), [free]);
      assert.equal(await scene.state(paused.id), "paused");
      const told = (await scene.journal(paused.id)).map(({ to, reason, actor }) => [to, reason, actor]);
      assert.deepEqual(told.at(-1), ["paused", "PAUSED", "operator"]);
      assert.equal(await scene.state(other), "scheduled");
    },
  },
  {
    name: "a task of a key that is paused no more is claimed within limits, whatever the claim believes",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const limitIds = [await limits.limit({ maxRunning: 1 })];
      const { id } = await limits.scene.create({ key: "k" });
      assert.deepEqual(await limits.claimed([id], { limitIds, pausedKeys: ["k"] }), [id]);
    },
  },
  {
    name: "a claim within limits brings the whole task, also a payload too large for its reply",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const { scene } = limits;
      const limitIds = [await limits.limit({ maxRunning: 2 })];
      const payload = { text: "x".repeat(300_000) };
      const large = await scene.create({ payload });
      const small = await scene.create();
      const reply = await limits.claim([large.id, small.id], { limitIds });
      assert.ok(reply.outcome === "answered");
      const told = reply.tasks.map(({ id, owner, fence, attempt }) => ({ id, owner, fence, attempt }));
      const running = { owner: scene.node, fence: 1, attempt: 1 };
      assert.deepEqual(told, [
        { id: large.id, ...running },
        { id: small.id, ...running },
      ]);
      assert.deepEqual(
        reply.tasks.map((task) => task.payload),
        [large.payload, small.payload],
      );
    },
  },
];

/** Who holds a place, and until when. */
const placeCases: ConformanceCase[] = [
  {
    name: "whatever ends an execution frees its place: a success, a failure, a snooze, a death",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const { scene } = limits;
      const limitIds = [await limits.limit({ maxRunning: 4 })];
      const reply = await limits.claim(await limits.due(4), { limitIds });
      assert.ok(reply.outcome === "answered");
      const [one, two, three, four] = reply.tasks;
      await scene.succeed(one!);
      await scene.fail(two!, 60_000);
      await scene.snooze(three!, 60_000);
      await scene.bury(four!);
      assert.deepEqual(await limits.state(limitIds[0]!), { running: 0, tokens: null });
      const ids = await limits.due(5);
      assert.deepEqual(await limits.claimed(ids, { limitIds }), ids.slice(0, 4));
    },
  },
  {
    name: "a task that is put back and claimed again holds one place",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const limitIds = [await limits.limit({ maxRunning: 2 })];
      const [again, other, third] = (await limits.due(3)) as [string, string, string];
      const reply = await limits.claim([again], { limitIds });
      assert.ok(reply.outcome === "answered");
      await limits.scene.fail(reply.tasks[0]!);
      assert.deepEqual(await limits.claimed([again], { limitIds }), [again]);
      assert.deepEqual(await limits.claimed([other, third], { limitIds }), [other]);
    },
  },
  {
    name: "tasks of a dead node hold their places until they are reaped",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const { scene } = limits;
      const limitIds = [await limits.limit({ maxRunning: 5 })];
      const ids = await limits.due(12);
      const victim = await scene.join();
      await limits.claimed(ids.slice(0, 4), { limitIds, owner: victim });
      await killNode(subject, victim);
      assert.equal((await limits.claimed(ids.slice(4), { limitIds })).length, 1);
      assert.equal((await limits.claimed(ids.slice(5), { limitIds })).length, 0);
      await scene.reap(victim);
      assert.equal((await limits.claimed(ids.slice(5), { limitIds })).length, 4);
    },
  },
  {
    name: "a node that is not live is fenced: it claims nothing within limits, and holds none of them",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const limitIds = [await limits.limit({ maxRunning: 5 })];
      const ids = await limits.due(2);
      const dead = await limits.scene.join();
      const draining = await limits.scene.join();
      await killNode(subject, dead);
      await subject.cluster().startDraining(draining);
      const fenced = { places: 0, fenced: true, ids: [] };
      assert.deepEqual(answeredBy(await limits.claim(ids, { limitIds, owner: dead })), fenced);
      assert.deepEqual(answeredBy(await limits.claim(ids, { limitIds, owner: draining })), fenced);
      assert.deepEqual(answeredBy(await limits.claim(ids, { limitIds: [2_000_000_000], owner: dead })), fenced);
    },
  },
  {
    name: "within the limits of a type and its namespace the smaller room counts, and a claim takes places in both",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const other = await limits.addType("order.close");
      const ofNamespace = await limits.limitNamespace({ maxRunning: 6 });
      const ofType = await limits.limit({ maxRunning: 4 });
      const others = await limits.due(10, other);
      const ids = await limits.due(10);
      assert.equal((await limits.claimed(others.slice(0, 3), { limitIds: [ofNamespace] })).length, 3);
      const both = await limits.claim(ids, { limitIds: [ofType, ofNamespace] });
      assert.deepEqual([answeredBy(both).ids.length, fullBy(both)], [3, [ofNamespace]]);
      assert.equal((await limits.claimed(others, { limitIds: [ofNamespace] })).length, 0);
      const running = async (id: number) => (await limits.state(id)).running;
      assert.deepEqual([await running(ofNamespace), await running(ofType)], [6, 3]);
      changed(await limits.setting.setNamespace({ maxRunning: 9 }));
      const last = await limits.claim(ids, { limitIds: [ofNamespace, ofType] });
      assert.deepEqual([answeredBy(last).ids.length, fullBy(last)], [1, [ofType]]);
    },
  },
  {
    name: "a limit that is lowered lets what runs run on, and nothing more starts until there is room",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const limitIds = [await limits.limit({ maxRunning: 3 })];
      const ids = await limits.due(5);
      const reply = await limits.claim(ids, { limitIds });
      assert.ok(reply.outcome === "answered");
      changed(await limits.setting.set({ maxRunning: 1 }));
      assert.deepEqual(answeredBy(await limits.claim(ids, { limitIds })), { places: 0, fenced: false, ids: [] });
      for (const task of reply.tasks) await limits.scene.succeed(task);
      assert.deepEqual(await limits.claimed(ids, { limitIds }), [ids[3]]);
    },
  },
  {
    name: "a limit that is gone, or has no places any more, is answered like one that another claim holds",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const limitId = await limits.limit({ maxRunning: 3, rate: { count: 1, perMs: 1, burst: 1 } });
      const ids = await limits.due(1);
      const taken = { outcome: "taken" };
      assert.deepEqual(await limits.claim(ids, { limitIds: [limitId, 2_000_000_000] }), taken);
      changed(await limits.setting.set({ maxRunning: null }));
      assert.deepEqual(await limits.claim(ids, { limitIds: [limitId] }), taken);
      changed(await limits.setting.set({ rate: null }));
      assert.deepEqual(await limits.claim(ids, { limitIds: [limitId] }), taken);
      assert.equal(await limits.running(ids), 0);
    },
  },
  {
    name: "six nodes that claim at once within a limit of five never run more than five, and end all tasks",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const limitIds = [await limits.limit({ maxRunning: 5 })];
      const ids = await limits.due(ROUNDS * 4);
      const nodes = await Promise.all(Array.from({ length: 6 }, () => limits.scene.join()));
      let done = 0;
      for (let round = 0; done < ids.length; round++) {
        assert.ok(round < ids.length, "some are claimed in each round");
        const claims = nodes.map((owner) => limits.claim(ids, { limitIds, owner, most: 3 }));
        const replies = await Promise.all(claims);
        const tasks = replies.flatMap((reply) => (reply.outcome === "answered" ? reply.tasks : []));
        assert.ok(tasks.length > 0 && tasks.length <= 5, `${tasks.length} run`);
        await Promise.all(tasks.map((task) => limits.scene.succeed(task)));
        done += tasks.length;
      }
    },
  },
];

/** What ran before there was a limit, or before its node knew it. */
const adoptionCases: ConformanceCase[] = [
  {
    name: "tasks that a node claimed before it knew the limit take places, even more than there are",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const { scene } = limits;
      const ids = await limits.due(8);
      const running = await scene.claim(ids.slice(0, 3));
      const limitId = await limits.limit({ maxRunning: 4 });
      const own = ids.slice(0, 3);
      await limits.store.adoptPlaces([{ limitId, ids: own }]);
      await limits.store.adoptPlaces([{ limitId, ids: own }]);
      assert.deepEqual(await limits.state(limitId), { running: 3, tokens: null });
      assert.equal((await limits.claimed(ids.slice(3, 5), { limitIds: [limitId] })).length, 1);
      const more = await scene.claim(ids.slice(5, 7));
      await limits.store.adoptPlaces([{ limitId, ids: more.map(({ id }) => id) }]);
      assert.deepEqual(await limits.state(limitId), { running: 6, tokens: null });
      for (const task of [...running, ...more]) await scene.succeed(task);
      assert.equal((await limits.claimed(ids, { limitIds: [limitId] })).length, 2);
    },
  },
  {
    name: "several limits take what runs in one call, and one that is gone is left out",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const { scene } = limits;
      const ids = await limits.due(3);
      await scene.claim(ids);
      const ofType = await limits.limit({ maxRunning: 5 });
      const ofNamespace = await limits.limitNamespace({ maxRunning: 5 });
      const places = [ofNamespace, 2_000_000_000, ofType].map((limitId) => ({ limitId, ids }));
      await limits.store.adoptPlaces([...places, { limitId: ofType, ids: [] }]);
      await limits.store.adoptPlaces([]);
      const running = [await limits.state(ofType), await limits.state(ofNamespace)].map((state) => state.running);
      assert.deepEqual(running, [3, 3]);
    },
  },
  {
    name: "all that runs of a type or a namespace takes places: of every node, but not of another type or of our own ones",
    async run(subject) {
      const limits = await LimitScene.open(subject);
      const stranger = await LimitScene.open(subject);
      const { scene } = limits;
      const other = await limits.addType("order.close");
      const own = await limits.addType("tickwheel.own");
      const ids = await limits.due(6);
      await scene.claim([
        ...ids.slice(0, 2),
        ...(await limits.due(3, other)),
        ...(await limits.due(4, own)),
        ...(await stranger.due(5)),
      ]);
      const dead = await scene.join();
      const silent = await scene.join();
      await scene.claim(ids.slice(2, 3), { owner: dead });
      await scene.claim(ids.slice(3, 4), { owner: silent });
      await killNode(subject, dead);
      const ofType = await limits.limit({ maxRunning: 5 });
      const ofNamespace = await limits.limitNamespace({ maxRunning: 20 });
      await limits.store.adoptRunning([ofNamespace, ofType, 2_000_000_000]);
      const running = [await limits.state(ofType), await limits.state(ofNamespace)].map((state) => state.running);
      assert.deepEqual(running, [4, 7]);
      const claimed = await limits.claimed(ids.slice(4), { limitIds: [ofType, ofNamespace] });
      assert.deepEqual(claimed, [ids[4]]);
      await limits.store.adoptRunning([]);
      await limits.store.adoptRunning([ofType]);
      assert.equal((await limits.state(ofType)).running, 5);
    },
  },
];

export const limitedClaimCases: ConformanceCase[] = [...orderCases, ...placeCases, ...adoptionCases];
