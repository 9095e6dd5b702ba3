import assert from "node:assert/strict";
import {
  type Completion,
  type ExecutionRef,
  JOURNAL_ERROR_LENGTH,
  type LatenessParts,
  type Settlement,
  type TaskState,
} from "@tickwheel/core";
import { refOf, Scenario, wrongRefs } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

export const settleCases: ConformanceCase[] = [
  {
    name: "a completed task has succeeded, with its result, start and end, and frees its key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      const startedAt = scene.now();
      await scene.advance(80);
      const settlement = { ...refOf(execution), startedAt, kind: "succeeded", result: '{"paid":false}' } as const;
      const [reply] = await scene.store.settle([settlement]);
      const task = await scene.get(execution.id);
      assert.deepEqual(reply, { state: "succeeded", hint: null, finishedAt: scene.now() });
      assert.deepEqual(
        [task.state, task.result, task.startedAt, task.finishedAt, task.keyLive, task.fence, task.attempt],
        ["succeeded", '{"paid":false}', startedAt, scene.now(), false, 1, 1],
      );
    },
  },
  {
    name: "a skipped task has succeeded without a result, says so with its reason and in its journal, and frees its key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const skipped = await scene.running({ key: "k" });
      const done = await scene.running();
      const startedAt = scene.now();
      await scene.advance(80);
      const replies = await scene.store.settle([
        { ...refOf(skipped), startedAt, kind: "skipped" },
        { ...refOf(done), startedAt, kind: "succeeded", result: '""' },
      ]);
      assert.deepEqual(
        replies.map((reply) => ({ ...reply })),
        replies.map(() => ({ state: "succeeded", hint: null, finishedAt: scene.now() })),
      );
      const task = await scene.get(skipped.id);
      assert.deepEqual(
        [task.state, task.reason, task.result, task.startedAt, task.finishedAt, task.keyLive, task.fence, task.attempt],
        ["succeeded", "SKIPPED", null, startedAt, scene.now(), false, 1, 1],
      );
      assert.equal((await scene.journal(skipped.id)).at(-1)!.reason, "SKIPPED");
      const { reason, result } = await scene.get(done.id);
      assert.deepEqual([reason, result], [null, '""']);
    },
  },
  {
    name: "a cancel request does not change that a task was skipped, and a retry of it has no reason",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.cancel(execution.id);
      await scene.skip(execution);
      assert.equal((await scene.get(execution.id)).reason, "SKIPPED");
      await scene.retry(execution.id);
      assert.equal((await scene.get(execution.id)).reason, null);
    },
  },
  {
    name: "a failed attempt is scheduled again after its backoff, the attempt charged, the fence raised",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      await scene.advance(80);
      assert.equal(await scene.fail(execution, 1_000), "scheduled");
      const task = await scene.get(execution.id);
      assert.deepEqual(
        [task.dueAt, task.scheduledAt, task.attempt, task.fence, task.owner, task.lastError, task.keyLive],
        [scene.now() + 1_000, execution.scheduledAt, 1, 2, null, "no answer", true],
      );
      await scene.advance(1_000);
      const second = await scene.reclaim(task.id);
      assert.deepEqual([second.attempt, second.fence], [2, 3]);
    },
  },
  {
    name: "a snooze is scheduled again after its delay, the attempt not charged, counted and journalled",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k", maxAttempts: 1, startDeadlineMs: 1_000 });
      await scene.advance(80);
      assert.equal(await scene.snooze(execution, 5_000), "scheduled");
      const task = await scene.get(execution.id);
      assert.deepEqual(
        [task.dueAt, task.scheduledAt, task.attempt, task.snoozeCount, task.fence, task.lastError, task.keyLive],
        [scene.now() + 5_000, execution.scheduledAt, 0, 1, 2, null, true],
      );
      assert.equal(task.startedAt, scene.now());
      assert.equal((await scene.journal(task.id)).at(-1)!.reason, "SNOOZED");
      // It has started, so its start deadline holds no more.
      await scene.advance(5_000);
      const second = await scene.reclaim(task.id);
      assert.deepEqual([second.attempt, second.snoozeCount], [1, 1]);
      assert.equal(await scene.snooze(second), "scheduled");
      assert.equal((await scene.reclaim(task.id)).snoozeCount, 2);
    },
  },
  {
    name: "a snooze of a task whose cancel was requested ends it, and a retry of it counts anew",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.snooze(execution);
      const again = await scene.reclaim(execution.id);
      await scene.cancel(execution.id);
      assert.equal(await scene.snooze(again, 5_000), "cancelled");
      const ended = await scene.get(execution.id);
      assert.deepEqual([ended.reason, ended.snoozeCount], ["REQUESTED", 1]);
      await scene.retry(execution.id);
      assert.equal((await scene.get(execution.id)).snoozeCount, 0);
    },
  },
  {
    name: "exhausted attempts end a task dead, with reason and error, and free its key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k", maxAttempts: 1 });
      assert.equal(await scene.bury(execution), "dead");
      const task = await scene.get(execution.id);
      assert.deepEqual(
        [task.state, task.reason, task.lastError, task.finishedAt, task.keyLive],
        ["dead", "ATTEMPTS", "no answer", scene.now(), false],
      );
    },
  },
  {
    name: "a task may end dead for every reason a settlement can give",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (const reason of ["ATTEMPTS", "NON_RETRYABLE", "PAYLOAD_INVALID", "RESULT_INVALID"] as const) {
        const execution = await scene.running();
        await scene.store.settle([{ ...refOf(execution), startedAt: scene.now(), kind: "dead", reason, error: "e" }]);
        assert.equal((await scene.get(execution.id)).reason, reason);
      }
    },
  },
  {
    name: "an execution whose owner or fence is not the row's settles nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const before = await scene.get(execution.id);
      const stale = wrongRefs(execution, await scene.join()).flatMap(waysToEnd);
      assert.deepEqual(
        await scene.store.settle(stale),
        stale.map(() => null),
      );
      assert.deepEqual(await scene.get(execution.id), before);
    },
  },
  {
    name: "terminal is final: no settlement, release, deferral, claim, edit or cancel changes an ended task",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const good = await scene.running();
      const bad = await scene.running();
      const stopped = await scene.running();
      await scene.succeed(good);
      await scene.bury(bad);
      await scene.cancel(stopped.id);
      await scene.fail(stopped);
      for (const execution of [good, bad, stopped]) {
        const before = await scene.get(execution.id);
        const ways = waysToEnd(refOf(execution));
        assert.deepEqual(
          await scene.store.settle(ways),
          ways.map(() => null),
        );
        assert.deepEqual(await scene.store.release([{ ...refOf(execution), reason: "DRAIN" }]), [null]);
        assert.deepEqual(await scene.store.defer([{ ...refOf(execution), delayMs: 0 }]), [null]);
        assert.deepEqual(await scene.claim([execution.id]), []);
        assert.deepEqual(await scene.reap(scene.node), []);
        const { namespace } = scene;
        const edit = await scene.store.edit({ namespace, id: execution.id, changes: { priority: 1 }, actor: "a" });
        assert.equal(edit.outcome, "state_conflict");
        await scene.cancel(execution.id);
        assert.deepEqual(await scene.get(execution.id), before);
      }
    },
  },
  {
    name: "a completion after the time-out, when the task was scheduled again, changes nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const late = await scene.running();
      await scene.fail(late);
      assert.deepEqual(await scene.store.settle(waysToEnd(refOf(late))), [null, null, null]);
      const next = await scene.reclaim(late.id);
      assert.deepEqual(await scene.store.settle(waysToEnd(refOf(late))), [null, null, null]);
      assert.equal((await scene.get(late.id)).fence, next.fence);
      await scene.succeed(next);
    },
  },
  {
    name: "a completion after the cancel took effect changes nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.cancel(execution.id);
      assert.equal(await scene.fail(execution), "cancelled");
      const before = await scene.get(execution.id);
      assert.deepEqual(await scene.store.settle(waysToEnd(refOf(execution))), [null, null, null]);
      assert.deepEqual(await scene.get(execution.id), before);
    },
  },
  {
    name: "a handler that completes although a cancel was requested has succeeded",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.cancel(execution.id);
      await scene.succeed(execution);
      assert.equal(await scene.state(execution.id), "succeeded");
    },
  },
  {
    name: "if a cancel was requested, every other end of the execution ends the task cancelled",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const leave: ((scene: Scenario, ref: ReturnType<typeof refOf>) => Promise<unknown>)[] = [
        (stage, ref) => stage.fail(ref, 500),
        (stage, ref) => stage.bury(ref),
        (stage, ref) => stage.store.release([{ ...ref, reason: "DRAIN" }]),
        (stage, ref) => stage.store.defer([{ ...ref, delayMs: 500 }]),
        (stage, ref) => stage.reap(ref.owner),
      ];
      for (const way of leave) {
        const execution = await scene.running({ key: "k" });
        await scene.cancel(execution.id, "canceller");
        await scene.advance(3);
        await way(scene, refOf(execution));
        const task = await scene.get(execution.id);
        assert.deepEqual(
          [task.state, task.reason, task.cancelledBy, task.finishedAt, task.keyLive, task.fence, task.attempt],
          ["cancelled", "REQUESTED", "canceller", scene.now(), false, 1, 1],
        );
      }
    },
  },
  {
    name: "a batch of settlements is answered in its order, and stale ones with null",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const one = await scene.running();
      const two = await scene.running();
      const three = await scene.running();
      const startedAt = scene.now();
      const replies = await scene.store.settle([
        { ...refOf(three), startedAt, kind: "retry", delayMs: 10, error: "e" },
        { ...refOf(one), fence: 9, startedAt, kind: "succeeded", result: null },
        { ...refOf(two), startedAt, kind: "dead", reason: "NON_RETRYABLE", error: "e" },
        { ...refOf(one), startedAt, kind: "succeeded", result: "[1]" },
      ]);
      assert.deepEqual(
        replies.map((reply) => reply && [reply.state, reply.hint?.id]),
        [["scheduled", three.id], null, ["dead", undefined], ["succeeded", undefined]],
      );
      assert.deepEqual(await scene.store.settle([]), []);
    },
  },
];

function waysToEnd(ref: ReturnType<typeof refOf>): Settlement[] {
  return [
    { ...ref, startedAt: 0, kind: "succeeded", result: "1" },
    { ...ref, startedAt: 0, kind: "retry", delayMs: 0, error: "late" },
    { ...ref, startedAt: 0, kind: "dead", reason: "ATTEMPTS", error: "late" },
  ];
}

const TAKEN_FROM = { node: '10.0.0.9:"7"', silentSince: 1_700_000_000_001, takenOverAt: 1_700_000_000_007 };
const PARTS: LatenessParts = { known: 7, wheel: 0, place: 2, claim: 3, start: 1, clockErrorUs: 217, takenFrom: null };

/** Where the lateness of a start went: kept with the run that has measured it. */
export const latenessCases: ConformanceCase[] = [
  {
    name: "every end of an execution keeps where the lateness of its start went, in the row and in the journal",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const latenessParts = { ...PARTS, takenFrom: TAKEN_FROM };
      const ran = (startedAt: number) => ({ startedAt, latenessParts });
      const ends: [TaskState, (ref: ExecutionRef, startedAt: number) => Promise<unknown>][] = [
        ["succeeded", (ref, at) => settle(scene, { ...ref, ...ran(at), kind: "succeeded", result: null })],
        ["succeeded", (ref, at) => settle(scene, { ...ref, ...ran(at), kind: "skipped" })],
        ["dead", (ref, at) => settle(scene, { ...ref, ...ran(at), kind: "dead", reason: "ATTEMPTS", error: "" })],
        ["scheduled", (ref, at) => settle(scene, { ...ref, ...ran(at), kind: "retry", delayMs: 9, error: "" })],
        ["scheduled", (ref, at) => settle(scene, { ...ref, ...ran(at), kind: "snoozed", delayMs: 9 })],
        ["scheduled", (ref, at) => scene.store.release([{ ...ref, ...ran(at), reason: "DRAIN" }])],
        ["succeeded", (ref, at) => completeIn(scene, { ...ref, ...ran(at), result: null })],
      ];
      for (const [state, end] of ends) {
        const execution = await scene.running();
        const startedAt = scene.now();
        await scene.advance(50);
        await end(refOf(execution), startedAt);
        const task = await scene.get(execution.id);
        assert.deepEqual([task.state, task.startedAt, task.latenessParts], [state, startedAt, latenessParts]);
        const last = (await scene.journal(execution.id)).at(-1)!;
        assert.deepEqual([last.from, last.startedAt, last.latenessParts], ["running", startedAt, latenessParts]);
      }
    },
  },
  {
    name: "each attempt that failed stays in the journal with its start, its lateness in parts and its error, cut if long",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ maxAttempts: 3 });
      const runs = [
        { startedAt: 0, latenessParts: PARTS, error: "first: \u{1f600}" },
        { startedAt: 0, latenessParts: null, error: "x".repeat(JOURNAL_ERROR_LENGTH + 1) },
        { startedAt: 0, latenessParts: { ...PARTS, place: 40 }, error: "third" },
      ];
      for (const run of runs) {
        const execution = await scene.reclaim(id);
        run.startedAt = scene.now();
        await scene.advance(20);
        await settle(scene, { ...refOf(execution), ...run, kind: "retry", delayMs: 0 });
      }
      const told = (await scene.journal(id)).filter(({ from }) => from === "running");
      assert.deepEqual(
        told.map(({ to, startedAt, latenessParts, error }) => [to, startedAt, latenessParts, error]),
        runs.map(({ startedAt, latenessParts, error }, index) => [
          index === 2 ? "dead" : "scheduled",
          startedAt,
          latenessParts,
          error.slice(0, JOURNAL_ERROR_LENGTH),
        ]),
      );
      assert.equal(
        (await scene.journal(id)).filter(({ from }) => from !== "running").some(({ error }) => error),
        false,
      );
    },
  },
  {
    name: "a stale end changes no lateness, one without a start leaves the last one, a reap and a retry clear it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const [startedAt, kind] = [scene.now(), "retry"] as const;
      await settle(scene, { ...refOf(execution), startedAt, latenessParts: PARTS, kind, delayMs: 0, error: "e" });
      const other = { ...PARTS, start: 99 };
      for (const ref of wrongRefs(await scene.reclaim(execution.id), "9"))
        await settle(scene, { ...ref, startedAt, latenessParts: other, kind: "succeeded", result: null });
      const partsNow = async () => (await scene.get(execution.id)).latenessParts;
      assert.deepEqual(await partsNow(), PARTS);
      const running = await scene.get(execution.id);
      await scene.store.release([
        { id: running.id, owner: running.owner!, fence: running.fence, reason: "NOT_STARTED" },
      ]);
      assert.deepEqual(await partsNow(), PARTS);
      assert.deepEqual((await scene.journal(execution.id)).at(-1)!.startedAt, null);
      await scene.reclaim(execution.id);
      await scene.reap(scene.node);
      assert.equal(await partsNow(), null);
      const last = await scene.reclaim(execution.id);
      await settle(scene, { ...refOf(last), startedAt, latenessParts: PARTS, kind: "succeeded", result: null });
      await scene.retry(execution.id);
      assert.equal(await partsNow(), null);
    },
  },
  {
    name: "the end of a claim that was given back, since its cancel was requested, tells no start of an earlier run",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const failure = { startedAt: scene.now(), latenessParts: PARTS, kind: "retry", delayMs: 0, error: "e" } as const;
      await settle(scene, { ...refOf(execution), ...failure });
      await scene.advance(100);
      const again = await scene.reclaim(execution.id);
      await scene.cancel(execution.id);
      await scene.store.release([{ ...refOf(again), reason: "NOT_STARTED" }]);
      const last = (await scene.journal(execution.id)).at(-1)!;
      assert.deepEqual([last.to, last.startedAt, last.latenessParts, last.error], ["cancelled", null, null, null]);
    },
  },
];

function settle(scene: Scenario, settlement: Settlement): Promise<unknown> {
  return scene.store.settle([settlement]);
}

function completeIn(scene: Scenario, completion: Completion): Promise<unknown> {
  return scene.subject.transaction((within) => scene.store.completeWithin(completion, within));
}
