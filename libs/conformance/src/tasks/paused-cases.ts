import assert from "node:assert/strict";
import { jsonTextOf, remainingMs, SCHEDULE_KEY, SlotSet } from "@tickwheel/core";
import { findAll } from "../subject/find-all.js";
import { accepted, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

const KEY = "k";
const MINUTE = 60_000;

/** The tasks of the scenario's type that a sweep finds. */
async function due({ store, type }: Scenario): Promise<string[]> {
  const scope = { typeId: type.id, slots: SlotSet.all(), notBefore: null, after: null };
  const { hints } = await store.findDue({ scopes: [scope], stealAfterOverdueMs: 0, limitPerType: 100 });
  return hints.map(({ id }) => id);
}

async function remaining(scene: Scenario, id: string): Promise<number | null> {
  return remainingMs(await scene.get(id));
}

const countdownCases: ConformanceCase[] = [
  {
    name: "a countdown of 60 minutes that is paused at 20 for 30 is due at 90, and its start deadline moves along",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const begun = scene.now();
      const { id } = await scene.create({ due: { delayMs: 60 * MINUTE }, startDeadlineMs: MINUTE });
      await scene.advance(20 * MINUTE);
      const paused = await scene.pause(id);
      assert.ok("task" in paused);
      const { state, pausedAt, version } = paused.task;
      assert.deepEqual([paused.outcome, state, pausedAt, version], ["changed", "paused", scene.now(), 2]);
      await scene.advance(30 * MINUTE);
      assert.equal(await remaining(scene, id), 40 * MINUTE);
      const resumed = await scene.resume(id);
      assert.ok("task" in resumed);
      const { task } = resumed;
      assert.deepEqual([task.state, task.pausedAt, task.pausedMs, task.version], ["scheduled", null, 30 * MINUTE, 3]);
      assert.deepEqual([task.dueAt - begun, task.scheduledAt - begun], [90 * MINUTE, 90 * MINUTE]);
      assert.equal(task.startDeadlineAt! - begun, 91 * MINUTE);
      await scene.advance(40 * MINUTE - 1);
      assert.deepEqual(await scene.claim([id]), []);
      await scene.advance(1);
      await scene.reclaim(id);
    },
  },
  {
    name: "a paused task is neither due nor claimed nor expired, however late it is, and still holds its key",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY, startDeadlineMs: MINUTE });
      await scene.pause(id);
      await scene.advance(2 * MINUTE);
      assert.deepEqual([await due(scene), await scene.claim([id])], [[], []]);
      assert.equal(await scene.store.expire({ typeIds: [scene.type.id], limit: 10 }), 0);
      assert.deepEqual((await scene.createAll(scene.newTask({ key: KEY })))[0]?.outcome, "rejected");
      await scene.resume(id);
      assert.deepEqual(await due(scene), [id]);
      await scene.reclaim(id);
    },
  },
  {
    name: "a task that is overdue when it is paused has nothing left, and is due as soon as it is resumed",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      await scene.advance(MINUTE);
      await scene.pause(id);
      await scene.advance(MINUTE);
      assert.equal(await remaining(scene, id), 0);
      await scene.resume(id);
      assert.equal((await scene.get(id)).dueAt, scene.now());
    },
  },
  {
    name: "a task that waits for its next attempt can be paused; what was asked for at its creation stays as it was",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ startDeadlineMs: MINUTE });
      const { scheduledAt, startDeadlineAt } = await scene.get(execution.id);
      await scene.fail(execution, 10 * MINUTE);
      await scene.pause(execution.id);
      await scene.advance(MINUTE);
      await scene.resume(execution.id);
      const task = await scene.get(execution.id);
      assert.deepEqual([task.scheduledAt, task.startDeadlineAt], [scheduledAt, startDeadlineAt]);
      assert.deepEqual([task.dueAt - scene.now(), task.attempt, task.fence], [10 * MINUTE, 1, 2]);
    },
  },
  {
    name: "the times for which a task is paused add up, and a retry begins a new account",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ due: { delayMs: MINUTE } });
      for (const pausedMs of [100, 20]) {
        await scene.pause(id);
        await scene.advance(pausedMs);
        await scene.resume(id);
      }
      assert.equal((await scene.get(id)).pausedMs, 120);
      await scene.pause(id);
      await scene.advance(3);
      await scene.cancel(id);
      assert.equal((await scene.get(id)).pausedMs, 120);
      await scene.retry(id);
      const { pausedAt, pausedMs } = await scene.get(id);
      assert.deepEqual([pausedAt, pausedMs], [null, 0]);
    },
  },
];

const requestCases: ConformanceCase[] = [
  {
    name: "pause and resume take an id or a key, change nothing the second time, and refuse what runs or has ended",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace, store, type } = scene;
      const { id } = await scene.create({ key: KEY });
      const byKey = { target: { namespace, type: type.type, key: KEY }, actor: "operator" };
      const outcomes = async (call: () => ReturnType<Scenario["pause"]>): Promise<unknown[]> => {
        const reply = await call();
        return [reply.outcome, "task" in reply && reply.task.version];
      };
      assert.deepEqual(await outcomes(() => store.pause(byKey)), ["changed", 2]);
      assert.deepEqual(await outcomes(() => scene.pause(id)), ["unchanged", 2]);
      assert.deepEqual(await outcomes(() => store.resume(byKey)), ["changed", 3]);
      assert.deepEqual(await outcomes(() => scene.resume(id)), ["unchanged", 3]);
      const execution = await scene.reclaim(id);
      for (const call of [() => scene.pause(id), () => store.resume(byKey)])
        assert.deepEqual(await outcomes(call), ["state_conflict", 3]);
      await scene.succeed(execution);
      assert.deepEqual(await outcomes(() => scene.pause(id)), ["state_conflict", 3]);
      assert.deepEqual(await outcomes(() => store.pause(byKey)), ["not_found", false]);
      const foreign = { target: { namespace: subject.freshNamespace(), id }, actor: "stranger" };
      assert.deepEqual(await outcomes(() => store.pause(foreign)), ["not_found", false]);
    },
  },
  {
    name: "an occurrence of a schedule is not paused: its schedule decides about its time",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: `${SCHEDULE_KEY}7` });
      assert.equal((await scene.pause(id)).outcome, "occurrence");
      assert.deepEqual(await due(scene), [id]);
    },
  },
  {
    name: "an edit of a paused task leaves it paused: a new due time is a new countdown, anything else leaves what remains",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace, store } = scene;
      const { id } = await scene.create({ due: { delayMs: 10 * MINUTE }, startDeadlineMs: MINUTE });
      await scene.pause(id);
      await scene.advance(MINUTE);
      const edit = { namespace, id, actor: "editor" };
      await store.edit({ ...edit, changes: { priority: 1, payload: jsonTextOf("new") } });
      assert.deepEqual([await scene.state(id), await remaining(scene, id)], ["paused", 10 * MINUTE]);
      await scene.advance(MINUTE);
      await store.edit({ ...edit, changes: { due: { delayMs: 3 * MINUTE } } });
      assert.deepEqual([await scene.state(id), await remaining(scene, id)], ["paused", 3 * MINUTE]);
      await scene.advance(MINUTE);
      await scene.resume(id);
      const task = await scene.get(id);
      assert.deepEqual([task.dueAt - scene.now(), task.pausedMs], [3 * MINUTE, 3 * MINUTE]);
      assert.equal(task.startDeadlineAt, task.scheduledAt + MINUTE);
    },
  },
  {
    name: "an edit that is for scheduled tasks only refuses a paused one",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ due: { delayMs: MINUTE } });
      const paused = await scene.pause(id);
      assert.ok("task" in paused);
      const now = { due: { delayMs: 0 } };
      const edit = { namespace: scene.namespace, id, changes: now, isForScheduledOnly: true, actor: "operator" };
      assert.equal((await scene.store.edit(edit)).outcome, "state_conflict");
      assert.deepEqual(await scene.get(id), paused.task);
    },
  },
  {
    name: "the journal tells who paused and resumed a task, and that it was paused when it ended",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ due: { delayMs: MINUTE } });
      await scene.pause(id);
      await scene.resume(id);
      await scene.pause(id);
      await scene.cancel(id);
      const entries = await scene.journal(id);
      assert.deepEqual(
        entries.map(({ from, to, reason, actor }) => [from, to, reason, actor]),
        [
          [null, "scheduled", null, "creator"],
          ["scheduled", "paused", "PAUSED", "operator"],
          ["paused", "scheduled", "RESUMED", "operator"],
          ["scheduled", "paused", "PAUSED", "operator"],
          ["paused", "cancelled", "REQUESTED", "canceller"],
        ],
      );
    },
  },
  {
    name: "the journal of a task that is paused and resumed again and again is bounded, and tells how often",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ due: { delayMs: MINUTE } });
      for (let count = 0; count < 30; count++) {
        await scene.pause(id);
        await scene.resume(id);
      }
      const entries = await scene.journal(id);
      assert.deepEqual([entries.length, entries.at(-1)!.to], [21, "scheduled"]);
      assert.equal(
        entries.reduce((sum, { count }) => sum + count, 0),
        61,
      );
    },
  },
  {
    name: "lists and counts know paused tasks",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { namespace, store } = scene;
      const paused = [await scene.create({ key: KEY }), await scene.create()].map(({ id }) => id);
      await scene.create();
      for (const id of paused) await scene.pause(id);
      for (const more of [{}, { type: scene.type.type }, { live: true }]) {
        const tasks = await findAll(store, { namespace, states: ["paused"], ...more });
        assert.deepEqual(new Set(tasks.map(({ id }) => id)), new Set(paused));
      }
      const { counts, overdue } = await store.stats(namespace);
      assert.deepEqual([counts.paused, counts.scheduled, overdue], [2, 1, 1]);
    },
  },
];

const keyCases: ConformanceCase[] = [
  {
    name: "a refresh of a paused task sets what remains of its countdown and leaves it paused; its maxWait stands still",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const refresh = async (delayMs: number) => {
        const maxWaitMs = 10 * MINUTE;
        const [result] = await scene.createAll(
          scene.newTask({ key: KEY, onConflict: "refresh", due: { delayMs }, maxWaitMs }),
        );
        return accepted(result, "refreshed");
      };
      const { id } = await scene.create({ key: KEY, due: { delayMs: MINUTE } });
      await scene.advance(MINUTE / 2);
      await scene.pause(id);
      await scene.advance(20 * MINUTE);
      const paused = await refresh(2 * MINUTE);
      assert.deepEqual([paused.id, paused.state, remainingMs(paused)], [id, "paused", 2 * MINUTE]);
      await scene.advance(20 * MINUTE);
      assert.equal(remainingMs(await refresh(60 * MINUTE)), 9.5 * MINUTE);
      await scene.advance(MINUTE);
      await scene.resume(id);
      await scene.advance(MINUTE);
      const task = await refresh(60 * MINUTE);
      assert.deepEqual([task.state, task.dueAt - scene.now(), task.waitUntil], ["scheduled", 8.5 * MINUTE, task.dueAt]);
    },
  },
  {
    name: "what was due when it was paused stays due, however often it is refreshed while it is paused",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY });
      await scene.advance(1);
      await scene.pause(id);
      await scene.advance(MINUTE);
      await scene.createAll(scene.newTask({ key: KEY, onConflict: "refresh", due: { delayMs: MINUTE } }));
      assert.equal(await remaining(scene, id), 0);
    },
  },
  {
    name: "merges of a paused task fold their payloads in and leave it paused",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY, payload: { n: 1 }, due: { delayMs: MINUTE } });
      await scene.pause(id);
      await scene.advance(5 * MINUTE);
      const merge = () =>
        scene.newTask({
          key: KEY,
          onConflict: "merge",
          reducers: { n: "add" },
          payload: { n: 2 },
          due: { delayMs: 2 * MINUTE },
          maxWaitMs: 90_000,
        });
      const results = await scene.createAll(merge(), merge());
      const task = accepted(results[1], "merged");
      assert.deepEqual(
        [task.id, task.state, remainingMs(task), JSON.parse(task.payload)],
        [id, "paused", 90_000, { n: 5 }],
      );
      const notes = (await scene.journal(id)).slice(2);
      assert.deepEqual(
        notes.map(({ from, to, reason, count }) => [from, to, reason, count]),
        [["paused", "paused", "MERGED", 2]],
      );
    },
  },
  {
    name: "a replacement cancels a paused holder; a reject and a return leave it paused",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: KEY, due: { delayMs: MINUTE } });
      await scene.pause(id);
      const meet = (onConflict: "reject" | "return" | "replace") =>
        scene.createAll(scene.newTask({ key: KEY, onConflict }));
      assert.equal((await meet("reject"))[0]?.outcome, "rejected");
      const existing = accepted((await meet("return"))[0], "existing");
      assert.deepEqual([existing.id, existing.state], [id, "paused"]);
      accepted((await meet("replace"))[0], "replaced");
      const { state, reason, keyLive } = await scene.get(id);
      assert.deepEqual([state, reason, keyLive], ["cancelled", "REPLACED", false]);
      assert.equal((await scene.steps(id)).at(-1), "paused>cancelled");
    },
  },
  {
    name: "a paused task that has started goes on without its key where a refresh opens the next cycle",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: KEY });
      await scene.fail(execution, MINUTE);
      await scene.pause(execution.id);
      const [result] = await scene.createAll(scene.newTask({ key: KEY, onConflict: "refresh" }));
      const next = accepted(result, "created");
      const before = await scene.get(execution.id);
      assert.deepEqual([before.state, before.keyLive, before.continuedBy], ["paused", false, next.id]);
      await scene.resume(before.id);
      await scene.advance(MINUTE);
      await scene.reclaim(before.id);
    },
  },
  {
    name: "a stale execution changes nothing of a paused task",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await scene.store.release([{ ...refOf(execution), reason: "DRAIN" }]);
      await scene.pause(execution.id);
      const paused = await scene.get(execution.id);
      await scene.fail(execution);
      await scene.store.release([{ ...refOf(execution), reason: "DRAIN" }]);
      assert.deepEqual(await scene.get(execution.id), paused);
    },
  },
];

/** Countdowns that stand still. */
export const pausedCases: ConformanceCase[] = [...countdownCases, ...requestCases, ...keyCases];
