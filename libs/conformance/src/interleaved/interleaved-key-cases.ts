import assert from "node:assert/strict";
import {
  type CallerTransaction,
  type CreateOutcome,
  type CreateReply,
  type NewTask,
  slotOfKey,
  type Task,
} from "@tickwheel/core";
import { Interleaving, type InterleavingCase } from "../subject/interleaving.js";
import { refOf, type Scenario } from "../subject/scenario.js";
import { findAll } from "../subject/find-all.js";

type Policy = NewTask["onConflict"];

/** When a holder is due, and when a create wants it to be. A holder that is due already is not moved. */
const HELD_MS = 30_000;
const LATER_MS = 60_000;
/** A claim may take what is due this soon. */
const CLAIM_AHEAD_MS = 20;
const DAY_MS = 86_400_000;

/** Creates tasks by one request, in a caller's transaction. */
function createWithin({ namespace, store }: Scenario, ...tasks: NewTask[]) {
  return (within: CallerTransaction) => store.create({ namespace, tasks }, within);
}

/** A new task for the key that all cases compete for. It is due later than the key's holder. */
function wish(scene: Scenario, onConflict: Policy): NewTask {
  return scene.newTask({ key: "k", onConflict, due: { delayMs: LATER_MS } });
}

/** The outcome of a request of one task, and the id that it names. */
function told(reply: CreateReply): [string, string | null] {
  const [result] = reply.kind === "key_reused" ? [] : reply.results;
  if (!result) return [reply.kind, null];
  return [result.outcome, result.outcome === "rejected" ? result.existingId : result.task.id];
}

async function assertHolder(scene: Scenario, id: string, dueInMs: number): Promise<Task> {
  const holder = await scene.holder("k");
  assert.deepEqual([holder?.id, holder?.dueAt], [id, scene.now() + dueInMs]);
  return holder!;
}

/** What each policy does with a holder that another transaction has just committed. */
const MET: { policy: Policy; outcome: CreateOutcome | "rejected"; keepsHolder: boolean; dueInMs: number }[] = [
  { policy: "reject", outcome: "rejected", keepsHolder: true, dueInMs: HELD_MS },
  { policy: "return", outcome: "existing", keepsHolder: true, dueInMs: HELD_MS },
  { policy: "replace", outcome: "replaced", keepsHolder: false, dueInMs: LATER_MS },
  { policy: "refresh", outcome: "refreshed", keepsHolder: true, dueInMs: LATER_MS },
];

/** Creates against a create of the same key that is not committed yet. */
const firstCases: InterleavingCase[] = MET.flatMap(({ policy, outcome, keepsHolder, dueInMs }): InterleavingCase[] => [
  {
    name: `a create with "${policy}" waits for another create of its key, and meets its task when that is committed`,
    run: Interleaving.of(async (order, scene) => {
      const first = scene.newTask({ key: "k", due: { delayMs: HELD_MS } });
      const second = wish(scene, policy);
      const creating = await order.begin(createWithin(scene, first));
      const waiting = await order.waitsWithin(createWithin(scene, second));
      await creating.commit();
      const [answer, named] = told(await waiting.reply);
      const holder = keepsHolder ? first : second;
      assert.deepEqual([answer, named], [outcome, holder.id]);
      await assertHolder(scene, holder.id, dueInMs);
    }),
  },
  {
    name: `a create with "${policy}" waits for another create of its key, and is written when that is rolled back`,
    run: Interleaving.of(async (order, scene) => {
      const task = wish(scene, policy);
      const creating = await order.begin(createWithin(scene, scene.newTask({ key: "k" })));
      const waiting = await order.waitsWithin(createWithin(scene, task));
      await creating.rollBack();
      assert.deepEqual(told(await waiting.reply), ["created", task.id]);
      await assertHolder(scene, task.id, LATER_MS);
    }),
  },
]);

/** Creates against a holder that changes while they wait for it, or after their snapshot. */
const holderCases: InterleavingCase[] = [
  {
    name: "a refresh that waits while its holder is claimed starts the next cycle",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k" });
      const task = wish(scene, "refresh");
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.reclaim(id));
      const refreshing = await order.waitsWithin(createWithin(scene, task));
      await open();
      const execution = await claiming.reply;
      assert.deepEqual(told(await refreshing.reply), ["created", task.id]);
      await assertHolder(scene, task.id, LATER_MS);
      await scene.succeed(execution);
      await assertHolder(scene, task.id, LATER_MS);
    }),
  },
  {
    name: "a refresh whose snapshot is older than its holder's claim starts the next cycle",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k" });
      const task = wish(scene, "refresh");
      const open = await order.holdNextStatement();
      const refreshing = await order.waitsWithin(createWithin(scene, task));
      await order.passes(() => scene.reclaim(id));
      await open();
      assert.deepEqual(told(await refreshing.reply), ["created", task.id]);
      await assertHolder(scene, task.id, LATER_MS);
    }),
  },
  {
    name: "a refresh that waits while its holder is cancelled is a new task when that is committed",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const { id } = await scene.create({ key: "k" });
      const task = wish(scene, "refresh");
      const cancelling = await order.begin((within) => store.cancel({ target: { namespace, id }, actor: "a" }, within));
      const refreshing = await order.waitsWithin(createWithin(scene, task));
      await cancelling.commit();
      assert.deepEqual(told(await refreshing.reply), ["created", task.id]);
      await assertHolder(scene, task.id, LATER_MS);
    }),
  },
  {
    name: "a refresh that waits while its holder is cancelled moves it when that is rolled back",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const { id } = await scene.create({ key: "k", due: { delayMs: HELD_MS } });
      const task = wish(scene, "refresh");
      const cancelling = await order.begin((within) => store.cancel({ target: { namespace, id }, actor: "a" }, within));
      const refreshing = await order.waitsWithin(createWithin(scene, task));
      await cancelling.rollBack();
      assert.deepEqual(told(await refreshing.reply), ["refreshed", id]);
      await assertHolder(scene, id, LATER_MS);
    }),
  },
  ...(["commit", "rollBack"] as const).map((ending): InterleavingCase => ({
    name: `a refresh that waits while its holder is completed is the next cycle, ${ending === "commit" ? "committed" : "rolled back"} or not`,
    run: Interleaving.of(async (order, scene) => {
      const execution = await scene.running({ key: "k" });
      const task = wish(scene, "refresh");
      const completion = { ...refOf(execution), startedAt: scene.now(), result: null };
      const completing = await order.begin((within) => scene.store.completeWithin(completion, within));
      const refreshing = await order.waitsWithin(createWithin(scene, task));
      await completing[ending]();
      assert.deepEqual(told(await refreshing.reply), ["created", task.id]);
      await assertHolder(scene, task.id, LATER_MS);
      assert.equal(await scene.state(execution.id), ending === "commit" ? "succeeded" : "running");
    }),
  })),
  {
    name: "a replacement that waits while its holder is claimed asks the execution to stop and takes the key",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k" });
      const task = wish(scene, "replace");
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.reclaim(id));
      const replacing = await order.waitsWithin(createWithin(scene, task));
      await open();
      const execution = await claiming.reply;
      assert.deepEqual(told(await replacing.reply), ["replaced", task.id]);
      await assertHolder(scene, task.id, LATER_MS);
      assert.deepEqual(await scene.store.verifyStart([refOf(execution)]), []);
      assert.equal(await scene.fail(execution), "cancelled");
    }),
  },
  ...(["reject", "return"] as const).map((policy): InterleavingCase => ({
    name: `a create with "${policy}" that waits while its holder is cancelled is written`,
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const { id } = await scene.create({ key: "k" });
      const task = wish(scene, policy);
      const cancelling = await order.begin((within) => store.cancel({ target: { namespace, id }, actor: "a" }, within));
      const creating = await order.waitsWithin(createWithin(scene, task));
      await cancelling.commit();
      assert.deepEqual(told(await creating.reply), ["created", task.id]);
      await assertHolder(scene, task.id, LATER_MS);
    }),
  })),
];

/** Two keys, in lock order. */
function keysBySlot({ namespace, type }: Scenario): [string, string] {
  const slot = (key: string): number => slotOfKey(namespace, type.type, key);
  for (let index = 0; ; index++) if (slot("a") < slot(`b${index}`)) return ["a", `b${index}`];
}

/** Several statements on one key, and statements on several keys. */
const stormCases: InterleavingCase[] = [
  {
    name: "when two refreshes wait for a claim, one starts the next cycle and the other is folded into it",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k" });
      const one = wish(scene, "refresh");
      const two = wish(scene, "refresh");
      const open = await order.holdWrites(id);
      const claiming = await order.waits(() => scene.reclaim(id));
      const first = await order.waitsWithin(createWithin(scene, one));
      const second = await order.waitsWithin(createWithin(scene, two));
      await open();
      await claiming.reply;
      const answers = [told(await first.reply), told(await second.reply)];
      const next = answers.find(([outcome]) => outcome === "created")?.[1];
      assert.deepEqual(answers.map(([outcome]) => outcome).sort(), ["created", "refreshed"]);
      assert.deepEqual([answers[0]![1], answers[1]![1]], [next, next]);
      const holder = await assertHolder(scene, next!, LATER_MS);
      assert.deepEqual([holder.state, await scene.state(id)], ["scheduled", "running"]);
    }),
  },
  {
    name: "a claim skips a holder that is being refreshed, and later finds it moved",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k", due: { delayMs: CLAIM_AHEAD_MS } });
      const claim = () => scene.claim([id], { claimAheadMs: CLAIM_AHEAD_MS });
      const refreshing = await order.begin(createWithin(scene, wish(scene, "refresh")));
      assert.deepEqual(await order.passes(claim), []);
      await refreshing.commit();
      assert.deepEqual(await claim(), []);
      await assertHolder(scene, id, LATER_MS);
    }),
  },
  {
    name: "a claim passes by a due holder that is being refreshed, and then takes it",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k" });
      const refreshing = await order.begin(createWithin(scene, wish(scene, "refresh")));
      assert.deepEqual(await order.passes(() => scene.claim([id])), []);
      await refreshing.commit();
      assert.deepEqual(
        (await scene.claim([id])).map((task) => task.id),
        [id],
      );
    }),
  },
  {
    name: "a claim whose snapshot is older than a refresh takes nothing",
    run: Interleaving.of(async (order, scene) => {
      const { id } = await scene.create({ key: "k", due: { delayMs: CLAIM_AHEAD_MS } });
      const open = await order.holdNextStatement();
      const late = await order.waits(() => scene.claim([id], { claimAheadMs: CLAIM_AHEAD_MS }));
      await order.passes(() => order.subject.transaction(createWithin(scene, wish(scene, "refresh"))));
      await open();
      assert.deepEqual(await late.reply, []);
      await assertHolder(scene, id, LATER_MS);
    }),
  },
  {
    name: "two batches that refresh the same keys in opposite orders lock them in one order, and both succeed",
    run: Interleaving.of(async (order, scene) => {
      const [low, high] = keysBySlot(scene);
      const { id } = await scene.create({ key: low });
      await scene.create({ key: high });
      const refresh = (key: string) => scene.newTask({ key, onConflict: "refresh", due: { delayMs: LATER_MS } });
      const open = await order.holdWrites(id);
      const first = await order.waitsWithin(createWithin(scene, refresh(low), refresh(high)));
      const second = await order.waitsWithin(createWithin(scene, refresh(high), refresh(low)));
      await open();
      for (const reply of [await first.reply, await second.reply]) {
        const outcomes = reply.kind === "written" ? reply.results.map(({ outcome }) => outcome) : [];
        assert.deepEqual(outcomes, ["refreshed", "refreshed"]);
      }
    }),
  },
];

/** Idempotent creates against one in flight under the same key. */
const idempotencyCases: InterleavingCase[] = [
  ...[
    { ending: "commit" as const, bodyHash: "aa", answer: "replayed" as const },
    { ending: "commit" as const, bodyHash: "bb", answer: "key_reused" as const },
    { ending: "rollBack" as const, bodyHash: "bb", answer: "written" as const },
  ].map(({ ending, bodyHash, answer }): InterleavingCase => ({
    name: `a create that waits for ${bodyHash === "aa" ? "its duplicate" : "another body under its idempotency key"} is ${answer} on its ${ending === "commit" ? "commit" : "roll-back"}`,
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const request = (hash: string) => ({
        namespace,
        tasks: [scene.newTask()],
        idempotency: { key: "i", bodyHash: hash },
      });
      const one = request("aa");
      const two = request(bodyHash);
      const first = await order.begin((within) => store.create(one, within));
      const second = await order.waitsWithin((within) => store.create(two, within));
      await first[ending]();
      const reply = await second.reply;
      assert.equal(reply.kind, answer);
      const written = ending === "commit" ? one : two;
      const tasks = await findAll(store, { namespace });
      assert.deepEqual(
        tasks.map(({ id }) => id),
        [written.tasks[0]!.id],
      );
      if (answer !== "key_reused") assert.deepEqual(told(reply), ["created", written.tasks[0]!.id]);
    }),
  })),
  {
    name: "a create that waits for its duplicate is written when the duplicate is rejected and gives the idempotency key back",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const holder = await scene.create({ key: "k" });
      const request = (key: string | null) => ({
        namespace,
        tasks: [scene.newTask({ key })],
        idempotency: { key: "i", bodyHash: "aa" },
      });
      const first = await order.begin((within) => store.create(request("k"), within));
      assert.deepEqual(told(first.result), ["rejected", holder.id]);
      const second = await order.waitsWithin((within) => store.create(request(null), within));
      await first.commit();
      assert.equal(told(await second.reply)[0], "created");
    }),
  },
  {
    name: "when two creates meet a forgotten idempotency key at once, one takes it over, and the other waits and replays",
    run: Interleaving.of(async (order, scene) => {
      const { namespace, store } = scene;
      const request = (bodyHash: string) => ({
        namespace,
        tasks: [scene.newTask()],
        idempotency: { key: "i", bodyHash },
      });
      await store.create(request("aa"));
      await scene.advance(DAY_MS);
      const one = request("bb");
      const two = request("bb");
      const first = await order.begin((within) => store.create(one, within));
      const second = await order.waitsWithin((within) => store.create(two, within));
      await first.commit();
      assert.deepEqual(told(first.result), ["created", one.tasks[0]!.id]);
      assert.deepEqual(told(await second.reply), ["created", one.tasks[0]!.id]);
    }),
  },
];

export const interleavedKeyCases: InterleavingCase[] = [
  ...firstCases,
  ...holderCases,
  ...stormCases,
  ...idempotencyCases,
];
