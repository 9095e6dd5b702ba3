import { type JsonText, jsonTextOf } from "@tickwheel/core";
import assert from "node:assert/strict";
import type { CreateResult, ExecutionRef } from "@tickwheel/core";
import { accepted, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { UNTOUCHED_TASK } from "../subject/untouched-task.js";

const HOUR_MS = 3_600_000;

/** The execution that a create has asked to stop. */
function interruptedBy(result: CreateResult | undefined): ExecutionRef | undefined {
  assert.ok(result && "task" in result);
  return result.interrupted;
}

export const createCases: ConformanceCase[] = [
  {
    name: "a created task is scheduled with all requested fields",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const asked = scene.newTask({
        key: "order-1",
        payload: { b: [1, null, "ü"], a: { nested: true } },
        due: { delayMs: HOUR_MS },
        startDeadlineMs: 90_000,
        priority: 2,
        maxAttempts: 4,
        backoff: { kind: "exponential", initialMs: 500, maxMs: 9_000, jitter: 0.5 },
        timeoutMs: 1_234,
        delivery: { kind: "webhook", url: "https://example.org/hook", headers: { "x-shop": "1" } },
      });
      const task = accepted((await scene.createAll(asked))[0], "created");
      const dueAt = scene.now() + HOUR_MS;
      const expected = {
        ...UNTOUCHED_TASK,
        id: asked.id,
        typeId: scene.type.id,
        namespace: scene.namespace,
        type: "order.cancel",
        key: "order-1",
        keyLive: true,
        payload: asked.payload,
        scheduledAt: dueAt,
        dueAt,
        startDeadlineAt: dueAt + 90_000,
        createdAt: scene.now(),
        maxAttempts: 4,
        given: 7,
        priority: 2,
        backoff: asked.backoff,
        timeoutMs: 1_234,
        delivery: asked.delivery,
        createdBy: "creator",
      };
      assert.deepEqual({ ...task }, expected);
      assert.deepEqual({ ...(await scene.get(asked.id)) }, expected);
    },
  },
  {
    name: "a relative delay is resolved by the store's clock, an instant is kept, the past means now",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await scene.advance(777);
      const delayed = await scene.create({ due: { delayMs: 1_500 } });
      const fixed = await scene.create({ due: { at: scene.now() + 42 } });
      const past = await scene.create({ due: { at: scene.now() - 10_000 } });
      assert.deepEqual([delayed.dueAt, delayed.scheduledAt], [scene.now() + 1_500, scene.now() + 1_500]);
      assert.deepEqual([fixed.dueAt, fixed.scheduledAt], [scene.now() + 42, scene.now() + 42]);
      assert.deepEqual([past.dueAt, past.scheduledAt], [scene.now(), scene.now()]);
    },
  },
  {
    name: "payloads of every JSON kind come back as they were",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (const payload of [null, true, 0, -1.5, "", 'a "quoted" \\ text', [], {}, [[{ a: [] }]]]) {
        const { id } = await scene.create({ payload });
        assert.equal((await scene.get(id)).payload, jsonTextOf(payload));
      }
    },
  },
  {
    name: "a payload's text comes back unchanged, to readers and to the node that runs the task",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const texts = [
        '{"__proto__":{"a":1},"constructor":null,"":0,"a":1,"a":12345678901234567890}',
        "[1.0, -0, 1e400, 1E-7,\t0.10]",
        ' {\n\t"a \\"quoted\\" \\\\ text" :\r\n"\\u0000\\ud800\\n" } ',
      ] as JsonText[];
      const tasks = texts.map((payload) => ({ ...scene.newTask(), payload }));
      const [alone, ...together] = tasks;
      await scene.createAll(alone!);
      await scene.createAll(...together);
      const keyed = { ...scene.newTask({ key: "k" }), payload: texts[2]! };
      await scene.createAll(keyed);
      const ids = [...tasks, keyed].map(({ id }) => id);
      const expected = [...texts, texts[2]!];
      const read = await Promise.all(ids.map((id) => scene.get(id)));
      assert.deepEqual(
        read.map(({ payload }) => payload),
        expected,
      );
      const claimed = new Map((await scene.claim(ids)).map(({ id, payload }) => [id, payload]));
      assert.deepEqual(
        ids.map((id) => claimed.get(id)),
        expected,
      );
    },
  },
  {
    name: "a batch is answered in the order it was given, one answer per item",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await scene.create({ key: "taken" });
      const asked = [
        scene.newTask({ key: "b" }),
        scene.newTask(),
        scene.newTask({ key: "taken" }),
        scene.newTask({ key: "a" }),
      ];
      const results = await scene.createAll(...asked);
      assert.deepEqual(
        results.map((result) => ("task" in result ? result.task.id : result.outcome)),
        [asked[0]?.id, asked[1]?.id, "rejected", asked[3]?.id],
      );
    },
  },
  {
    name: "reject: a create that meets a live key writes nothing and names the holder, scheduled or running",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const holder = await scene.create({ key: "k" });
      for (const step of ["scheduled", "running"]) {
        assert.equal(await scene.state(holder.id), step);
        const refused = scene.newTask({ key: "k" });
        const [result] = await scene.createAll(refused);
        assert.deepEqual(result, { outcome: "rejected", code: "TASK_KEY_CONFLICT", existingId: holder.id });
        assert.equal(await scene.store.get(scene.namespace, refused.id), null);
        if (step === "scheduled") await scene.reclaim(holder.id);
      }
    },
  },
  {
    name: "a key is free again once its task has ended, and free in other types and namespaces at any time",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const other = await Scenario.open(subject);
      const sibling = await scene.store.ensureType({ namespace: scene.namespace, type: "b", delivery: "handler" });
      await scene.succeed(await scene.running({ key: "k" }));
      const second = await scene.create({ key: "k" });
      await other.create({ key: "k" });
      await scene.create({ key: "k", typeId: sibling.id });
      await scene.cancel(second.id);
      await scene.create({ key: "k" });
    },
  },
  {
    name: "return: the holder, scheduled or running, is answered and nothing is written",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const holder = await scene.create({ key: "k" });
      const again = scene.newTask({ key: "k", onConflict: "return", payload: "new" });
      assert.deepEqual(accepted((await scene.createAll(again))[0], "existing"), holder);
      await scene.reclaim(holder.id);
      const third = scene.newTask({ key: "k", onConflict: "return" });
      const existing = accepted((await scene.createAll(third))[0], "existing");
      assert.deepEqual([existing.id, existing.state], [holder.id, "running"]);
      assert.equal(await scene.store.get(scene.namespace, third.id), null);
    },
  },
  {
    name: "replace: a scheduled holder ends cancelled with reason REPLACED, and the new task holds the key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const holder = await scene.create({ key: "k" });
      await scene.advance(5);
      const asked = scene.newTask({ key: "k", onConflict: "replace", actor: "replacer" });
      const [result] = await scene.createAll(asked);
      const task = accepted(result, "replaced");
      assert.equal(interruptedBy(result), undefined);
      assert.deepEqual([task.id, task.keyLive], [asked.id, true]);
      const old = await scene.get(holder.id);
      assert.deepEqual([old.state, old.reason, old.keyLive], ["cancelled", "REPLACED", false]);
      assert.deepEqual([old.finishedAt, old.cancelledBy, old.version], [scene.now(), "replacer", 2]);
      assert.deepEqual(await scene.steps(holder.id), ["none>scheduled", "scheduled>cancelled"]);
    },
  },
  {
    name: "replace: a running holder loses its key and is asked to stop, and the new task holds the key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      const asked = scene.newTask({ key: "k", onConflict: "replace", actor: "replacer" });
      const [result] = await scene.createAll(asked);
      accepted(result, "replaced");
      assert.deepEqual(interruptedBy(result), refOf(execution));
      const old = await scene.get(execution.id);
      assert.deepEqual([old.state, old.keyLive, old.cancelRequestedAt], ["running", false, scene.now()]);
      assert.equal((await scene.holder("k"))?.id, asked.id);
      assert.equal(await scene.fail(execution), "cancelled");
      const ended = await scene.get(execution.id);
      assert.deepEqual([ended.reason, ended.cancelledBy], ["REPLACED", "replacer"]);
      assert.equal((await scene.holder("k"))?.id, asked.id);
    },
  },
  {
    name: "replace: a running holder that was already asked to stop loses its key, and the first canceller stays noted",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      await scene.cancel(execution.id, "first");
      const asked = scene.newTask({ key: "k", onConflict: "replace", actor: "replacer" });
      accepted((await scene.createAll(asked))[0], "replaced");
      assert.equal(await scene.fail(execution), "cancelled");
      const ended = await scene.get(execution.id);
      assert.deepEqual([ended.reason, ended.cancelledBy], ["REQUESTED", "first"]);
      assert.equal((await scene.holder("k"))?.id, asked.id);
    },
  },
  {
    name: "replace: a running holder that completes in spite of it has succeeded",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      await scene.createAll(scene.newTask({ key: "k", onConflict: "replace" }));
      await scene.succeed(execution);
      const ended = await scene.get(execution.id);
      assert.deepEqual([ended.state, ended.reason], ["succeeded", null]);
    },
  },
  {
    name: "refresh: a scheduled holder gets the new due time and keeps the rest",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const holder = await scene.create({ key: "k", due: { delayMs: 1_000 }, payload: "first" });
      await scene.advance(500);
      const asked = scene.newTask({ key: "k", onConflict: "refresh", due: { delayMs: 1_000 }, payload: "second" });
      const task = accepted((await scene.createAll(asked))[0], "refreshed");
      const dueAt = scene.now() + 1_000;
      assert.deepEqual(task, { ...holder, dueAt, scheduledAt: dueAt, version: 2 });
      assert.equal(await scene.store.get(scene.namespace, asked.id), null);
    },
  },
  {
    name: "refresh: a running holder loses its key to the next cycle and may still succeed",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      const asked = scene.newTask({ key: "k", onConflict: "refresh", due: { delayMs: 1_000 } });
      accepted((await scene.createAll(asked))[0], "created");
      assert.equal((await scene.holder("k"))?.id, asked.id);
      const first = await scene.get(execution.id);
      assert.deepEqual([first.keyLive, first.cancelRequestedAt], [false, null]);
      await scene.succeed(execution);
      assert.equal((await scene.holder("k"))?.id, asked.id);
    },
  },
  {
    name: "a task that lost its key to the next cycle never takes it back by retry, release or reap",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      await scene.createAll(scene.newTask({ key: "k", onConflict: "refresh", due: { delayMs: 1_000 } }));
      assert.equal(await scene.fail(execution), "scheduled");
      assert.equal((await scene.get(execution.id)).keyLive, false);
      await scene.store.release([{ ...(await scene.reclaim(execution.id)), reason: "DRAIN" }]);
      assert.equal((await scene.get(execution.id)).keyLive, false);
      await scene.reclaim(execution.id);
      await scene.reap(scene.node);
      assert.equal((await scene.get(execution.id)).keyLive, false);
    },
  },
  {
    name: "equal keys of one batch are handled one after the other",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const keyed = (onConflict: "reject" | "return" | "replace" | "refresh", delayMs: number) =>
        scene.newTask({ key: onConflict, onConflict, due: { delayMs } });
      const outcomes = (results: { outcome: string }[]) => results.map((result) => result.outcome);
      const refreshed = await scene.createAll(
        keyed("refresh", 1_000),
        keyed("refresh", 2_000),
        keyed("refresh", 3_000),
      );
      assert.deepEqual(outcomes(refreshed), ["created", "refreshed", "refreshed"]);
      assert.equal((await scene.holder("refresh"))?.dueAt, scene.now() + 3_000);
      assert.deepEqual(outcomes(await scene.createAll(keyed("reject", 0), keyed("reject", 0))), [
        "created",
        "rejected",
      ]);
      assert.deepEqual(outcomes(await scene.createAll(keyed("return", 0), keyed("return", 0))), [
        "created",
        "existing",
      ]);
      const replaced = await scene.createAll(keyed("replace", 0), keyed("replace", 0), keyed("replace", 0));
      assert.deepEqual(outcomes(replaced), ["created", "replaced", "replaced"]);
      const last = accepted(replaced[2], "replaced");
      assert.equal((await scene.holder("replace"))?.id, last.id);
    },
  },
  {
    name: "a namespace has at most its quota of types, however many are made at once; another namespace has its own quota",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const other = await Scenario.open(subject);
      const make = (type: string, { namespace } = scene) =>
        scene.store.ensureType({ namespace, type, delivery: "handler" }, 4);
      const made = await Promise.allSettled(Array.from({ length: 12 }, (_, index) => make(`t-${index}`)));
      assert.equal(made.filter(({ status }) => status === "fulfilled").length, 3);
      for (const one of made) {
        if (one.status === "rejected") assert.equal((one.reason as { code: string }).code, "VALIDATION_FAILED");
      }
      const known = made.findIndex(({ status }) => status === "fulfilled");
      assert.equal((await make(`t-${known}`)).type, `t-${known}`);
      assert.equal((await make(scene.type.type)).id, scene.type.id);
      assert.equal((await make("elsewhere", other)).namespace, other.namespace);
      assert.equal((await scene.store.listTypes()).filter(({ namespace }) => namespace === scene.namespace).length, 4);
    },
  },
  {
    name: "a type that was not in use for its retention is dropped, and is later taken up again with its number",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const day = 86_400_000;
      const { namespace, store } = scene;
      const retention = { historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 30 };
      const far = await store.ensureType({ namespace, type: "far", delivery: "webhook" });
      const idle = await store.ensureType({ namespace, type: "idle", delivery: "webhook" });
      await scene.create({ typeId: far.id, due: { delayMs: 90 * day } });
      const names = async (): Promise<string[]> =>
        (await store.listTypes()).filter((type) => type.namespace === namespace).map(({ type }) => type);
      const pass = async (days: number): Promise<string[]> => {
        await scene.advance(days * day);
        return (await store.maintain(retention)).droppedTypes;
      };
      assert.deepEqual(
        (await pass(29)).filter((type) => type === "idle"),
        [],
      );
      assert.ok((await names()).includes("idle"));
      assert.ok((await pass(2)).includes("idle"));
      // The first type has a handler on a live node.
      assert.deepEqual(await names(), [scene.type.type, "far"]);
      const again = await store.ensureType({ namespace, type: "idle", delivery: "webhook" }, 3);
      assert.equal(again.id, idle.id);
      assert.deepEqual(await names(), [scene.type.type, "far", "idle"]);
    },
  },
  {
    name: "a task of a dropped type, made by a node that did not know, is found, and its type is taken up again",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const day = 86_400_000;
      const { namespace, store } = scene;
      const type = await store.ensureType({ namespace, type: "idle", delivery: "webhook" });
      const retention = { historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 30 };
      const isListed = async (): Promise<boolean> => (await store.listTypes()).some(({ id }) => id === type.id);
      await store.maintain(retention);
      await scene.advance(32 * day);
      await store.maintain(retention);
      assert.equal(await isListed(), false);
      const task = await scene.create({ typeId: type.id });
      assert.equal(await isListed(), true);
      assert.deepEqual(
        (await store.maintain(retention)).droppedTypes.filter((name) => name === type.type),
        [],
      );
      assert.equal(await isListed(), true);
      assert.equal((await scene.get(task.id)).type, type.type);
    },
  },
  {
    name: "a type has one number and keeps its first delivery",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const again = await scene.store.ensureType({ ...scene.type, delivery: "webhook" });
      assert.deepEqual({ ...again }, { ...scene.type });
      const listed = (await scene.store.listTypes()).filter((type) => type.namespace === scene.namespace);
      assert.deepEqual(
        listed.map((type) => ({ ...type })),
        [{ ...scene.type }],
      );
    },
  },
];
