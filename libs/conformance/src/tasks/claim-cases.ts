import assert from "node:assert/strict";
import { killNode, labelOf, refOf, Scenario, unknownBootId, wrongRefs } from "../subject/scenario.js";
import { shows } from "../subject/schedule-scene.js";
import type { ConformanceCase } from "../subject/subject.js";

export const claimCases: ConformanceCase[] = [
  {
    name: "a claim moves a due task to running under its owner, with fence and attempt raised",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const task = await scene.create({ key: "k", payload: { n: 1 } });
      await scene.advance(20);
      const claimed = await scene.reclaim(task.id);
      assert.deepEqual(
        { ...claimed },
        {
          id: task.id,
          owner: scene.node,
          fence: 1,
          typeId: task.typeId,
          key: "k",
          payload: task.payload,
          scheduledAt: task.scheduledAt,
          dueAt: task.dueAt,
          createdAt: task.createdAt,
          claimedAt: scene.now(),
          attempt: 1,
          maxAttempts: 3,
          crashCount: 0,
          snoozeCount: 0,
          priority: 5,
          backoff: task.backoff,
          timeoutMs: 60_000,
          given: 7,
          delivery: null,
        },
      );
      const running = await scene.get(task.id);
      assert.deepEqual(
        [running.state, running.owner, running.node, running.fence, running.attempt, running.keyLive],
        ["running", scene.node, labelOf(scene.node), 1, 1, true],
      );
    },
  },
  {
    name: "a task is never claimed before it is due, and at most claimAheadMs ahead",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ due: { delayMs: 100 } });
      assert.deepEqual(await scene.claim([id]), []);
      await scene.advance(94);
      assert.deepEqual(await scene.claim([id], { claimAheadMs: 5 }), []);
      await scene.advance(1);
      assert.deepEqual(await scene.claim([id], { claimAheadMs: 4 }), []);
      assert.equal((await scene.claim([id], { claimAheadMs: 5 })).length, 1);
    },
  },
  {
    name: "only scheduled tasks are claimed",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const running = await scene.running();
      const succeeded = await scene.running();
      const dead = await scene.running();
      const cancelled = await scene.create();
      await scene.succeed(succeeded);
      await scene.bury(dead);
      await scene.cancel(cancelled.id);
      const ids = [running.id, succeeded.id, dead.id, cancelled.id, scene.newTask().id];
      assert.deepEqual(await scene.claim(ids, { owner: await scene.join() }), []);
      assert.equal((await scene.get(running.id)).owner, scene.node);
    },
  },
  {
    name: "a node that is draining, dead or unknown is told that it is fenced, and claims nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      const draining = await scene.join();
      const dead = await scene.join();
      await subject.cluster().startDraining(draining);
      await killNode(subject, dead);
      for (const owner of [draining, dead, unknownBootId()]) {
        const reply = await scene.store.claim({ owner, ids: [id], claimAheadMs: 0 });
        assert.deepEqual({ ...reply }, { fenced: true, tasks: [] });
      }
      assert.equal(await scene.state(id), "scheduled");
    },
  },
  {
    name: "a claim takes those of its ids that it can, and each id once",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const due = await scene.create();
      const early = await scene.create({ due: { delayMs: 50 } });
      const claimed = await scene.claim([due.id, early.id, due.id, scene.newTask().id]);
      assert.deepEqual(
        claimed.map((task) => task.id),
        [due.id],
      );
      assert.deepEqual(await scene.claim([]), []);
    },
  },
  {
    name: "verifyStart answers the executions that still run under their owner and fence and that nobody asked to cancel",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const good = await scene.running();
      const asked = await scene.running();
      const ended = await scene.running();
      await scene.cancel(asked.id);
      await scene.succeed(ended);
      const refs = [good, asked, ended].map(refOf);
      const verified = await scene.store.verifyStart([...wrongRefs(good, await scene.join()), ...refs]);
      assert.deepEqual(
        verified.map((ref) => ({ ...ref })),
        [refOf(good)],
      );
      assert.deepEqual(await scene.store.verifyStart([]), []);
    },
  },
  {
    name: "a release gives the attempt back, raises the fence and is due now",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.advance(30);
      const [reply] = await scene.store.release([{ ...refOf(execution), reason: "NOT_STARTED" }]);
      const task = await scene.get(execution.id);
      assert.deepEqual(
        [task.state, task.attempt, task.fence, task.owner, task.dueAt, task.scheduledAt],
        ["scheduled", 0, 2, null, scene.now(), execution.scheduledAt],
      );
      assert.equal(reply?.state, "scheduled");
      assert.deepEqual(
        { ...reply?.hint },
        {
          id: task.id,
          typeId: task.typeId,
          version: task.version,
          dueAt: task.dueAt,
          priority: 5,
        },
      );
      assert.equal((await scene.reclaim(task.id)).fence, 3);
    },
  },
  {
    name: "a deferral gives the attempt back and is due after its wait by the store's clock",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.advance(30);
      const [reply] = await scene.store.defer([{ ...refOf(execution), delayMs: 250 }]);
      const task = await scene.get(execution.id);
      assert.deepEqual(
        [task.state, task.attempt, task.fence, task.owner, task.dueAt, task.scheduledAt],
        ["scheduled", 0, 2, null, scene.now() + 250, execution.scheduledAt],
      );
      assert.deepEqual([reply?.state, reply?.hint?.dueAt], ["scheduled", task.dueAt]);
    },
  },
  {
    name: "release and defer of a stale execution change nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const before = await scene.get(execution.id);
      const stale = wrongRefs(execution, await scene.join());
      assert.deepEqual(
        await scene.store.release(stale.map((ref) => ({ ...ref, reason: "DRAIN" }))),
        stale.map(() => null),
      );
      assert.deepEqual(
        await scene.store.defer(stale.map((ref) => ({ ...ref, delayMs: 5 }))),
        stale.map(() => null),
      );
      assert.deepEqual(await scene.get(execution.id), before);
      await scene.succeed(execution);
      const ended = await scene.get(execution.id);
      assert.deepEqual(await scene.store.release([{ ...refOf(execution), reason: "DRAIN" }]), [null]);
      assert.deepEqual(await scene.store.defer([{ ...refOf(execution), delayMs: 5 }]), [null]);
      assert.deepEqual(await scene.get(execution.id), ended);
    },
  },
  {
    name: "a batch of releases is answered in its order, stale ones among them with null",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const earlier = await scene.running();
      const two = await scene.running();
      await scene.fail(earlier);
      const one = await scene.reclaim(earlier.id);
      const replies = await scene.store.release(
        [refOf(two), refOf(earlier), refOf(one)].map((ref) => ({ ...ref, reason: "DRAIN" })),
      );
      assert.deepEqual(
        replies.map((reply) => reply?.hint?.id ?? null),
        [two.id, null, one.id],
      );
    },
  },
  {
    name: "attempts that the creator did not give are as the handler says, more or fewer, and the row shows them",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ maxAttempts: 1, given: 0 });
      const first = await scene.reclaim(id);
      assert.deepEqual([first.maxAttempts, first.given], [1, 0]);
      const failed = { startedAt: scene.now(), error: "no", delayMs: 0 };
      await scene.store.settle([{ ...refOf(first), ...failed, kind: "retry", maxAttempts: 3 }]);
      shows(await scene.get(id), { state: "scheduled", attempt: 1, maxAttempts: 3 });
      await scene.store.settle([{ ...refOf(await scene.reclaim(id)), ...failed, kind: "retry", maxAttempts: 2 }]);
      shows(await scene.get(id), { state: "dead", reason: "ATTEMPTS", attempt: 2, maxAttempts: 2 });
      const other = await scene.running({ maxAttempts: 5, given: 0 });
      const end = { ...refOf(other), startedAt: scene.now(), error: "no", reason: "ATTEMPTS" } as const;
      await scene.store.settle([{ ...end, kind: "dead", maxAttempts: 1 }]);
      shows(await scene.get(other.id), { state: "dead", maxAttempts: 1 });
    },
  },
  {
    name: "attempts that the creator gave, an edit set or a schedule lowered hold against what the handler says",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const given = await scene.running({ maxAttempts: 1, given: 1 });
      const failed = { startedAt: scene.now(), error: "no", delayMs: 0, kind: "retry", maxAttempts: 9 } as const;
      await scene.store.settle([{ ...refOf(given), ...failed }]);
      shows(await scene.get(given.id), { state: "dead", maxAttempts: 1 });
      const edited = await scene.create({ maxAttempts: 3, given: 6 });
      const target = { namespace: scene.namespace, id: edited.id, actor: "editor" };
      await scene.store.edit({ ...target, changes: { maxAttempts: 1 } });
      const execution = await scene.reclaim(edited.id);
      assert.equal(execution.given, 7);
      await scene.store.settle([{ ...refOf(execution), ...failed }]);
      shows(await scene.get(edited.id), { state: "dead", maxAttempts: 1 });
    },
  },
];
