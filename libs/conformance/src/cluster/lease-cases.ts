import assert from "node:assert/strict";
import { LEASE_ENDED, printOf, type SettleReply } from "@tickwheel/core";
import { refOf, wrongRefs } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { LEASE_MS, LeaseScene, ofConsumer } from "./lease-scene.js";

/** How long a lease lasts. */
const extendCases: ConformanceCase[] = [
  {
    name: "an extended lease lasts for so long from now, whatever remained of it",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const task = await leases.running();
      for (const leaseMs of [2 * LEASE_MS, 1_000]) {
        await scene.advance(10);
        const leaseUntil = scene.now() + leaseMs;
        assert.deepEqual(await leases.extend(task, leaseMs), { outcome: "extended", leaseUntil });
        const held = { id: task.id, fence: 1, consumer: "worker", claimedAt: task.claimedAt, leaseUntil };
        assert.deepEqual(await leases.held(), [held]);
      }
      const { version, fence } = await scene.get(task.id);
      assert.deepEqual([version, fence], [1, 1]);
      await scene.advance(1_001);
      assert.deepEqual(
        (await leases.end()).map(({ id }) => id),
        [task.id],
      );
    },
  },
  {
    name: "a lease that is over is extended as long as nobody has taken the task away",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const task = await leases.running();
      await leases.outlast();
      assert.equal((await leases.extend(task)).outcome, "extended");
      assert.deepEqual(await leases.end(), []);
      assert.deepEqual(await leases.heldIds(), [task.id]);
    },
  },
  {
    name: "a lease is lost once its task does not run under its fence any more, or is a node's",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const lost = { outcome: "lost" };
      const done = await leases.running();
      const other = await leases.running();
      await scene.succeed(done);
      assert.deepEqual(await leases.extend(done), lost);
      assert.deepEqual(await leases.extend({ ...other, fence: other.fence + 1 }), lost);
      assert.deepEqual(await leases.extend({ ...other, fence: other.fence - 1 }), lost);
      await scene.fail(other);
      const again = await leases.repull(other.id);
      assert.deepEqual(await leases.extend(other), lost);
      assert.equal((await leases.extend(again)).outcome, "extended");
      assert.deepEqual(await leases.extend(await scene.running()), lost);
      assert.deepEqual(await leases.extend({ id: scene.newTask().id, fence: 1 }), lost);
    },
  },
  {
    name: "an extend sees that a cancel was asked for and leaves the lease as it was; a success counts all the same",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const task = await leases.running();
      await scene.cancel(task.id);
      await scene.advance(10);
      assert.deepEqual(await leases.extend(task), { outcome: "cancel_requested" });
      assert.deepEqual(
        (await leases.held()).map(({ leaseUntil }) => leaseUntil),
        [task.leaseUntil],
      );
      await scene.succeed(task);
      assert.equal(await scene.state(task.id), "succeeded");
      assert.deepEqual(await leases.held(), []);
    },
  },
  {
    name: "leases go by the store's clock: set ahead it ends them early, set back it prolongs them",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const [early] = [await leases.running()];
      await subject.stepClock(LEASE_MS + 1);
      assert.deepEqual(
        (await leases.end()).map(({ id }) => id),
        [early.id],
      );
      const late = await leases.repull(early.id);
      await subject.stepClock(-LEASE_MS);
      await leases.outlast();
      assert.deepEqual(await leases.end(), []);
      await subject.stepClock(LEASE_MS);
      assert.deepEqual(
        (await leases.end()).map(({ fence }) => fence),
        [late.fence],
      );
    },
  },
];

/** What ends the execution of a pulled task. */
const endCases: ConformanceCase[] = [
  {
    name: "each end that a consumer tells takes the lease with it: a success, a failure, a snooze, a death, a release, a deferral",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      await leases.endOthers();
      const ends: [string, (task: ReturnType<typeof ofConsumer>) => Promise<unknown>][] = [
        ["succeeded", (task) => scene.succeed(task)],
        ["scheduled", (task) => scene.fail(task, 600_000)],
        ["scheduled", (task) => scene.snooze(task, 600_000)],
        ["dead", (task) => scene.bury(task)],
        ["scheduled", (task) => scene.store.release([{ ...task, reason: "RELEASED" }])],
        ["scheduled", (task) => scene.store.defer([{ ...task, delayMs: 600_000 }])],
      ];
      for (const [state, end] of ends) {
        const task = await leases.running();
        await end(refOf(task));
        assert.equal(await scene.state(task.id), state);
        assert.deepEqual(await leases.heldIds(), []);
        await scene.cancel(task.id);
      }
      await scene.advance(1);
      const young = await leases.running();
      await leases.outlast();
      assert.deepEqual(
        (await leases.end(1)).map(({ id }) => id),
        [young.id],
        "no other lease is in its way",
      );
    },
  },
  {
    name: "a release ends a task that somebody has asked to cancel, and its lease",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const task = await leases.running();
      await leases.scene.cancel(task.id);
      const [reply] = await leases.scene.store.release([{ ...refOf(task), reason: "RELEASED" }]);
      assert.equal(reply?.state, "cancelled");
      assert.deepEqual(await leases.held(), []);
    },
  },
  {
    name: "an end under another fence or owner changes nothing, and a second success neither",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const task = await leases.running();
      const success = { startedAt: scene.now(), kind: "succeeded", result: null } as const;
      const settle = (ref: ReturnType<typeof ofConsumer>): Promise<SettleReply[]> =>
        scene.store.settle([{ ...ref, ...success }]);
      for (const wrong of wrongRefs(task, scene.node)) {
        assert.deepEqual(await settle(wrong), [null]);
        assert.deepEqual(await scene.store.release([{ ...wrong, reason: "RELEASED" }]), [null]);
        assert.deepEqual(await leases.heldIds(), [task.id]);
      }
      assert.equal((await settle(refOf(task)))[0]?.state, "succeeded");
      assert.deepEqual(await settle(refOf(task)), [null]);
    },
  },
  {
    name: "an end of an older execution leaves the lease of the newer one",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const first = await leases.running();
      await leases.outlast();
      await leases.end();
      const second = await leases.repull(first.id);
      assert.deepEqual([second.fence, second.attempt], [3, 2]);
      assert.equal(await leases.scene.fail(first), null);
      assert.deepEqual(
        (await leases.held()).map(({ fence }) => fence),
        [3],
      );
      await leases.scene.succeed(second);
    },
  },
  {
    name: "a success after the end of a lease counts, as long as nobody has taken the task away",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const task = await leases.running();
      await leases.outlast();
      await leases.scene.succeed(task);
      assert.deepEqual(await leases.end(), []);
      assert.equal(await leases.scene.state(task.id), "succeeded");
    },
  },
];

/** What becomes of a task whose lease is over. */
const lapseCases: ConformanceCase[] = [
  {
    name: "a task whose lease is over is scheduled again, due now, the attempt charged, and its consumer knows nothing of it any more",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const task = await leases.running({ key: "k" }, { consumer: "worker-7" });
      await scene.advance(LEASE_MS);
      assert.deepEqual(await leases.end(), [], "it lasts to its last millisecond");
      await scene.advance(1);
      const { id } = task;
      const [ended, ...others] = await leases.end();
      const hint = { id, typeId: scene.type.id, version: 1, dueAt: scene.now(), priority: 5 };
      const told = { id, fence: 1, typeId: scene.type.id, consumer: "worker-7", state: "scheduled", hint };
      assert.deepEqual([{ ...ended, hint: { ...ended?.hint } }, others], [told, []]);
      const row = await scene.get(id);
      assert.deepEqual([row.state, row.owner, row.fence, row.attempt], ["scheduled", null, 2, 1]);
      assert.deepEqual([row.dueAt, row.startedAt, row.latenessParts], [scene.now(), task.claimedAt, null]);
      assert.deepEqual([row.crashCount, row.keyLive, row.finishedAt], [0, true, null]);
      assert.equal(await scene.fail(task), null);
      assert.deepEqual(await leases.extend(task), { outcome: "lost" });
      assert.deepEqual([await leases.held(), await leases.end()], [[], []]);
      assert.deepEqual(await leases.pulled(), [id]);
    },
  },
  {
    name: "the end of a lease is the task's error, with the consumer's name, and has one print for all consumers",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const ids: string[] = [];
      for (const consumer of ["worker-7", "köln"]) ids.push((await leases.running({}, { consumer })).id);
      const claimedAt = scene.now();
      await leases.outlast();
      await leases.end();
      const rows = await Promise.all(ids.map((id) => scene.get(id)));
      const errors = [`${LEASE_ENDED}: worker-7`, `${LEASE_ENDED}: köln`];
      assert.deepEqual(
        rows.map(({ lastError }) => lastError),
        errors,
      );
      for (const { errorPrint } of rows) assert.equal(errorPrint, printOf(LEASE_ENDED).print);
      const entry = (await scene.journal(ids[0]!)).at(-1)!;
      const { from, to, reason, node, fence, attempt, startedAt, latenessParts, error, actor } = entry;
      assert.deepEqual([from, to, reason], ["running", "scheduled", "LEASE_ENDED"]);
      assert.deepEqual([node, fence, attempt, actor], ["consumer", 1, 1, null]);
      assert.deepEqual([startedAt, latenessParts, error], [claimedAt, null, errors[0]]);
    },
  },
  {
    name: "the end of the last attempt's lease makes the task dead, and a retry gives it to consumers again",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const { id, claimedAt } = await leases.running({ key: "k", maxAttempts: 1 });
      await leases.outlast();
      assert.deepEqual(
        (await leases.end()).map(({ state, hint }) => [state, hint]),
        [["dead", null]],
      );
      const row = await scene.get(id);
      assert.deepEqual([row.state, row.reason, row.attempt, row.keyLive], ["dead", "ATTEMPTS", 1, false]);
      assert.deepEqual([row.startedAt, row.finishedAt], [claimedAt, scene.now()]);
      assert.deepEqual([row.lastError, row.errorPrint], [`${LEASE_ENDED}: worker`, printOf(LEASE_ENDED).print]);
      const { to, reason, startedAt, error } = (await scene.journal(id)).at(-1)!;
      assert.deepEqual([to, reason, startedAt, error], ["dead", "ATTEMPTS", claimedAt, `${LEASE_ENDED}: worker`]);
      assert.equal((await scene.retry(id)).outcome, "scheduled");
      const again = await leases.repull(id);
      assert.deepEqual([again.attempt, again.fence], [1, 3]);
    },
  },
  {
    name: "the end of a lease cancels a task that somebody has asked to cancel, even one with no attempts left",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      const { id, claimedAt } = await leases.running({ maxAttempts: 1 });
      await scene.cancel(id, "somebody");
      await leases.outlast();
      assert.deepEqual(
        (await leases.end()).map(({ state, hint }) => [state, hint]),
        [["cancelled", null]],
      );
      const row = await scene.get(id);
      assert.deepEqual([row.state, row.reason, row.cancelledBy], ["cancelled", "REQUESTED", "somebody"]);
      assert.deepEqual([row.startedAt, row.finishedAt], [claimedAt, scene.now()]);
      const { to, reason, actor } = (await scene.journal(id)).at(-1)!;
      assert.deepEqual([to, reason, actor], ["cancelled", "REQUESTED", "somebody"]);
    },
  },
  {
    name: "one look ends as many leases as it may, the oldest ends first",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      await leases.endOthers();
      const ids: string[] = [];
      for (const leaseMs of [3_000, 1_000, 2_000]) ids.push((await leases.running({}, { leaseMs })).id);
      await leases.scene.advance(3_001);
      const [third, first, second] = ids;
      assert.deepEqual((await leases.end(2)).map(({ id }) => id).sort(), [first!, second!].sort());
      assert.deepEqual(
        (await leases.end(2)).map(({ id }) => id),
        [third],
      );
    },
  },
  {
    name: "a lease whose execution is over ends no newer one, and a look that comes across it deletes it",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { scene } = leases;
      await leases.endOthers();
      const { id, fence } = await leases.withOldLease();
      const claimed = await scene.reclaim(id);
      const young = await leases.running();
      await scene.advance(1);
      assert.deepEqual(await leases.heldIds(), [young.id], "it is nobody's");
      await leases.outlast();
      assert.deepEqual(await leases.end(1), []);
      assert.equal(await scene.state(id), "running");
      assert.ok(claimed.fence > fence);
      assert.deepEqual(
        (await leases.end(1)).map((ended) => ended.id),
        [young.id],
        "the old lease is in its way no more",
      );
    },
  },
  {
    name: "a pull puts its lease in the place of one whose execution is over",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const { id } = await leases.withOldLease();
      await leases.outlast();
      const again = await leases.repull(id, { consumer: "worker-7" });
      const held = { id, fence: again.fence, consumer: "worker-7", claimedAt: again.claimedAt };
      assert.deepEqual(await leases.held(), [{ ...held, leaseUntil: again.leaseUntil }]);
      assert.deepEqual(await leases.end(), []);
      assert.deepEqual(await leases.heldIds(), [id]);
    },
  },
  {
    name: "leases that last are listed by their claims, the oldest first, so many as are asked for",
    async run(subject) {
      const leases = await LeaseScene.open(subject);
      const other = await LeaseScene.open(subject);
      await other.running();
      const ids: string[] = [];
      for (const consumer of ["c", "a", "b"]) {
        ids.push((await leases.running({}, { consumer })).id);
        await leases.scene.advance(1);
      }
      const [oldest, ...rest] = await leases.held(2);
      assert.deepEqual([oldest?.id, oldest?.consumer, rest.length, rest[0]?.id], [ids[0], "c", 1, ids[1]]);
      assert.deepEqual(await leases.heldIds(), ids);
    },
  },
];

export const leaseCases: ConformanceCase[] = [...extendCases, ...endCases, ...lapseCases];
