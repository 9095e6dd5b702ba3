import assert from "node:assert/strict";
import type { CreateResult } from "@tickwheel/core";
import { accepted, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { KEY, LATER_MS } from "../subject/merge-scene.js";

/** The policies that put a task off. */
const PUTTING_OFF = ["refresh", "merge"] as const;
type PuttingOffPolicy = (typeof PUTTING_OFF)[number];

/** Steps of a task that is put off: when somebody asks, for what, and when the task is due after it. */
interface PuttingOff {
  name: string;
  steps: { atMs: number; delayMs: number; maxWaitMs?: number; dueMs: number }[];
}

const PUT_OFF: PuttingOff[] = [
  {
    name: "is due at the latest maxWait after its creation",
    steps: [
      { atMs: 0, delayMs: 5_000, maxWaitMs: 12_000, dueMs: 5_000 },
      { atMs: 4_000, delayMs: 5_000, maxWaitMs: 12_000, dueMs: 9_000 },
      { atMs: 8_000, delayMs: 5_000, maxWaitMs: 12_000, dueMs: 12_000 },
      { atMs: 9_000, delayMs: 1_000, dueMs: 10_000 },
    ],
  },
  {
    name: "obeys the strictest of all callers, no matter who comes first",
    steps: [
      { atMs: 0, delayMs: 5_000, maxWaitMs: 12_000, dueMs: 5_000 },
      { atMs: 4_000, delayMs: 50_000, maxWaitMs: 10_000, dueMs: 10_000 },
      { atMs: 5_000, delayMs: 50_000, maxWaitMs: 99_000, dueMs: 10_000 },
      { atMs: 6_000, delayMs: 50_000, dueMs: 10_000 },
    ],
  },
  { name: "is capped from its creation on", steps: [{ atMs: 0, delayMs: 50_000, maxWaitMs: 3_000, dueMs: 3_000 }] },
  {
    name: "is due now if its cap has passed when it is given",
    steps: [
      { atMs: 0, delayMs: 50_000, dueMs: 50_000 },
      { atMs: 20_000, delayMs: 50_000, maxWaitMs: 10_000, dueMs: 20_000 },
    ],
  },
  {
    name: "stays due once it is due",
    steps: [
      { atMs: 0, delayMs: 1_000, dueMs: 1_000 },
      { atMs: 1_000, delayMs: 5_000, dueMs: 1_000 },
      { atMs: 9_000, delayMs: 5_000, maxWaitMs: 1, dueMs: 1_000 },
    ],
  },
  {
    name: "is due now as soon as one caller asks for it",
    steps: [
      { atMs: 0, delayMs: 5_000, dueMs: 5_000 },
      { atMs: 1_000, delayMs: 0, dueMs: 1_000 },
      { atMs: 1_000, delayMs: 9_000, dueMs: 1_000 },
    ],
  },
];

const dueCases: ConformanceCase[] = PUTTING_OFF.flatMap((onConflict) =>
  PUT_OFF.map(({ name, steps }): ConformanceCase => ({
    name: `a task that is put off by ${onConflict} ${name}`,
    async run(subject) {
      const scene = await Scenario.open(subject);
      const begun = scene.now();
      for (const { atMs, delayMs, maxWaitMs, dueMs } of steps) {
        await scene.advance(begun + atMs - scene.now());
        const wish = { key: KEY, onConflict, due: { delayMs }, ...(maxWaitMs !== undefined && { maxWaitMs }) };
        const [result] = await scene.createAll(scene.newTask({ ...wish, payload: {} }));
        assert.ok(result && "task" in result);
        const holder = await scene.holder(KEY);
        assert.deepEqual({ ...result.task }, { ...holder });
        assert.deepEqual([holder!.dueAt - begun, holder!.scheduledAt - begun], [dueMs, dueMs]);
      }
    },
  })),
);

const foldedDueCases: ConformanceCase[] = PUTTING_OFF.map((onConflict) => ({
  name: `several of ${onConflict} in one request are due as they would be one by one`,
  async run(subject) {
    const scene = await Scenario.open(subject);
    const { id, createdAt } = await scene.create({ key: KEY, due: { delayMs: 30_000 }, payload: {} });
    const ask = async (...delaysMs: number[]): Promise<number> => {
      const wish = { key: KEY, onConflict, payload: {} };
      await scene.createAll(
        ...delaysMs.map((delayMs) => scene.newTask({ ...wish, due: { delayMs }, maxWaitMs: 90_000 })),
      );
      return (await scene.get(id)).dueAt - createdAt;
    };
    assert.equal(await ask(9_000, 3_000, 60_000), 60_000);
    assert.equal(await ask(9_000, 200_000), 90_000);
    assert.equal(await ask(9_000, 0, 9_000), 0);
    assert.equal((await scene.get(id)).waitUntil, createdAt + 90_000);
  },
}));

/** When tasks are due that are put off by refreshes or merges. */
export const putOffCases: ConformanceCase[] = [...dueCases, ...foldedDueCases];

/** Puts the key's task off, as `policy` does it. */
async function ask(scene: Scenario, onConflict: PuttingOffPolicy): Promise<CreateResult> {
  const wish = { key: KEY, onConflict, due: { delayMs: LATER_MS }, payload: { n: 1 } };
  return (await scene.createAll(scene.newTask(wish)))[0]!;
}

/** The next one that asks begins the next cycle of this task. */
async function assertContinued(scene: Scenario, old: string, policy: PuttingOffPolicy): Promise<void> {
  const next = accepted(await ask(scene, policy), "created");
  assert.deepEqual([next.continues, next.continuedBy, next.version], [old, null, 1]);
  assert.deepEqual({ ...next }, { ...(await scene.get(next.id)) });
  const before = await scene.get(old);
  assert.deepEqual([before.keyLive, before.continuedBy, before.continues], [false, next.id, null]);
  assert.equal((await scene.holder(KEY))?.id, next.id);
}

const ofStarted = (policy: PuttingOffPolicy): ConformanceCase[] => [
  {
    name: `a ${policy} of a running task begins the next cycle, and the two name each other`,
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: KEY });
      const before = await scene.get(execution.id);
      await assertContinued(scene, execution.id, policy);
      assert.equal((await scene.get(execution.id)).version, before.version);
      await scene.succeed(execution);
      const ended = await scene.get(execution.id);
      assert.deepEqual([ended.state, ended.continuedBy], ["succeeded", (await scene.holder(KEY))?.id]);
    },
  },
  {
    name: `a ${policy} of a task that awaits its retry begins the next cycle and leaves the retry where it is`,
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: KEY, payload: { n: 7 } });
      await scene.fail(execution, 5_000);
      const { dueAt, payload } = await scene.get(execution.id);
      await assertContinued(scene, execution.id, policy);
      const old = await scene.get(execution.id);
      assert.deepEqual([old.state, old.dueAt, old.payload], ["scheduled", dueAt, payload]);
    },
  },
  {
    name: `a ${policy} of a task that is to stop begins the next cycle`,
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: KEY });
      await scene.cancel(execution.id);
      await assertContinued(scene, execution.id, policy);
      assert.equal(await scene.fail(execution), "cancelled");
    },
  },
];

const ofUnstarted = (policy: PuttingOffPolicy): ConformanceCase[] => [
  {
    name: `a ${policy} of a task that was claimed and given back unstarted changes that task`,
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: KEY, payload: {} });
      await scene.store.release([{ ...refOf(execution), reason: "DRAIN" }]);
      const task = accepted(await ask(scene, policy), policy === "merge" ? "merged" : "refreshed");
      assert.deepEqual([task.id, task.continuedBy], [execution.id, null]);
    },
  },
  {
    name: `a ${policy} of a key whose task has ended is a new task that continues none`,
    async run(subject) {
      const scene = await Scenario.open(subject);
      await scene.succeed(await scene.running({ key: KEY }));
      assert.equal(accepted(await ask(scene, policy), "created").continues, null);
    },
  },
];

/** What a refresh or a merge makes of a task that has started, or has not. */
export const cycleCases: ConformanceCase[] = PUTTING_OFF.flatMap((policy) => [
  ...ofStarted(policy),
  ...ofUnstarted(policy),
]);
