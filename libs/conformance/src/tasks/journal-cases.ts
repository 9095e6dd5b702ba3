import assert from "node:assert/strict";
import { labelOf, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

export const journalCases: ConformanceCase[] = [
  {
    name: "the journal of a task that succeeded tells create, claim and completion",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      await scene.advance(10);
      const execution = await scene.reclaim(id);
      await scene.advance(10);
      await scene.succeed(execution);
      const node = labelOf(scene.node);
      const end = scene.now();
      const nobody = { reason: null, actor: null, count: 1, startedAt: null, latenessParts: null, error: null };
      assert.deepEqual(
        (await scene.journal(id)).map((entry) => ({ ...entry })),
        [
          { ...nobody, at: end - 20, from: null, to: "scheduled", node: null, fence: 0, attempt: 0, actor: "creator" },
          { ...nobody, at: end - 10, from: "scheduled", to: "running", node, fence: 1, attempt: 1 },
          { ...nobody, at: end, from: "running", to: "succeeded", node, fence: 1, attempt: 1, startedAt: end },
        ],
      );
    },
  },
  {
    name: "the journal of a cancelled task tells who created it and who cancelled it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      await scene.advance(10);
      await scene.cancel(id);
      const cancelled = (await scene.journal(id)).at(-1);
      assert.deepEqual(await scene.steps(id), ["none>scheduled", "scheduled>cancelled"]);
      assert.deepEqual(
        [cancelled?.at, cancelled?.node, cancelled?.reason, cancelled?.actor],
        [scene.now(), null, "REQUESTED", "canceller"],
      );
    },
  },
  {
    name: "the journal tells every attempt of a task that was retried by backoff, with its node, fence and attempt",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const rival = await scene.join();
      const { id } = await scene.create();
      await scene.fail(await scene.reclaim(id));
      await scene.fail(await scene.reclaim(id, rival));
      await scene.bury(await scene.reclaim(id));
      assert.deepEqual(await scene.steps(id), [
        "none>scheduled",
        "scheduled>running",
        "running>scheduled",
        "scheduled>running",
        "running>scheduled",
        "scheduled>running",
        "running>dead",
      ]);
      const told = (await scene.journal(id)).map((entry) => [entry.node, entry.fence, entry.attempt]);
      const one = labelOf(scene.node);
      const two = labelOf(rival);
      assert.deepEqual(told, [
        [null, 0, 0],
        [one, 1, 1],
        [one, 1, 1],
        [two, 3, 2],
        [two, 3, 2],
        [one, 5, 3],
        [one, 5, 3],
      ]);
      assert.equal((await scene.journal(id)).at(-1)?.reason, "ATTEMPTS");
    },
  },
  {
    name: "the journal tells each reap and the final death, with the node that crashed",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const victim = await scene.join();
      const { id } = await scene.create();
      for (let crash = 1; crash <= 2; crash++) {
        await scene.reclaim(id, victim);
        await scene.reap(victim, 2);
      }
      const entries = await scene.journal(id);
      assert.deepEqual(
        entries.map((entry) => [entry.to, entry.node, entry.fence]),
        [
          ["scheduled", null, 0],
          ["running", labelOf(victim), 1],
          ["scheduled", labelOf(victim), 1],
          ["running", labelOf(victim), 3],
          ["dead", labelOf(victim), 3],
        ],
      );
      assert.equal(entries.at(-1)?.reason, "CRASHES");
    },
  },
  {
    name: "the journal tells a release with its reason",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.store.release([{ ...refOf(execution), reason: "LOST_REPLY" }]);
      await scene.succeed(await scene.reclaim(execution.id));
      const entries = await scene.journal(execution.id);
      assert.deepEqual(
        entries.map((entry) => [entry.from, entry.to, entry.fence, entry.attempt, entry.reason]),
        [
          [null, "scheduled", 0, 0, null],
          ["scheduled", "running", 1, 1, null],
          ["running", "scheduled", 1, 1, "LOST_REPLY"],
          ["scheduled", "running", 3, 1, null],
          ["running", "succeeded", 3, 1, null],
        ],
      );
    },
  },
  {
    name: "a deferral is told with its reason as a change of a task that waits, before a retry and after one",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      const { id } = execution;
      await scene.store.defer([{ ...refOf(execution), delayMs: 0 }]);
      const putOff = ["scheduled", "scheduled", 0, "BREAKER", null, null, 1];
      const told = async () =>
        (await scene.journal(id)).map(({ from, to, attempt, reason, actor, node, count }) => [
          from,
          to,
          attempt,
          reason,
          actor,
          node,
          count,
        ]);
      assert.deepEqual((await told()).slice(1), [putOff]);
      await scene.fail(await scene.reclaim(id));
      const retried = ["none>scheduled", "scheduled>scheduled", "scheduled>running", "running>scheduled"];
      assert.deepEqual(await scene.steps(id), retried);
      await scene.store.defer([{ ...refOf(await scene.reclaim(id)), delayMs: 0, reason: "SUSPECT" }]);
      assert.deepEqual((await told()).slice(4), [["scheduled", "scheduled", 1, "SUSPECT", null, null, 1]]);
      await scene.succeed(await scene.reclaim(id));
      const all = [...retried, "scheduled>scheduled", "scheduled>running", "running>succeeded"];
      assert.deepEqual(await scene.steps(id), all);
      const fences = (await scene.journal(id)).map(({ fence }) => fence);
      assert.deepEqual(
        fences,
        fences.toSorted((one, other) => one - other),
      );
    },
  },
  {
    name: "the journal tells a cancel request once, and the end it led to",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.cancel(execution.id);
      await scene.cancel(execution.id);
      await scene.fail(execution);
      const entries = await scene.journal(execution.id);
      assert.deepEqual(
        entries.map((entry) => [entry.from, entry.to, entry.actor]),
        [
          [null, "scheduled", "creator"],
          ["scheduled", "running", null],
          ["running", "running", "canceller"],
          ["running", "cancelled", "canceller"],
        ],
      );
      assert.equal(entries.at(-1)?.reason, "REQUESTED");
    },
  },
  {
    name: "the journal tells edits and refreshes, with their actors",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace } = scene;
      const { id } = await scene.create({ key: "k" });
      await scene.store.edit({ namespace, id, changes: { priority: 1 }, actor: "editor" });
      await scene.createAll(scene.newTask({ key: "k", onConflict: "refresh", actor: "refresher" }));
      await scene.succeed(await scene.reclaim(id));
      const entries = await scene.journal(id);
      assert.deepEqual(
        entries.map((entry) => [entry.from, entry.to, entry.actor]),
        [
          [null, "scheduled", "creator"],
          ["scheduled", "scheduled", "editor"],
          ["scheduled", "scheduled", "refresher"],
          ["scheduled", "running", null],
          ["running", "succeeded", null],
        ],
      );
    },
  },
  {
    name: "the journal goes on over retries, from the live table and from history",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      await scene.cancel(id);
      await scene.retry(id);
      await scene.succeed(await scene.reclaim(id));
      await scene.store.archive(1_000);
      await scene.retry(id);
      await scene.cancel(id);
      await scene.store.archive(1_000);
      const entries = await scene.journal(id);
      assert.deepEqual(await scene.steps(id), [
        "none>scheduled",
        "scheduled>cancelled",
        "cancelled>scheduled",
        "scheduled>running",
        "running>succeeded",
        "succeeded>scheduled",
        "scheduled>cancelled",
      ]);
      assert.deepEqual(
        [entries[1]?.actor, entries[2]?.actor, entries[5]?.actor],
        ["canceller", "operator", "operator"],
      );
      assert.deepEqual([entries[2]?.fence, entries[3]?.fence], [1, 2]);
    },
  },
  {
    name: "the journal of a replaced task tells who replaced it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: "k" });
      await scene.createAll(scene.newTask({ key: "k", onConflict: "replace", actor: "replacer" }));
      const [, replaced] = await scene.journal(id);
      assert.deepEqual([replaced?.to, replaced?.reason, replaced?.actor], ["cancelled", "REPLACED", "replacer"]);
    },
  },
];
