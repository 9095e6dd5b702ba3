import assert from "node:assert/strict";
import { CONSUMER, SCHEDULE_KEY } from "@tickwheel/core";
import { joinNode, killNode, type NewTaskWish, refOf } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { idsOf, LEASE_MS, LeaseScene } from "./lease-scene.js";
import { changed } from "./setting-scene.js";

const MINUTE = 60_000;

/** The ids of tasks that become due one millisecond after the other, all by now. */
async function dueInTurn(leases: LeaseScene, wishes: readonly NewTaskWish[]): Promise<string[]> {
  const ids: string[] = [];
  for (const wish of wishes) {
    ids.push((await leases.scene.create(wish)).id);
    await leases.scene.advance(1);
  }
  return ids;
}

/** Which tasks a pull takes, and what it tells. */
const takeCases: ConformanceCase[] = [
  {
    name: "a pull takes the oldest due tasks of its type, as many as it asks for, each under a lease of its consumer",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const ids = await dueInTurn(leases, [{}, {}, {}]);
      const reply = await leases.pull({ most: 2, consumer: "worker-7" });
      const at = scene.now();
      const leaseUntil = scene.now() + LEASE_MS;
      const told = reply.tasks.map(({ id, owner, fence, attempt, claimedAt, leaseUntil: until }) => [
        id,
        owner,
        fence,
        attempt,
        claimedAt,
        until,
      ]);
      assert.deepEqual(
        told,
        ids.slice(0, 2).map((id) => [id, CONSUMER, 1, 1, at, leaseUntil]),
      );
      assert.deepEqual([reply.isPaused, reply.mayBeMore, reply.isFull, reply.nextDueAt], [false, true, false, null]);
      const { state, owner, node, fence, attempt, claimedAt, version } = await scene.get(ids[0]!);
      assert.deepEqual([state, owner, node], ["running", CONSUMER, "consumer"]);
      assert.deepEqual([fence, attempt, claimedAt, version], [1, 1, at, 1]);
      const held = { fence: 1, consumer: "worker-7", claimedAt: at, leaseUntil };
      const byId = ids.slice(0, 2).sort();
      assert.deepEqual(
        await leases.held(),
        byId.map((id) => ({ id, ...held })),
      );
      const rest = await leases.pull({ most: 2 });
      assert.deepEqual([idsOf(rest), rest.mayBeMore], [ids.slice(2), false]);
    },
  },
  {
    name: "each task goes to the consumer of its place, for as long as that one asks",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const ids = await dueInTurn(leases, [{}, {}, {}]);
      const places = ["first", "second", "third", "fourth"].map((consumer, n) => ({
        consumer,
        leaseMs: 1_000 * (n + 1),
      }));
      const { tasks } = await leases.store.pull({ typeId: scene.type.id, places, notBefore: null });
      const now = scene.now();
      assert.deepEqual(
        tasks.map(({ id, leaseUntil }) => [id, leaseUntil]),
        ids.map((id, n) => [id, now + 1_000 * (n + 1)]),
      );
      const held = (await leases.held()).map(({ id, consumer, leaseUntil }) => [id, consumer, leaseUntil]);
      const expected = ids.map((id, n) => [id, places[n]!.consumer, now + 1_000 * (n + 1)]);
      assert.deepEqual(new Map(held.map(([id, ...of]) => [id, of])), new Map(expected.map(([id, ...of]) => [id, of])));
    },
  },
  {
    name: "of tasks that are due at once the ids decide",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const tasks = Array.from({ length: 5 }, () => leases.scene.newTask());
      await leases.scene.createAll(...tasks);
      assert.deepEqual(await leases.pulled(), tasks.map(({ id }) => id).sort());
    },
  },
  {
    name: "a pull never takes ahead: it tells when the next task is due, and takes it then",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const later = await scene.create({ due: { delayMs: 2 * MINUTE } });
      const next = await scene.create({ due: { delayMs: MINUTE } });
      const idle = await leases.pull();
      assert.deepEqual([idsOf(idle), idle.mayBeMore, idle.nextDueAt], [[], false, next.dueAt]);
      await scene.advance(MINUTE - 1);
      assert.deepEqual(await leases.pulled(), []);
      await scene.advance(1);
      const reply = await leases.pull();
      assert.deepEqual([idsOf(reply), reply.nextDueAt], [[next.id], later.dueAt]);
    },
  },
  {
    name: "a pull takes tasks of its own type only, and of a type that there is not none",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const other = await LeaseScene.open(subject);
      await other.scene.create();
      assert.deepEqual(await leases.pulled(), []);
      const nothing = { tasks: [], isPaused: false, mayBeMore: false, isFull: false, nextDueAt: null };
      assert.deepEqual(await leases.pull({ typeId: 2_000_000_000 }), nothing);
    },
  },
  {
    name: "a pull with a lower bound leaves out what was due before it",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const ids = await dueInTurn(leases, [{}, {}, {}]);
      const { dueAt } = await leases.scene.get(ids[1]!);
      assert.deepEqual(await leases.pulled({ notBefore: dueAt }), ids.slice(1));
      assert.deepEqual(await leases.pulled(), ids.slice(0, 1));
    },
  },
  {
    name: "a task whose start deadline has passed is not pulled, unless it has started before",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const begun = await leases.running({ startDeadlineMs: 100 });
      await scene.fail(begun);
      const late = await scene.create({ startDeadlineMs: 100 });
      const inTime = await scene.create({ startDeadlineMs: 101 });
      await scene.advance(101);
      assert.deepEqual((await leases.pulled()).sort(), [begun.id, inTime.id].sort());
      assert.equal(await scene.state(late.id), "scheduled");
      assert.equal(await scene.store.expire({ typeIds: [scene.type.id], limit: 10 }), 1);
    },
  },
  {
    name: "a pull brings the whole task, also payloads too large for one reply",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const payload = { text: "x".repeat(300_000) };
      const ids: string[] = [];
      for (let count = 0; count < 5; count++)
        ids.push((await leases.scene.create({ payload, key: `k${count}`, priority: 3 })).id);
      const { tasks } = await leases.pull();
      assert.deepEqual(tasks.map(({ id }) => id).sort(), ids.sort());
      for (const { payload: pulled, key, priority, maxAttempts } of tasks) {
        assert.equal(pulled, JSON.stringify(payload));
        assert.deepEqual([key?.[0], priority, maxAttempts], ["k", 3, 3]);
      }
    },
  },
  {
    name: "many pulls at once take every task once",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      await leases.scene.createAll(...Array.from({ length: 60 }, () => leases.scene.newTask()));
      const taken: string[] = [];
      for (let round = 0; taken.length < 60; round++) {
        assert.ok(round < 60, "each round takes some");
        const replies = await Promise.all(Array.from({ length: 6 }, () => leases.pulled({ most: 4 })));
        taken.push(...replies.flat());
      }
      assert.equal(new Set(taken).size, 60);
      assert.deepEqual((await leases.heldIds()).sort(), taken.sort());
    },
  },
];

/** What is paused is not pulled. */
const pauseCases: ConformanceCase[] = [
  {
    name: "of a paused type or namespace a pull takes nothing and says so, and after the resume takes what is due",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { setting } = leases;
      const { id } = await leases.scene.create();
      await leases.scene.create({ due: { delayMs: MINUTE } });
      const paused = { tasks: [], isPaused: true, mayBeMore: false, isFull: false, nextDueAt: null };
      for (const what of [setting.type, setting.namespace]) {
        changed(await setting.pause(what));
        assert.deepEqual(await leases.pull(), paused);
        changed(await setting.resume(what));
        await leases.scene.advance(1);
      }
      assert.deepEqual(await leases.pulled(), [id]);
    },
  },
  {
    name: "a pause with a time holds pulls until then, and one of another type or namespace does not",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const other = await LeaseScene.open(subject);
      const { id } = await leases.scene.create();
      changed(await other.setting.pause(other.setting.namespace));
      changed(await other.setting.pause(other.setting.type));
      changed(await leases.setting.pause(leases.setting.type, { until: subject.now() + 100 }));
      await subject.advance(99);
      assert.equal((await leases.pull()).isPaused, true);
      await subject.advance(1);
      assert.deepEqual(await leases.pulled(), [id]);
    },
  },
  {
    name: "a pull takes nothing of a paused key: it pauses that task, and the end of the pause resumes it",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene, setting } = leases;
      const paused = await scene.create({ key: "k" });
      const other = await scene.create({ key: "other" });
      changed(await setting.pause(setting.key("k")));
      const reply = await leases.pull();
      assert.deepEqual([idsOf(reply), reply.isPaused], [[other.id], false]);
      const { state, pausedAt, version, fence, attempt, owner } = await scene.get(paused.id);
      assert.deepEqual([state, pausedAt, version], ["paused", subject.now(), 2]);
      assert.deepEqual([fence, attempt, owner], [0, 0, null]);
      const told = (await scene.journal(paused.id)).map(({ to, reason, actor }) => [to, reason, actor]);
      assert.deepEqual(told.at(-1), ["paused", "PAUSED", "operator"]);
      await subject.advance(1);
      changed(await setting.resume(setting.key("k")));
      assert.deepEqual(await setting.look(paused.id), [paused.id]);
      assert.deepEqual(await leases.pulled(), [paused.id]);
    },
  },
  {
    name: "an occurrence of a schedule is pulled whatever is said of its key, and so is a task of a key paused no more",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene, setting } = leases;
      const key = `${SCHEDULE_KEY}7`;
      const ids = [(await scene.create({ key })).id, (await scene.create({ key: "ended" })).id];
      changed(await setting.pause(setting.key(key)));
      changed(await setting.pause(setting.key("ended"), { until: subject.now() + 1 }));
      await subject.advance(1);
      assert.deepEqual((await leases.pulled()).sort(), ids.sort());
    },
  },
];

/** A consumer is no node. */
const ownerCases: ConformanceCase[] = [
  {
    name: "a pulled task is nobody's orphan: a consumer is no dead owner, and a reap takes none of its tasks even if asked to",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const task = await leases.running();
      const dead = await scene.join();
      const orphan = await scene.running({}, dead);
      await killNode(subject, dead);
      const owners = await scene.store.deadOwners();
      assert.deepEqual([owners.includes(CONSUMER), owners.includes(dead)], [false, true]);
      const asked = { leader: await scene.lead(), owners: [CONSUMER, dead], maxCrashes: 3, limit: 100 };
      const reaped = (await scene.store.reap(asked)).map(({ hint }) => hint.id);
      assert.deepEqual([reaped.includes(task.id), reaped.includes(orphan.id)], [false, true]);
      assert.deepEqual(await leases.heldIds(), [task.id]);
      assert.equal((await scene.get(task.id)).crashCount, 0);
    },
  },
  {
    name: "the journal tells of a pull and of its end as of a node's, by `consumer`, and a filter of nodes finds it so",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const task = await leases.running();
      await scene.fail(task);
      await scene.succeed(await leases.repull(task.id));
      const told = (await scene.journal(task.id)).map(({ from, to, node, fence, attempt, reason }) => [
        from,
        to,
        node,
        fence,
        attempt,
        reason,
      ]);
      assert.deepEqual(told.slice(1), [
        ["scheduled", "running", "consumer", 1, 1, null],
        ["running", "scheduled", "consumer", 1, 1, "FAILED"],
        ["scheduled", "running", "consumer", 3, 2, null],
        ["running", "succeeded", "consumer", 3, 2, null],
      ]);
      const { id } = await leases.running();
      const found = await scene.store.find({ namespace: scene.namespace, node: "consumer", limit: 10 });
      assert.deepEqual(found.tasks.map((one) => one.id).sort(), [task.id, id].sort());
    },
  },
  {
    name: "a node claims no task that a consumer has, and a pull takes none that a node has",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const owner = await joinNode(subject, [scene.type.id]);
      const task = await leases.running();
      assert.deepEqual(await scene.claim([task.id], { owner }), []);
      const claimed = await scene.running({}, owner);
      assert.deepEqual(await leases.pulled(), []);
      assert.deepEqual(await scene.store.verifyStart([refOf(task), refOf(claimed)]), [refOf(task), refOf(claimed)]);
    },
  },
];

export const pullCases: ConformanceCase[] = [...takeCases, ...pauseCases, ...ownerCases];
