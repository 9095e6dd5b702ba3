import assert from "node:assert/strict";
import {
  type CallerTransaction,
  type CheckpointReply,
  type ExecutionRef,
  type Json,
  jsonTextOf,
  MAX_STEPS,
  type StepReply,
} from "@tickwheel/core";
import { refOf, Scenario, wrongRefs } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

class RolledBack extends Error {}

const DAY_MS = 86_400_000;
const RETENTION = { historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 90 };

/** Writes in a transaction, which is committed if the answer is `stored`, as that of a handler is. */
async function written<Reply extends string>(
  scene: Scenario,
  write: (within: CallerTransaction) => Promise<Reply>,
): Promise<Reply> {
  let reply: Reply | null = null;
  const work = async (within: CallerTransaction): Promise<void> => {
    reply = await write(within);
    if (reply !== "stored") throw new RolledBack();
  };
  await scene.subject
    .transaction(work)
    .catch((error: unknown) => assert.ok(error instanceof RolledBack, error as Error));
  return reply!;
}

function store(scene: Scenario, execution: ExecutionRef, step: [string, string | null]): Promise<StepReply> {
  const [name, result] = step;
  const effects = scene.subject.effects();
  return written(scene, (within) => effects.storeStep({ ...refOf(execution), name, result }, within));
}

/** Undefined for `before`: there was no checkpoint. */
function follow(
  scene: Scenario,
  execution: ExecutionRef,
  [before, state]: [Json | undefined, Json],
): Promise<CheckpointReply> {
  const texts = { before: before === undefined ? null : jsonTextOf(before), state: jsonTextOf(state) };
  const effects = scene.subject.effects();
  return written(scene, (within) => effects.storeCheckpoint({ ...refOf(execution), ...texts }, within));
}

function find(scene: Scenario, taskId: string, name: string) {
  return scene.subject.transaction((within) => scene.subject.effects().findStep({ taskId, name }, within));
}

function checkpoint(scene: Scenario, execution: ExecutionRef, state: number): Promise<boolean> {
  const { namespace, subject } = scene;
  return subject.effects().saveCheckpoint({ ...refOf(execution), namespace, state: jsonTextOf(state) });
}

function progress(scene: Scenario, execution: ExecutionRef, [value, note]: [number, string?]) {
  return scene.subject.effects().saveProgress({ ...refOf(execution), value, note: note ?? null });
}

async function stateOf(scene: Scenario, taskId: string): Promise<string | null> {
  return (await scene.subject.effects().readReport(taskId)).checkpoint?.state ?? null;
}

export const stepCases: ConformanceCase[] = [
  {
    name: "a step is found with its result once its transaction is committed, by its name and its task alone",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const other = await scene.running();
      assert.deepEqual(await find(scene, execution.id, "pay"), { stored: null, count: 0 });
      assert.equal(await store(scene, execution, ["pay", '{"receipt":7}']), "stored");
      assert.equal(await store(scene, execution, ["mail", null]), "stored");
      assert.deepEqual(await find(scene, execution.id, "pay"), { stored: { result: '{"receipt":7}' }, count: 2 });
      assert.deepEqual(await find(scene, execution.id, "mail"), { stored: { result: null }, count: 2 });
      assert.deepEqual(await find(scene, execution.id, "Pay"), { stored: null, count: 2 });
      assert.deepEqual(await find(scene, other.id, "pay"), { stored: null, count: 0 });
    },
  },
  {
    name: "a step whose transaction is rolled back has not been done",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const undone = subject.transaction(async (within) => {
        const step = { ...refOf(execution), name: "pay", result: "1" };
        assert.equal(await subject.effects().storeStep(step, within), "stored");
        throw new RolledBack();
      });
      await assert.rejects(undone, RolledBack);
      assert.deepEqual(await find(scene, execution.id, "pay"), { stored: null, count: 0 });
    },
  },
  {
    name: "a step that is stored is not stored again",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      assert.equal(await store(scene, execution, ["pay", "1"]), "stored");
      assert.equal(await store(scene, execution, ["pay", "2"]), "present");
      assert.deepEqual(await find(scene, execution.id, "pay"), { stored: { result: "1" }, count: 1 });
    },
  },
  {
    name: `a task has at most ${MAX_STEPS} steps, and those are still found`,
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      for (let count = 0; count < MAX_STEPS; count++)
        assert.equal(await store(scene, execution, [`step ${count}`, null]), "stored");
      assert.equal(await store(scene, execution, ["one more", null]), "full");
      assert.equal(await store(scene, execution, ["step 0", null]), "present");
      assert.deepEqual(await find(scene, execution.id, "one more"), { stored: null, count: MAX_STEPS });
    },
  },
  {
    name: "a stale execution stores no step, no checkpoint and no progress",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const running = await scene.running();
      const failed = await scene.running();
      const ended = await scene.running();
      await scene.fail(failed);
      await scene.succeed(ended);
      const stale = [...wrongRefs(running, await scene.join()), refOf(failed), refOf(ended)];
      for (const ref of stale) {
        assert.equal(await store(scene, ref, ["pay", "1"]), "stale");
        assert.equal(await checkpoint(scene, ref, 1), false);
        assert.equal(await follow(scene, ref, [undefined, 1]), "stale");
        assert.equal(await progress(scene, ref, [0.5]), false);
      }
      for (const { id } of [running, failed, ended]) {
        assert.deepEqual(await find(scene, id, "pay"), { stored: null, count: 0 });
        assert.deepEqual(await subject.effects().readReport(id), { checkpoint: null, progress: null });
      }
    },
  },
  {
    name: "an effect changes nothing about its task, and a cancel request does not refuse it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.cancel(execution.id);
      const before = await scene.get(execution.id);
      assert.equal(await store(scene, execution, ["pay", "1"]), "stored");
      assert.equal(await checkpoint(scene, execution, 1), true);
      assert.equal(await follow(scene, execution, [1, 2]), "stored");
      assert.equal(await progress(scene, execution, [0.5]), true);
      assert.deepEqual(await scene.get(execution.id), before);
    },
  },
];

export const reportCases: ConformanceCase[] = [
  {
    name: "a checkpoint and a progress are each as they were told last, with their instants",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const first = scene.now();
      assert.equal(await checkpoint(scene, execution, 1), true);
      assert.equal(await progress(scene, execution, [0.25, "a quarter"]), true);
      await scene.advance(1_000);
      assert.equal(await progress(scene, execution, [1]), true);
      const later = scene.now();
      assert.deepEqual(await subject.effects().readReport(execution.id), {
        checkpoint: { state: "1", at: first },
        progress: { value: 1, note: null, at: later },
      });
      assert.equal(await checkpoint(scene, execution, 2), true);
      assert.deepEqual((await subject.effects().readReport(execution.id)).checkpoint, { state: "2", at: later });
    },
  },
  {
    name: "a checkpoint of a transaction is there once that is committed, and leaves the progress as it is",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await progress(scene, execution, [0.25]);
      const at = scene.now();
      const undone = subject.transaction(async (within) => {
        const next = { ...refOf(execution), before: null, state: jsonTextOf(1) };
        assert.equal(await subject.effects().storeCheckpoint(next, within), "stored");
        throw new RolledBack();
      });
      await assert.rejects(undone, RolledBack);
      assert.equal(await stateOf(scene, execution.id), null);
      await scene.advance(1_000);
      assert.equal(await follow(scene, execution, [undefined, { walk: { from: 1 } }]), "stored");
      assert.deepEqual(await subject.effects().readReport(execution.id), {
        checkpoint: { state: '{"walk":{"from":1}}', at: scene.now() },
        progress: { value: 0.25, note: null, at },
      });
    },
  },
  {
    name: "a checkpoint of a transaction follows the one that it names, and no other",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      assert.equal(await follow(scene, execution, [undefined, 1]), "stored");
      assert.equal(await follow(scene, execution, [undefined, 2]), "moved");
      assert.equal(await follow(scene, execution, [2, 3]), "moved");
      assert.equal(await stateOf(scene, execution.id), "1");
      assert.equal(await follow(scene, execution, [1, null]), "stored");
      assert.equal(await follow(scene, execution, [undefined, 4]), "moved");
      assert.equal(await follow(scene, execution, [null, 4]), "stored");
      assert.equal(await stateOf(scene, execution.id), "4");
    },
  },
  {
    name: "a checkpoint of null is one, and a NUL in a note is replaced",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const state = jsonTextOf(null);
      await subject.effects().saveCheckpoint({ ...refOf(execution), namespace: scene.namespace, state });
      await progress(scene, execution, [0, "a\0b"]);
      const report = await subject.effects().readReport(execution.id);
      assert.deepEqual([report.checkpoint?.state, report.progress?.note], ["null", "a\uFFFDb"]);
    },
  },
  {
    name: "steps, checkpoint and progress stay through failure, reap, release, snooze, success and retry",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const owner = await scene.join();
      const first = await scene.running({ maxAttempts: 9 }, owner);
      await store(scene, first, ["pay", "1"]);
      await checkpoint(scene, first, 1);
      await scene.reap(owner);
      const { id } = first;
      await scene.fail(await scene.reclaim(id));
      await scene.snooze(await scene.reclaim(id));
      await scene.store.release([{ ...refOf(await scene.reclaim(id)), reason: "DRAIN" }]);
      const fifth = await scene.reclaim(id);
      assert.equal(await store(scene, fifth, ["pay", "2"]), "present");
      await scene.bury(fifth);
      await scene.retry(id);
      await scene.succeed(await scene.reclaim(id));
      await scene.store.archive(1_000);
      assert.deepEqual([await stateOf(scene, id), (await find(scene, id, "pay")).stored?.result], ["1", "1"]);
    },
  },
  {
    name: "what a handler left behind goes once its task is gone, not before",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const gone = await scene.running();
      const dead = await scene.running();
      const waiting = await scene.running();
      for (const execution of [gone, dead, waiting]) {
        await store(scene, execution, ["pay", "1"]);
        await checkpoint(scene, execution, 1);
      }
      await scene.succeed(gone);
      await scene.store.archive(1_000);
      await scene.bury(dead);
      await scene.fail(waiting, 1_000 * DAY_MS);
      await scene.advance(6 * DAY_MS);
      await scene.store.maintain(RETENTION);
      assert.equal(await stateOf(scene, gone.id), "1");
      await scene.advance(3 * DAY_MS);
      await maintainAll(scene);
      assert.equal(await scene.store.get(scene.namespace, gone.id), null);
      for (const { id, kept } of [
        { id: gone.id, kept: null },
        { id: dead.id, kept: "1" },
        { id: waiting.id, kept: "1" },
      ]) {
        const step = (await find(scene, id, "pay")).stored?.result ?? null;
        assert.deepEqual([await stateOf(scene, id), step], [kept, kept]);
      }
    },
  },
];

/** Upkeep until it has no more to do; the first call may drop a partition only after it has looked. */
async function maintainAll(scene: Scenario): Promise<void> {
  for (let rounds = 0; rounds < 10; rounds++) {
    const { hasMore } = await scene.store.maintain(RETENTION);
    if (!hasMore && rounds > 0) return;
  }
  assert.fail("upkeep does not end");
}
