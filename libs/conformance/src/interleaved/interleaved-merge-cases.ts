import assert from "node:assert/strict";
import type { CallerTransaction, CreateReply, NewTask, Reducers, Task } from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { refOf, type Scenario } from "../subject/scenario.js";

const KEY = "collected";
const LATER_MS = 60_000;
/** Every live store has let this much time pass when a case goes on. */
const PASSED_MS = 30;
const ENDINGS = [
  { ending: "commit", when: "is committed" },
  { ending: "rollBack", when: "is rolled back" },
] as const;

const POLICIES = ["merge", "refresh"] as const;
type Policy = (typeof POLICIES)[number];
/** What a change of a waiting holder is called. */
const CHANGED = { merge: "merged", refresh: "refreshed" } as const;

/** A create that adds to `n`. */
function wish(
  scene: Scenario,
  n: number,
  { onConflict = "merge", key = KEY }: { onConflict?: Policy; key?: string } = {},
): NewTask {
  const reducers: Reducers = { n: "add" };
  const asked = { key, onConflict, due: { delayMs: LATER_MS }, payload: { n } };
  return scene.newTask(onConflict === "merge" ? { ...asked, reducers } : asked);
}

/** The same, where the sum must be at most 10. */
function judgedWish(scene: Scenario, n: number): NewTask {
  const fault = { path: "payload.n", message: "must be <= 10" };
  return { ...wish(scene, n), judge: (payload) => ((JSON.parse(payload) as { n: number }).n > 10 ? [fault] : []) };
}

function hold(scene: Scenario, delayMs = LATER_MS / 2): Promise<Task> {
  return scene.create({ key: KEY, due: { delayMs }, payload: { n: 1 } });
}

function createWithin({ namespace, store }: Scenario, ...tasks: NewTask[]) {
  return (within: CallerTransaction) => store.create({ namespace, tasks }, within);
}

function cancelWithin({ namespace, store, type }: Scenario) {
  const target = { namespace, type: type.type, key: KEY };
  return (within: CallerTransaction) => store.cancel({ target, actor: "a" }, within);
}

/** The outcome of a request of one task, and the task. */
function told(reply: CreateReply): [string, Task] {
  assert.ok(reply.kind === "written" && "task" in reply.results[0]!);
  const [{ outcome, task }] = reply.results;
  return [outcome, task];
}

/** The sum that the holder of the key has; null: there is no holder. */
async function sumOf(scene: Scenario): Promise<number | null> {
  const holder = await scene.holder(KEY);
  return holder && (JSON.parse(holder.payload) as { n: number }).n;
}

const mergeOnly: InterleavingCase[] = [
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `a merge that waits for another merge of its key has both if that ${when}`.replace(
      "both if that is rolled",
      "only itself if that is rolled",
    ),
    run: Interleaving.of(async (order, scene) => {
      await hold(scene);
      const first = await order.begin(createWithin(scene, wish(scene, 10)));
      const second = await order.waitsWithin(createWithin(scene, wish(scene, 100)));
      await first[ending]();
      assert.equal(told(await second.reply)[0], "merged");
      assert.equal(await sumOf(scene), ending === "commit" ? 111 : 101);
    }),
  })),
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `a merge that waits for a create of its key is ${ending === "commit" ? "merged into it" : "a task of its own"} if that ${when}`,
    run: Interleaving.of(async (order, scene) => {
      const first = await order.begin(createWithin(scene, wish(scene, 10)));
      const second = await order.waitsWithin(createWithin(scene, wish(scene, 100)));
      await first[ending]();
      assert.equal(told(await second.reply)[0], ending === "commit" ? "merged" : "created");
      assert.equal(await sumOf(scene), ending === "commit" ? 110 : 100);
    }),
  })),
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `of two merges that do not fit together ${ending === "commit" ? "the first stays if it" : "the second stays if the first"} ${when}`,
    run: Interleaving.of(async (order, scene) => {
      await hold(scene);
      const first = await order.begin(createWithin(scene, judgedWish(scene, 5)));
      const second = await order.waitsWithin(createWithin(scene, judgedWish(scene, 6)));
      await first[ending]();
      const reply = await second.reply;
      assert.ok(reply.kind === "written");
      assert.equal(reply.results[0]!.outcome, ending === "commit" ? "rejected" : "merged");
      assert.equal(await sumOf(scene), ending === "commit" ? 6 : 7);
    }),
  })),
  {
    name: "a claim passes by a merge that is under way, and carries all of it later",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await hold(scene, 0);
      const merging = await order.begin(createWithin(scene, wish(scene, 10)));
      assert.deepEqual(await order.passes(() => scene.claim([id])), []);
      await merging.commit();
      assert.deepEqual(
        (await scene.claim([id])).map(({ payload }) => payload),
        ['{"n": 11}'],
      );
    }),
  },
  {
    name: "a claim whose snapshot is older than a merge carries the merge",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await hold(scene, 0);
      const open = await order.holdNextStatement();
      const claiming = await order.waits(() => scene.claim([id]));
      await order.passes(() => order.subject.transaction(createWithin(scene, wish(scene, 10))));
      await open();
      const claimed = await claiming.reply;
      // It may pass the row by and find it the next time.
      const [task] = claimed.length > 0 ? claimed : await scene.claim([id]);
      assert.equal(task?.payload, '{"n": 11}');
    }),
  },
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `a cancel that waits for a merge answers the payload ${ending === "commit" ? "with" : "without"} it when that ${when}`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await hold(scene);
      const merging = await order.begin(createWithin(scene, wish(scene, 10)));
      const cancelling = await order.waitsWithin(cancelWithin(scene));
      await merging[ending]();
      const reply = await cancelling.reply;
      assert.ok(reply.outcome === "cancelled" && reply.task.id === id);
      assert.equal((JSON.parse(reply.task.payload) as { n: number }).n, ending === "commit" ? 11 : 1);
      assert.equal((await scene.get(id)).payload, reply.task.payload);
    }),
  })),
  {
    name: "three merges that wait for one are all in the sum",
    run: Interleaving.of(async (order, scene) => {
      await hold(scene);
      const first = await order.begin(createWithin(scene, wish(scene, 10)));
      const others = [];
      for (const n of [100, 1_000, 10_000]) others.push(await order.waitsWithin(createWithin(scene, wish(scene, n))));
      await first.commit();
      for (const { reply } of others) assert.equal(told(await reply)[0], "merged");
      assert.equal(await sumOf(scene), 11_111);
    }),
  },
  {
    name: "twelve writers that merge forty keys in two orders all end well, and no sum is short",
    run: Interleaving.of(async (_order, scene) => {
      const keys = Array.from({ length: 40 }, (_, at) => `k${at}`);
      const write = async (writer: number): Promise<void> => {
        const order = writer % 2 === 0 ? keys : keys.toReversed();
        const results = await scene.createAll(...order.map((key) => wish(scene, 1, { key })));
        for (const { outcome } of results) assert.match(outcome, /^(created|merged)$/);
      };
      await Promise.all(Array.from({ length: 12 }, (_, writer) => write(writer)));
      for (const key of keys) {
        const holder = await scene.holder(key);
        assert.equal((JSON.parse(holder!.payload) as { n: number }).n, 12, key);
      }
    }),
  },
];

const ofClaims = (policy: Policy, asks = { onConflict: policy }): InterleavingCase[] => [
  {
    name: `a ${policy} that waits for a claim begins the next cycle`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await hold(scene, 0);
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.reclaim(id));
      const asking = await order.waitsWithin(createWithin(scene, wish(scene, 10, asks)));
      await open();
      await claiming.reply;
      const [outcome, next] = told(await asking.reply);
      assert.deepEqual([outcome, next.continues, next.payload], ["created", id, '{"n":10}']);
      const old = await scene.get(id);
      assert.deepEqual([old.state, old.continuedBy, old.keyLive], ["running", next.id, false]);
    }),
  },
  {
    name: `of two of ${policy} that wait for a claim one begins the next cycle and the other changes it`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await hold(scene, 0);
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.reclaim(id));
      const first = await order.waitsWithin(createWithin(scene, wish(scene, 10, asks)));
      const second = await order.waitsWithin(createWithin(scene, wish(scene, 100, asks)));
      await open();
      await claiming.reply;
      const outcomes = [told(await first.reply)[0], told(await second.reply)[0]];
      assert.deepEqual(outcomes.sort(), ["created", CHANGED[policy]]);
      if (policy === "merge") assert.equal(await sumOf(scene), 110);
    }),
  },
  {
    name: `a next cycle that a ${policy} begins keeps the key while the old one fails and is scheduled again`,
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running({ key: KEY, payload: { n: 1 } });
      const asking = await order.begin(createWithin(scene, wish(scene, 10, asks)));
      const failing = await order.waits(() => order.settle(order.failure(execution)));
      await asking.commit();
      assert.equal((await failing.reply)?.state, "scheduled");
      const [, next] = told(asking.result);
      assert.equal((await scene.holder(KEY))?.id, next.id);
      const old = await scene.get(execution.id);
      assert.deepEqual([old.keyLive, old.continuedBy], [false, next.id]);
    }),
  },
];

const ofEndings = (policy: Policy, asks = { onConflict: policy }): InterleavingCase[] => [
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `a ${policy} that waits while its holder is cancelled ${ending === "commit" ? "is a new task" : "changes it"} when that ${when}`,
    run: Interleaving.of(async (order, scene) => {
      const { id } = await hold(scene);
      const cancelling = await order.begin(cancelWithin(scene));
      const asking = await order.waitsWithin(createWithin(scene, wish(scene, 10, asks)));
      await cancelling[ending]();
      const [outcome, task] = told(await asking.reply);
      if (ending === "commit") assert.deepEqual([outcome, task.continues, task.payload], ["created", null, '{"n":10}']);
      else assert.deepEqual([outcome, task.id], [CHANGED[policy], id]);
    }),
  })),
  ...ENDINGS.map(({ ending, when }): InterleavingCase => ({
    name: `a ${policy} that waits while its holder is completed ${ending === "commit" ? "continues none" : "continues it"} when that ${when}`,
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running({ key: KEY, payload: { n: 1 } });
      const completion = { ...refOf(execution), startedAt: scene.now(), result: null };
      const completing = await order.begin((within) => scene.store.completeWithin(completion, within));
      const asking = await order.waitsWithin(createWithin(scene, wish(scene, 10, asks)));
      await completing[ending]();
      const [outcome, next] = told(await asking.reply);
      assert.deepEqual([outcome, next.continues], ["created", ending === "commit" ? null : execution.id]);
      const old = await scene.get(execution.id);
      assert.equal(old.continuedBy, ending === "commit" ? null : next.id);
    }),
  })),
];

const ofClocks = (policy: Policy, asks = { onConflict: policy }): InterleavingCase[] => [
  {
    name: `a holder that becomes due while a ${policy} waits for it stays due`,
    run: Interleaving.of(async (order, scene) => {
      const { namespace } = scene;
      const store = order.subject.liveStore();
      const holding = await order.begin((within) =>
        store.create({ namespace, tasks: [{ ...wish(scene, 1, asks), due: { delayMs: PASSED_MS } }] }, within),
      );
      const [, held] = told(holding.result);
      const asking = await order.waitsWithin((within) =>
        store.create({ namespace, tasks: [wish(scene, 10, asks)] }, within),
      );
      await order.subject.elapse(2 * PASSED_MS);
      await holding.commit();
      const [outcome, task] = told(await asking.reply);
      assert.deepEqual([outcome, task.id, task.dueAt], [CHANGED[policy], held.id, held.dueAt]);
    }),
  },
  {
    name: `a cap that passes while a ${policy} waits makes the task due now`,
    run: Interleaving.of(async (order, scene) => {
      const { namespace } = scene;
      const store = order.subject.liveStore();
      const held = { ...wish(scene, 1, asks), maxWaitMs: LATER_MS };
      const holding = await order.begin((within) => store.create({ namespace, tasks: [held] }, within));
      const asked = { ...wish(scene, 10, asks), maxWaitMs: PASSED_MS };
      const asking = await order.waitsWithin((within) => store.create({ namespace, tasks: [asked] }, within));
      await order.subject.elapse(2 * PASSED_MS);
      const before = await store.now();
      await holding.commit();
      const [, task] = told(await asking.reply);
      assert.ok(task.dueAt >= before && task.dueAt <= (await store.now()), "due when the wait was over");
    }),
  },
];

export const interleavedMergeCases: InterleavingCase[] = [
  ...mergeOnly,
  ...POLICIES.flatMap((policy) => [...ofClaims(policy), ...ofEndings(policy), ...ofClocks(policy)]),
];
