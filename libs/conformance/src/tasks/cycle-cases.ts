import assert from "node:assert/strict";
import type { CreateResult } from "@tickwheel/core";
import { accepted, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { KEY, LATER_MS } from "./merge-scene.js";
import { PUTTING_OFF, type PuttingOffPolicy } from "./put-off-cases.js";

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
