import assert from "node:assert/strict";
import {
  CONFLICT_POLICIES,
  type ConflictPolicy,
  type CreateResult,
  departureOf,
  type JournalEntry,
  type NewTask,
  type Task,
} from "@tickwheel/core";
import { accepted, refOf, Scenario, type NewTaskWish } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { findAll } from "../subject/find-all.js";

const HOUR_MS = 3_600_000;
/** More tasks than one statement writes. */
const MANY = 3_000;
/** One in this many tasks is checked closely. */
const SAMPLED = 100;

/** Tasks of one key. Each is due a little later than the one before, and has another actor. Merges add up `n`. */
function inTurn(scene: Scenario, policies: readonly ConflictPolicy[], given: NewTaskWish = {}): NewTask[] {
  return policies.map((onConflict, place) => {
    const wish = { key: "k", onConflict, actor: `a${place}`, due: { delayMs: HOUR_MS + place } };
    const merged: NewTaskWish = onConflict === "merge" ? { payload: { n: place + 0.1 }, reducers: { n: "add" } } : {};
    return scene.newTask({ ...wish, ...merged, ...given });
  });
}

function times(count: number, policy: ConflictPolicy): ConflictPolicy[] {
  return Array.from({ length: count }, () => policy);
}

function outcomesOf(results: readonly CreateResult[]): string[] {
  return results.map(({ outcome }) => outcome);
}

function taskOf(result: CreateResult): Task {
  assert.ok("task" in result);
  return result.task;
}

/** The journal, entry by entry. */
async function story(scene: Scenario, id: string): Promise<unknown[]> {
  return (await scene.journal(id)).map(({ to, reason, actor, count }) => [to, reason, actor, count]);
}

/** Asserts what is stored of a task that the next task of its request has replaced. */
async function assertReplaced(
  scene: Scenario,
  { asked, result, by }: { asked: NewTask | undefined; result: CreateResult | undefined; by: string },
): Promise<void> {
  assert.ok(asked && result);
  const task = await scene.get(asked.id);
  assert.deepEqual({ ...taskOf(result) }, { ...task });
  assert.deepEqual([task.state, task.reason, task.keyLive, task.version], ["cancelled", "REPLACED", false, 2]);
  assert.deepEqual([task.cancelledBy, task.finishedAt, task.createdBy], [by, scene.now(), asked.actor]);
  assert.equal(task.payload, asked.payload);
  assert.deepEqual(await story(scene, asked.id), [
    ["scheduled", null, asked.actor, 1],
    ["cancelled", "REPLACED", by, 1],
  ]);
}

async function countOf(scene: Scenario, states: readonly Task["state"][]): Promise<number> {
  return (await findAll(scene.store, { namespace: scene.namespace, states })).length;
}

const longRuns: ConformanceCase[] = [
  {
    name: "thousands of refreshes of a free key in one request become a task and one change of it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const asked = inTurn(scene, times(MANY, "refresh"));
      const results = await scene.createAll(...asked);
      assert.deepEqual(outcomesOf(results), ["created", ...times(MANY - 1, "refresh").map(() => "refreshed")]);
      const holder = await scene.get(asked[0]!.id);
      for (const result of results) assert.deepEqual({ ...taskOf(result) }, { ...holder });
      assert.deepEqual([holder.version, holder.dueAt], [2, scene.now() + HOUR_MS + MANY - 1]);
      assert.deepEqual(await story(scene, holder.id), [
        ["scheduled", null, "a0", 1],
        ["scheduled", "REFRESHED", `a${MANY - 1}`, MANY - 1],
      ]);
      assert.equal(await scene.store.get(scene.namespace, asked.at(-1)!.id), null);
    },
  },
  {
    name: "thousands of refreshes of a scheduled task become two changes of it, and its journal knows their number",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: "k", startDeadlineMs: 5_000 });
      const results = await scene.createAll(...inTurn(scene, times(MANY, "refresh")));
      assert.deepEqual(new Set(outcomesOf(results)), new Set(["refreshed"]));
      const holder = await scene.get(id);
      assert.deepEqual([holder.version, holder.startDeadlineAt], [3, holder.dueAt + 5_000]);
      assert.deepEqual((await story(scene, id)).slice(1), [
        ["scheduled", "REFRESHED", "a0", 1],
        ["scheduled", "REFRESHED", `a${MANY - 1}`, MANY - 1],
      ]);
    },
  },
  {
    name: "the last of thousands of replacements in one request is scheduled and the others end replaced, each with its journal",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const asked = inTurn(scene, times(MANY, "replace"));
      const results = await scene.createAll(...asked);
      assert.deepEqual(outcomesOf(results), ["created", ...times(MANY - 1, "replace").map(() => "replaced")]);
      for (let place = 0; place < MANY - 1; place += SAMPLED)
        await assertReplaced(scene, { asked: asked[place], result: results[place], by: `a${place + 1}` });
      const last = asked[MANY - 1]!;
      const holder = await scene.holder("k");
      assert.deepEqual([holder?.id, holder?.version, holder?.state], [last.id, 1, "scheduled"]);
      assert.deepEqual(await story(scene, last.id), [["scheduled", null, last.actor, 1]]);
      assert.deepEqual([await countOf(scene, ["cancelled"]), await countOf(scene, ["scheduled"])], [MANY - 1, 1]);
      assert.deepEqual(
        results.map((result) => taskOf(result).id),
        asked.map(({ id }) => id),
      );
    },
  },
  {
    name: "long payloads of replacements in one request are kept, even of tasks that end replaced",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const asked = inTurn(scene, times(40, "replace"), { payload: "x".repeat(60_000) });
      const results = await scene.createAll(...asked);
      for (const place of [0, 20, 38])
        await assertReplaced(scene, { asked: asked[place], result: results[place], by: `a${place + 1}` });
      assert.equal((await scene.holder("k"))?.payload, asked[39]!.payload);
    },
  },
];

const meetings: ConformanceCase[] = [
  {
    name: "replacements in one request end a scheduled holder once, by the first one's actor",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const holder = await scene.create({ key: "k" });
      const asked = inTurn(scene, times(3, "replace"));
      const results = await scene.createAll(...asked);
      assert.deepEqual(outcomesOf(results), ["replaced", "replaced", "replaced"]);
      const old = await scene.get(holder.id);
      assert.deepEqual([old.state, old.reason, old.cancelledBy, old.version], ["cancelled", "REPLACED", "a0", 2]);
      await assertReplaced(scene, { asked: asked[0], result: results[0], by: "a1" });
      await assertReplaced(scene, { asked: asked[1], result: results[1], by: "a2" });
      assert.equal((await scene.holder("k"))?.id, asked[2]!.id);
    },
  },
  {
    name: "replacements in one request ask a running holder once to stop, by the first one's actor",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      const results = await scene.createAll(...inTurn(scene, times(4, "replace")));
      const interrupted = results.map((result) => ("task" in result ? result.interrupted : undefined));
      assert.deepEqual(interrupted, [refOf(execution), undefined, undefined, undefined]);
      const asked = await scene.get(execution.id);
      assert.deepEqual([asked.state, asked.keyLive, asked.version], ["running", false, 2]);
      assert.equal(await scene.fail(execution), "cancelled");
      const old = await scene.get(execution.id);
      assert.deepEqual([old.reason, old.cancelledBy], ["REPLACED", "a0"]);
    },
  },
  {
    name: "two keys and tasks without one, mixed in one request, are each written in their order",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const wishes: NewTaskWish[] = Array.from({ length: 60 }, (_, place) => {
        const due = { delayMs: HOUR_MS + place };
        if (place % 3 === 2) return { due };
        return place % 3 === 0
          ? { key: "one", onConflict: "replace", due }
          : { key: "two", onConflict: "refresh", due };
      });
      const asked = wishes.map((wish) => scene.newTask(wish));
      const results = await scene.createAll(...asked);
      const outcomes = asked.map((_, place) =>
        place < 3 || place % 3 === 2 ? "created" : place % 3 === 0 ? "replaced" : "refreshed",
      );
      assert.deepEqual(outcomesOf(results), outcomes);
      assert.equal((await scene.holder("one"))?.id, asked[57]!.id);
      const two = await scene.holder("two");
      assert.deepEqual([two?.id, two?.dueAt, two?.version], [asked[1]!.id, scene.now() + HOUR_MS + 58, 2]);
      assert.deepEqual([await countOf(scene, ["cancelled"]), await countOf(scene, ["scheduled"])], [19, 22]);
    },
  },
  {
    name: "a task that was replaced at once begins as the table says, and can be retried once its key is free",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const [first, second] = (await scene.createAll(...inTurn(scene, times(2, "replace")))).map(taskOf);
      assert.equal(departureOf({ by: "create", before: null, after: await scene.get(first!.id) }), null);
      assert.equal((await scene.retry(first!.id)).outcome, "key_conflict");
      await scene.cancel(second!.id);
      assert.equal((await scene.retry(first!.id)).outcome, "scheduled");
      assert.deepEqual(await scene.steps(first!.id), ["none>scheduled", "scheduled>cancelled", "cancelled>scheduled"]);
      assert.equal((await scene.holder("k"))?.id, first!.id);
    },
  },
  {
    name: "a repeated request under an idempotency key names the same tasks, replaced ones and refreshed ones too",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const ask = (policy: ConflictPolicy) =>
        scene.store.create({
          namespace: scene.namespace,
          tasks: inTurn(scene, times(5, policy), { key: policy }),
          idempotency: { key: policy, bodyHash: "aa" },
        });
      for (const policy of ["replace", "refresh"] as const) {
        const first = await ask(policy);
        const again = await ask(policy);
        assert.ok(first.kind === "written" && again.kind === "replayed");
        assert.deepEqual(again.results, first.results);
      }
    },
  },
];

/** The holders that a request may meet at its key. */
const HOLDERS: Record<string, (scene: Scenario) => Promise<string | null>> = {
  "a free key": () => Promise.resolve(null),
  "a holder that waits": async (scene) => (await scene.create({ key: "k", due: { delayMs: 60_000 } })).id,
  "a holder that is due": async (scene) => (await scene.create({ key: "k" })).id,
  "a holder that awaits its retry": async (scene) => {
    const execution = await scene.running({ key: "k" });
    await scene.fail(execution);
    return execution.id;
  },
  "a holder that runs": async (scene) => (await scene.running({ key: "k" })).id,
  "a holder that is to stop": async (scene) => {
    const { id } = await scene.running({ key: "k" });
    await scene.cancel(id);
    return id;
  },
};

/** Sequences of policies: they contain all pairs and triples of runs, and runs of every length up to four. */
const ORDERS: ConflictPolicy[][] = [
  ...CONFLICT_POLICIES.map((policy) => [policy]),
  ["refresh", "refresh", "refresh", "replace", "replace", "replace", "return", "replace"],
  ["replace", "replace", "refresh", "refresh", "refresh", "reject", "refresh", "refresh"],
  ["return", "replace", "return", "replace", "replace", "reject", "refresh", "replace"],
  ["reject", "refresh", "return", "refresh", "refresh", "refresh", "refresh", "replace", "replace", "refresh"],
  ["replace", "refresh", "replace", "refresh", "replace", "replace", "replace", "replace", "return", "return"],
  ["refresh", "replace", "replace", "reject", "reject", "replace", "replace", "refresh", "refresh", "return"],
  ["merge", "merge", "merge", "return", "merge", "refresh", "refresh", "merge"],
  ["refresh", "merge", "merge", "replace", "merge", "merge", "reject", "replace", "replace", "merge"],
];

/** The key's tasks after requests in some order. Their ids are replaced by their places. */
interface Left {
  outcomes: string[];
  told: (string | number)[];
  interrupted: number[];
  tasks: unknown[];
}

async function leftBy(
  scene: Scenario,
  holder: string | null,
  asked: { tasks: readonly NewTask[]; results: readonly CreateResult[] },
): Promise<Left> {
  const ids = [holder, ...asked.tasks.map(({ id }) => id)];
  const nameOf = (id: string): number => ids.indexOf(id) - 1;
  const told = asked.results.map((result) =>
    nameOf(result.outcome === "rejected" ? result.existingId : result.task.id),
  );
  const interrupted = asked.results.flatMap((result, place) => ("task" in result && result.interrupted ? [place] : []));
  const tasks = await Promise.all(
    ids.map(async (id) => {
      const task = id === null ? null : await scene.store.get(scene.namespace, id);
      const links = [task?.continues, task?.continuedBy].map((other) => (other ? nameOf(other) : null));
      const journal = task && changesTogether(await scene.journal(task.id), scene);
      return task && { ...comparable(task, scene), links, journal };
    }),
  );
  return { outcomes: outcomesOf(asked.results), told, interrupted, tasks };
}

/**
 * The task without the fields that differ between two scenes. Refreshes and merges that were written together raise the
 * version only once.
 */
function comparable(task: Task, scene: Scenario): object {
  const { id: _id, typeId: _typeId, namespace: _namespace, owner, node: _node, version: _version, ...others } = task;
  const { continues: _continues, continuedBy: _continuedBy, ...rest } = others;
  const instants = Object.entries(rest).map(([name, value]) =>
    name.endsWith("At") && typeof value === "number" ? [name, value - scene.now()] : [name, value],
  );
  return { ...(Object.fromEntries(instants) as object), isOwned: owner !== null };
}

function changesTogether(journal: readonly JournalEntry[], scene: Scenario): object[] {
  const entries: JournalEntry[] = [];
  for (const entry of journal) {
    const before = entries.at(-1);
    const isSame = isPutOff(entry) && before?.reason === entry.reason;
    if (isSame) entries.pop();
    entries.push(isSame ? { ...entry, count: before.count + entry.count } : entry);
  }
  return entries.map(({ node: _node, at, ...rest }) => ({ ...rest, at: at - scene.now() }));
}

function isPutOff({ reason }: JournalEntry): boolean {
  return reason === "REFRESHED" || reason === "MERGED";
}

/** The version of each task that nobody refreshed or merged, and null for the others. */
async function versions(scene: Scenario, ids: readonly string[]): Promise<(number | null)[]> {
  const tasks = await Promise.all(ids.map((id) => scene.store.get(scene.namespace, id)));
  const isChanged = async (task: Task): Promise<boolean> => (await scene.journal(task.id)).some(isPutOff);
  return Promise.all(tasks.map(async (task) => (task && !(await isChanged(task)) ? task.version : null)));
}

const comparisons: ConformanceCase[] = Object.entries(HOLDERS).map(([what, make]) => ({
  name: `one request of one key has the same result as its tasks one by one in a transaction, from ${what}`,
  async run(subject) {
    for (const order of ORDERS) {
      const one = await Scenario.open(subject);
      const many = await Scenario.open(subject);
      const holder = await make(one);
      const other = await make(many);
      const tasks = inTurn(one, order);
      const singles = inTurn(many, order);
      const results = await one.createAll(...tasks);
      const told = await subject.transaction(async (within) => {
        const replies: CreateResult[] = [];
        for (const task of singles) {
          const reply = await many.store.create({ namespace: many.namespace, tasks: [task] }, within);
          assert.equal(reply.kind, "written");
          replies.push(...(reply.kind === "written" ? reply.results : []));
        }
        return replies;
      });
      const left = await leftBy(one, holder, { tasks, results });
      assert.deepEqual(left, await leftBy(many, other, { tasks: singles, results: told }), order.join(" "));
      const idsOf = (list: readonly NewTask[]): string[] => list.map(({ id }) => id);
      assert.deepEqual(await versions(one, idsOf(tasks)), await versions(many, idsOf(singles)), order.join(" "));
      for (const result of results)
        if ("task" in result) assert.deepEqual({ ...result.task }, { ...(await one.get(result.task.id)) });
    }
  },
}));

/** Requests that name one key many times. */
export const keyRunCases: ConformanceCase[] = [
  ...longRuns,
  ...meetings,
  ...comparisons,
  {
    name: "only the last of several replacements in one request is due",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const asked = inTurn(scene, times(3, "replace"), { due: { delayMs: 0 } });
      const results = await scene.createAll(...asked);
      assert.deepEqual(
        (await scene.claim(asked.map(({ id }) => id))).map(({ id }) => id),
        [accepted(results[2], "replaced").id],
      );
    },
  },
];
