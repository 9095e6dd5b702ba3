import assert from "node:assert/strict";
import { fingerprintOf, printOf, type Task } from "@tickwheel/core";
import { findAll } from "../subject/find-all.js";
import { refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

const NO_ANSWER = printOf("no answer").print;
const CRASHED = printOf("its nodes died").print;

/** Runs a new task once, which ends dead with an error. */
async function deadOf(scene: Scenario, error: string): Promise<string> {
  const execution = await scene.running();
  const startedAt = scene.now();
  await scene.store.settle([{ ...refOf(execution), startedAt, kind: "dead", reason: "NON_RETRYABLE", error }]);
  return execution.id;
}

function idsOf(tasks: readonly Task[]): string[] {
  return tasks.map(({ id }) => id);
}

/** What every store promises about the prints of errors. */
export const fingerprintCases: readonly ConformanceCase[] = [
  {
    name: "a failure keeps the print of its error beside it, a snooze leaves it, and the next failure replaces it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      assert.equal((await scene.get(execution.id)).errorPrint, null);
      await scene.fail(execution);
      assert.equal((await scene.get(execution.id)).errorPrint, NO_ANSWER);
      await scene.snooze(await scene.reclaim(execution.id));
      assert.equal((await scene.get(execution.id)).errorPrint, NO_ANSWER);
      const again = await scene.reclaim(execution.id);
      const error = "Error: order 42 is gone\n    at Orders.find (/app/orders.js:3:7)";
      await scene.store.settle([{ ...refOf(again), startedAt: scene.now(), kind: "retry", delayMs: 0, error }]);
      const { errorPrint, lastError } = await scene.get(execution.id);
      assert.deepEqual([errorPrint, lastError], [printOf(error).print, error]);
    },
  },
  {
    name: "the print goes with the error into history, and a retry clears both, from there and in place",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const done = await scene.running();
      const stopped = await scene.running();
      for (const execution of [done, stopped]) await scene.fail(execution);
      await scene.succeed(await scene.reclaim(done.id));
      await scene.cancel(stopped.id);
      await scene.store.archive(1_000);
      const dead = await deadOf(scene, "no answer");
      for (const id of [done.id, stopped.id, dead]) {
        const { errorPrint, lastError } = await scene.get(id);
        assert.deepEqual([errorPrint, lastError], [NO_ANSWER, "no answer"]);
        await scene.retry(id);
        const retried = await scene.get(id);
        assert.deepEqual([retried.state, retried.errorPrint, retried.lastError], ["scheduled", null, null]);
      }
    },
  },
  {
    name: "tasks whose nodes died have one print, wherever and whenever they did; a crash alone has none",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const prints: (number | null)[] = [];
      for (const maxCrashes of [2, 1, 1]) {
        await scene.advance(1_000);
        const node = await scene.join();
        const { id } = await scene.running({}, node);
        await scene.reap(node, maxCrashes);
        const { errorPrint, lastError } = await scene.get(id);
        assert.equal(errorPrint === null ? null : printOf(lastError!).print, errorPrint);
        prints.push(errorPrint);
      }
      assert.deepEqual(prints, [null, CRASHED, CRASHED]);
    },
  },
  {
    name: "the dead of a print are found newest first, page by page, and none of another namespace",
    async run(subject) {
      const other = await Scenario.open(subject);
      const scene = await Scenario.open(subject);
      await deadOf(other, "order 9 is gone");
      const gone: string[] = [];
      for (let order = 0; order < 5; order++) {
        await scene.advance(1);
        gone.unshift(await deadOf(scene, `order ${order} is gone`));
        await deadOf(scene, "no answer");
      }
      const waiting = await scene.running();
      const error = "order 7 is gone";
      const later = { startedAt: scene.now(), kind: "retry", delayMs: 1_000, error } as const;
      await scene.store.settle([{ ...refOf(waiting), ...later }]);
      const fingerprint = fingerprintOf(printOf(error).print);
      const another = "0123456789ab";
      const asked = { namespace: scene.namespace, states: ["dead"], fingerprint: [another, fingerprint] } as const;
      const newestFirst = gone.toSorted().toReversed();
      const found: string[] = [];
      for (let after: string | undefined; ;) {
        const page = await scene.store.find({ ...asked, limit: 2, after });
        found.push(...idsOf(page.tasks));
        if (page.next === null) break;
        after = page.next;
      }
      assert.deepEqual(found, newestFirst);
      assert.deepEqual(idsOf(await findAll(scene.store, { ...asked, fingerprint: another })), []);
      const everywhere = await findAll(scene.store, { namespace: scene.namespace, fingerprint });
      assert.deepEqual(idsOf(everywhere).toSorted(), [...gone, waiting.id].toSorted());
      const inTab = await findAll(scene.store, { namespace: scene.namespace, tab: "dead", fingerprint });
      assert.deepEqual(idsOf(inTab).toSorted(), gone.toSorted());
    },
  },
];
