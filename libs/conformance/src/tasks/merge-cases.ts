import assert from "node:assert/strict";
import {
  type CreateResult,
  handlerDelivery,
  type JsonText,
  JSON_NULL,
  type MergeJudge,
  type Reducers,
} from "@tickwheel/core";
import { accepted, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { hold, KEY, LATER_MS, mergeOf, told } from "../subject/merge-scene.js";

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

/** What a merge comes to must have an id, and an n of at most 10. */
const judge: MergeJudge = (payload) => {
  const { id, n } = JSON.parse(payload) as { id?: unknown; n: number };
  return [
    ...(id === undefined ? [{ path: "payload.id", message: "is required" }] : []),
    ...(n > 10 ? [{ path: "payload.n", message: "must be <= 10" }] : []),
  ];
};

/** The outcome of each item; of a rejected one its code and the paths of its faults. */
function toldFaults(results: readonly CreateResult[]): string[] {
  return results.map((result) =>
    result.outcome === "rejected"
      ? `${result.code} ${(result.faults ?? []).map(({ path }) => path).join(" ")}`
      : result.outcome,
  );
}

/** Merges whose result is judged before it is committed. */
export const judgedMergeCases: ConformanceCase[] = [
  {
    name: "a merge whose result does not fit changes nothing of its task",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await hold(scene, '{"id":1,"n":7}');
      const before = await scene.get(id);
      const [result] = await scene.createAll(mergeOf(scene, '{"n":4}', { judge, due: { delayMs: 1 } }));
      const faults = [{ path: "payload.n", message: "must be <= 10" }];
      assert.deepEqual(result, { outcome: "rejected", code: "VALIDATION_FAILED", existingId: id, faults });
      assert.deepEqual(await scene.get(id), before);
      assert.equal((await scene.journal(id)).length, 1);
    },
  },
  {
    name: "a merge may be a part: it is judged by what it comes to",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await hold(scene, '{"id":1,"n":7}');
      assert.deepEqual(told(await scene.createAll(mergeOf(scene, '{"n":3}', { judge }))), ["merged"]);
      assert.equal((await scene.get(id)).payload, '{"n": 10, "id": 1}');
    },
  },
  {
    name: "a part that finds its key free is refused, and the key stays free",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const part = mergeOf(scene, '{"n":3}', { judge });
      assert.deepEqual(toldFaults(await scene.createAll(part)), ["VALIDATION_FAILED payload.id"]);
      assert.equal(await scene.holder(KEY), null);
      const whole = mergeOf(scene, '{"id":1,"n":3}', { judge });
      assert.deepEqual(told(await scene.createAll(whole)), ["created"]);
    },
  },
  {
    name: "a part that meets a task which has started opens no next cycle",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: KEY, payload: { id: 1, n: 7 } });
      const part = mergeOf(scene, '{"n":3}', { judge });
      assert.deepEqual(toldFaults(await scene.createAll(part)), ["VALIDATION_FAILED payload.id"]);
      const { continuedBy, key } = await scene.get(execution.id);
      assert.deepEqual([continuedBy, key, (await scene.holder(KEY))?.id], [null, KEY, execution.id]);
    },
  },
  {
    name: "of several merges in one request each is judged by itself where they do not fit together",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const items = ['{"n":1}', '{"id":1,"n":5}', '{"n":6}', '{"n":4}', '{"n":2}', '{"n":1}'];
      const beside = mergeOf(scene, '{"n":99}', { key: "beside" });
      const results = await scene.createAll(beside, ...items.map((item) => mergeOf(scene, item, { judge })));
      assert.deepEqual(toldFaults(results), [
        "created",
        "VALIDATION_FAILED payload.id",
        "created",
        "VALIDATION_FAILED payload.n",
        "merged",
        "VALIDATION_FAILED payload.n",
        "merged",
      ]);
      const holder = await scene.holder(KEY);
      assert.deepEqual([holder?.payload, holder?.version], ['{"n": 10, "id": 1}', 3]);
      assert.equal((await scene.holder("beside"))?.payload, '{"n":99}');
    },
  },
  {
    name: "merges that fit together are one fold",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await hold(scene, '{"id":1,"n":1}');
      const items = ['{"n":99}', '{"n":-95}'].map((item) => mergeOf(scene, item, { judge }));
      assert.deepEqual(told(await scene.createAll(...items)), ["merged", "merged"]);
      const holder = await scene.holder(KEY);
      assert.deepEqual([holder?.payload, holder?.version], ['{"n": 5, "id": 1}', 2]);
    },
  },
  {
    name: "a merge of another version is a conflict, and that of the same version is none",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const of = (version: number | null, payload: string) =>
        mergeOf(scene, payload, { judge, delivery: handlerDelivery(version) });
      const results = await scene.createAll(
        of(2, '{"id":1,"n":1}'),
        of(1, '{"n":1}'),
        of(null, '{"n":1}'),
        of(2, '{"n":1}'),
      );
      const conflict = "MERGE_CONFLICT payload";
      assert.deepEqual(told(results), ["created", conflict, conflict, "merged"]);
      const [, refused] = results;
      const message = "has version 1, and the stored payload has version 2: only equal ones can be merged";
      assert.ok(refused?.outcome === "rejected");
      assert.deepEqual(refused.faults, [{ path: "payload", message }]);
      assert.equal((await scene.holder(KEY))?.payload, '{"n": 2, "id": 1}');
    },
  },
  {
    name: "a judged merge in a caller's transaction leaves the rest of it as it is",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await hold(scene, '{"id":1,"n":7}');
      const { namespace } = scene;
      const beside = scene.newTask({ key: "beside" });
      const unfit = mergeOf(scene, '{"n":4}', { judge });
      await subject.transaction(async (within) => {
        await scene.store.create({ namespace, tasks: [beside] }, within);
        const reply = await scene.store.create({ namespace, tasks: [unfit] }, within);
        assert.ok(reply.kind === "written");
        assert.deepEqual(toldFaults(reply.results), ["VALIDATION_FAILED payload.n"]);
      });
      assert.equal((await scene.get(id)).payload, '{"id":1,"n":7}');
      assert.equal((await scene.holder("beside"))?.id, beside.id);
    },
  },
  {
    name: "a judged merge that was refused is told again under its idempotency key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await hold(scene, '{"id":1,"n":7}');
      const tasks = ['{"n":3}', '{"n":1}'].map((item) => mergeOf(scene, item, { judge }));
      const request = { namespace: scene.namespace, tasks, idempotency: { key: "i", bodyHash: "aa" } };
      const first = await scene.store.create(request);
      const again = await scene.store.create(request);
      assert.ok(first.kind === "written" && again.kind === "replayed");
      assert.deepEqual(toldFaults(first.results), ["merged", "VALIDATION_FAILED payload.n"]);
      assert.deepEqual(again.results, first.results);
    },
  },
];
