import assert from "node:assert/strict";
import { type JsonText, JSON_NULL, type Reducers } from "@tickwheel/core";
import { accepted, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { hold, KEY, LATER_MS, mergeOf, told } from "./merge-scene.js";

/** Merges beside what else happens to a task. */
export const mergeCases: ConformanceCase[] = [
  {
    name: "a next cycle takes all merges of its request",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: KEY, payload: { n: 7 } });
      const items = ['{"n":10}', '{"n":20}', '{"n":30}'].map((item) => mergeOf(scene, item, { maxWaitMs: 1_000 }));
      const results = await scene.createAll(...items);
      assert.deepEqual(told(results), ["created", "merged", "merged"]);
      const next = await scene.holder(KEY);
      assert.deepEqual([next?.payload, next?.continues, next?.dueAt], ['{"n": 60}', execution.id, scene.now() + 1_000]);
      for (const result of results) assert.ok("task" in result && result.task.id === next?.id);
    },
  },
  {
    name: "a merge journals how many it stands for and who came last, the first and the last of many",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await hold(scene, '{"n":0}');
      for (let round = 0; round < 6; round++) {
        const items = [1, 2, 3].map((n) => mergeOf(scene, `{"n":${n}}`, { actor: `a${round}.${n}` }));
        await scene.createAll(...items, mergeOf(scene, '{"n":"no number"}'));
      }
      const journal = (await scene.journal(id)).map(({ reason, actor, count }) => [reason, actor, count]);
      assert.deepEqual(journal, [
        [null, "creator", 1],
        ["MERGED", "a0.3", 3],
        ["MERGED", "a5.3", 15],
      ]);
      const { payload, version } = await scene.get(id);
      assert.deepEqual([payload, version], ['{"n": 36}', 7]);
    },
  },
  {
    name: "a merge takes the start deadline along",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY, due: { delayMs: 10 }, startDeadlineMs: 100, payload: {} });
      await scene.createAll(mergeOf(scene, "{}", { due: { delayMs: 30 } }));
      assert.equal((await scene.get(id)).startDeadlineAt, scene.now() + 130);
    },
  },
  {
    name: "of several keys in one request each merge is answered for itself, the faulty ones too",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const bad = { ...scene.newTask({ key: "bad", due: { delayMs: LATER_MS } }), payload: "[]" as JsonText };
      await scene.createAll(bad);
      const keys = ["a", "bad", "b", "a", "bad", "b", "c"];
      const results = await scene.createAll(...keys.map((key) => mergeOf(scene, '{"n":1}', { key })));
      const conflict = "MERGE_CONFLICT payload";
      assert.deepEqual(told(results), ["created", conflict, "created", "merged", conflict, "merged", "created"]);
      const sums = await Promise.all(["a", "b", "c"].map(async (key) => (await scene.holder(key))?.payload));
      assert.deepEqual(sums, ['{"n": 2}', '{"n": 2}', '{"n":1}']);
    },
  },
  {
    name: "ten thousand merges of one key in one request are one sum",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const items = Array.from({ length: 10_000 }, () => mergeOf(scene, '{"n":0.1}'));
      const results = await scene.createAll(...items);
      assert.deepEqual(new Set(told(results.slice(1))), new Set(["merged"]));
      const holder = await scene.holder(KEY);
      assert.deepEqual([holder?.payload, holder?.version], ['{"n": 1000}', 11]);
    },
  },
  {
    name: "a repeated merge under an idempotency key adds nothing and answers the same, faults included",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await hold(scene, '{"n":1,"m":"x"}');
      const reducers: Reducers = { n: "add", m: "add" };
      const tasks = ['{"n":1}', '{"m":1}'].map((item) => mergeOf(scene, item, { reducers }));
      const request = { namespace: scene.namespace, tasks, idempotency: { key: "i", bodyHash: "aa" } };
      const first = await scene.store.create(request);
      const again = await scene.store.create(request);
      assert.ok(first.kind === "written" && again.kind === "replayed");
      assert.deepEqual(told(first.results), ["merged", "MERGE_CONFLICT payload.m"]);
      assert.deepEqual(again.results, first.results);
      assert.equal((await scene.holder(KEY))?.payload, '{"m": "x", "n": 2}');
    },
  },
  {
    name: "a lone faulty merge gives its idempotency key back",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await hold(scene, '{"n":"x"}');
      const requestOf = (payload: string) => ({
        namespace: scene.namespace,
        tasks: [mergeOf(scene, payload)],
        idempotency: { key: "i", bodyHash: payload },
      });
      await scene.store.create(requestOf('{"n":1}'));
      assert.equal((await scene.store.create(requestOf('{"m":1}'))).kind, "written");
    },
  },
  {
    name: "a task that is taken out answers its final payload, and no execution sees it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await hold(scene, '{"n":1}');
      await scene.createAll(mergeOf(scene, '{"n":2}'));
      const reply = await scene.cancel(id);
      assert.ok(reply.outcome === "cancelled");
      assert.deepEqual([reply.task.payload, reply.task.state], ['{"n": 3}', "cancelled"]);
      await scene.advance(2 * LATER_MS);
      assert.deepEqual(await scene.claim([id]), []);
      const [next] = await scene.createAll(mergeOf(scene, '{"n":5}'));
      assert.equal(accepted(next, "created").payload, '{"n":5}');
    },
  },
  {
    name: "a person's retry makes a task that has started take merges again",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: KEY, payload: { n: 1 } });
      await scene.bury(execution);
      await scene.retry(execution.id);
      const [result] = await scene.createAll(mergeOf(scene, '{"n":1}'));
      const task = accepted(result, "merged");
      assert.deepEqual([task.id, task.payload, task.dueAt], [execution.id, '{"n": 2}', scene.now()]);
    },
  },
  {
    name: "a merge of an absent payload into an absent one makes an empty object",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await scene.createAll(mergeOf(scene, JSON_NULL), mergeOf(scene, JSON_NULL));
      assert.equal((await scene.holder(KEY))?.payload, "{}");
    },
  },
];
