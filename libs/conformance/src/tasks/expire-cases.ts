import assert from "node:assert/strict";
import { accepted, labelOf, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { findAll } from "../subject/find-all.js";

/** Expires late tasks of the scenario's type. Answers how many. */
function expire(scene: Scenario, limit = 100): Promise<number> {
  return scene.store.expire({ typeIds: [scene.type.id], limit });
}

export const expireCases: ConformanceCase[] = [
  {
    name: "a task that has not started by its start deadline ends expired, and frees its key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const task = await scene.create({ key: "k", due: { delayMs: 50 }, startDeadlineMs: 100 });
      assert.equal(task.startDeadlineAt, task.scheduledAt + 100);
      await scene.advance(150);
      assert.equal(await expire(scene), 0);
      await scene.advance(1);
      assert.equal(await expire(scene), 1);
      const ended = { state: "expired", keyLive: false, finishedAt: scene.now(), version: 2 };
      assert.deepEqual(await scene.get(task.id), { ...task, ...ended });
      assert.equal(await expire(scene), 0);
      await scene.create({ key: "k" });
    },
  },
  {
    name: "a task may be claimed up to its start deadline and not after it, expired or not",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const inTime = await scene.create({ startDeadlineMs: 100 });
      const late = await scene.create({ startDeadlineMs: 99 });
      await scene.advance(100);
      const claimed = await scene.claim([late.id, inTime.id]);
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [inTime.id],
      );
      assert.equal(await scene.state(late.id), "scheduled");
      await expire(scene);
      assert.deepEqual([await scene.state(inTime.id), await scene.state(late.id)], ["running", "expired"]);
    },
  },
  {
    name: "lateness alone never skips a task: without a start deadline it never expires",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id, startDeadlineAt } = await scene.create();
      assert.equal(startDeadlineAt, null);
      await scene.advance(3_600_000);
      assert.equal(await expire(scene), 0);
      await scene.reclaim(id);
    },
  },
  {
    name: "a task that has started once never expires, however its execution ended",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const failed = await scene.running({ startDeadlineMs: 10 });
      const aborted = await scene.running({ startDeadlineMs: 10 });
      const crashed = await scene.running({ startDeadlineMs: 10 }, await scene.join());
      await scene.advance(5);
      await scene.fail(failed);
      await scene.store.release([{ ...refOf(aborted), reason: "LEASE_LOST", startedAt: scene.now() }]);
      assert.equal((await scene.get(aborted.id)).startedAt, scene.now());
      await scene.reap(crashed.owner);
      await scene.advance(60_000);
      assert.equal(await expire(scene), 0);
      for (const { id } of [failed, aborted, crashed]) await scene.reclaim(id);
    },
  },
  {
    name: "a claim without a start does not save a task from its start deadline",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const released = await scene.running({ startDeadlineMs: 10 });
      const deferred = await scene.running({ startDeadlineMs: 10 });
      await scene.store.release([{ ...refOf(released), reason: "LOST_REPLY" }]);
      await scene.store.defer([{ ...refOf(deferred), delayMs: 1_000 }]);
      await scene.advance(11);
      assert.deepEqual(await scene.claim([released.id]), []);
      assert.equal(await expire(scene), 2);
      assert.deepEqual([await scene.state(released.id), await scene.state(deferred.id)], ["expired", "expired"]);
    },
  },
  {
    name: "only scheduled tasks expire",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const running = await scene.running({ startDeadlineMs: 10 });
      const ended = await scene.running({ startDeadlineMs: 10 });
      const cancelled = await scene.create({ startDeadlineMs: 10 });
      await scene.succeed(ended);
      await scene.cancel(cancelled.id);
      await scene.advance(11);
      assert.equal(await expire(scene), 0);
      const states = [await scene.state(running.id), await scene.state(ended.id), await scene.state(cancelled.id)];
      assert.deepEqual(states, ["running", "succeeded", "cancelled"]);
    },
  },
  {
    name: "only tasks of the named types expire, and at most as many as the limit",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const other = await Scenario.open(subject);
      const foreign = await other.create({ startDeadlineMs: 10 });
      for (let index = 0; index < 5; index++) await scene.create({ startDeadlineMs: 10 });
      await scene.advance(11);
      assert.deepEqual([await expire(scene, 3), await expire(scene, 3), await expire(scene, 3)], [3, 2, 0]);
      assert.equal(await other.state(foreign.id), "scheduled");
      assert.equal(await scene.store.expire({ typeIds: [], limit: 3 }), 0);
      assert.equal(await scene.store.expire({ typeIds: [scene.type.id, other.type.id], limit: 3 }), 1);
    },
  },
  {
    name: "a row that a caller's transaction holds is left for the next round",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ startDeadlineMs: 10 });
      await scene.advance(11);
      await subject.transaction(async (within) => {
        const changes = { due: { delayMs: 1_000 } };
        await scene.store.edit({ namespace: scene.namespace, id, changes, actor: "editor" }, within);
        assert.equal(await expire(scene), 0);
      });
      assert.equal(await expire(scene), 0);
      await scene.advance(1_011);
      assert.equal(await expire(scene), 1);
    },
  },
  {
    name: "a reschedule and a refresh move the start deadline, other edits leave it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace } = scene;
      const { id, startDeadlineAt } = await scene.create({ key: "k", startDeadlineMs: 100 });
      await scene.advance(50);
      await scene.store.edit({ namespace, id, changes: { priority: 1 }, actor: "editor" });
      assert.equal((await scene.get(id)).startDeadlineAt, startDeadlineAt);
      await scene.store.edit({ namespace, id, changes: { due: { delayMs: 86_400_000 * 200 } }, actor: "editor" });
      const moved = await scene.get(id);
      assert.equal(moved.startDeadlineAt, moved.scheduledAt + 100);
      const refresh = scene.newTask({ key: "k", onConflict: "refresh", due: { delayMs: 30 }, startDeadlineMs: 5 });
      const refreshed = accepted((await scene.createAll(refresh))[0], "refreshed");
      assert.equal(refreshed.startDeadlineAt, scene.now() + 130);
      assert.deepEqual(await scene.get(id), refreshed);
    },
  },
  {
    name: "a refresh gives no start deadline to a task that has none",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await scene.create({ key: "k" });
      const refresh = scene.newTask({ key: "k", onConflict: "refresh", startDeadlineMs: 5 });
      assert.equal(accepted((await scene.createAll(refresh))[0], "refreshed").startDeadlineAt, null);
    },
  },
  {
    name: "a next cycle has its own requested start deadline",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await scene.running({ key: "k", startDeadlineMs: 100 });
      const refresh = scene.newTask({ key: "k", onConflict: "refresh", due: { delayMs: 30 }, startDeadlineMs: 5 });
      const task = accepted((await scene.createAll(refresh))[0], "created");
      assert.equal(task.startDeadlineAt, scene.now() + 35);
      assert.deepEqual(await scene.get(task.id), task);
    },
  },
  {
    name: "a retry clears the start deadline: a task that is retried by hand runs, however late",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: "k", startDeadlineMs: 10 });
      await scene.advance(11);
      await expire(scene);
      await scene.store.archive(1_000);
      assert.equal((await scene.retry(id)).outcome, "scheduled");
      const task = await scene.get(id);
      assert.deepEqual([task.state, task.startDeadlineAt, task.keyLive], ["scheduled", null, true]);
      await scene.advance(1_000);
      assert.equal(await expire(scene), 0);
      await scene.succeed(await scene.reclaim(id));
    },
  },
  {
    name: "the journal of an expired task tells its end, also after a claim that was given back and after a retry",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const plain = await scene.create({ startDeadlineMs: 10 });
      const execution = await scene.running({ startDeadlineMs: 10 });
      await scene.store.release([{ ...refOf(execution), reason: "LOST_REPLY" }]);
      await scene.advance(11);
      await expire(scene);
      assert.deepEqual(await scene.steps(plain.id), ["none>scheduled", "scheduled>expired"]);
      const end = { at: scene.now(), from: "scheduled", to: "expired", node: null, reason: null, actor: null };
      const noRun = { startedAt: null, latenessParts: null, error: null };
      assert.deepEqual({ ...(await scene.journal(plain.id))[1] }, { ...end, ...noRun, fence: 0, attempt: 0, count: 1 });
      await scene.retry(execution.id);
      const entries = (await scene.journal(execution.id)).map(({ from, to, node, fence }) => [from, to, node, fence]);
      assert.deepEqual(entries, [
        [null, "scheduled", null, 0],
        ["scheduled", "running", labelOf(scene.node), 1],
        ["running", "scheduled", labelOf(scene.node), 1],
        ["scheduled", "expired", null, 2],
        ["expired", "scheduled", null, 3],
      ]);
    },
  },
  {
    name: "expired tasks are found and counted, move to history and are forgotten with their retention",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const day = 86_400_000;
      const retention = { historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 30 };
      await scene.store.maintain(retention);
      const { id } = await scene.create({ startDeadlineMs: 10 });
      await scene.advance(11);
      await expire(scene);
      const expired = await scene.get(id);
      assert.equal(
        (await scene.store.cancel({ target: { namespace: scene.namespace, id }, actor: "a" })).outcome,
        "too_late",
      );
      while ((await scene.store.archive(1_000)) > 0);
      assert.deepEqual(await scene.get(id), expired);
      const found = await findAll(scene.store, { namespace: scene.namespace, states: ["expired"] });
      assert.deepEqual(found, [expired]);
      assert.equal((await scene.store.stats(scene.namespace)).counts.expired, 1);
      await scene.advance(9 * day);
      await scene.store.maintain(retention);
      assert.equal(await scene.store.get(scene.namespace, id), null);
    },
  },
  {
    name: "expire against claim and reschedule: whichever comes first decides",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace } = scene;
      for (let round = 0; round < 20; round++) {
        const { id } = await scene.create({ startDeadlineMs: 10 });
        await scene.advance(11);
        const changes = { due: { delayMs: 0 } };
        const [expired, edited] = await Promise.all([
          expire(scene),
          scene.store.edit({ namespace, id, changes, actor: "editor" }),
        ]);
        assert.equal(expired, edited.outcome === "changed" ? 0 : 1);
        const claimed = await scene.claim([id]);
        assert.equal(claimed.length, 1 - expired);
        assert.equal(await scene.state(id), expired ? "expired" : "running");
      }
    },
  },
];
