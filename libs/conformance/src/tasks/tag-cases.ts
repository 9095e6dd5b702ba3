import assert from "node:assert/strict";
import type { CreateResult, NewTask, Task, TaskFilter } from "@tickwheel/core";
import { accepted, refOf, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { findAll } from "../subject/find-all.js";

const TAGS = ["shop:7", "vip"];
const OTHERS = ["other"];
const HOUR = { delayMs: 3_600_000 };
/** What an array or a JSON text of a database escapes, and what it could take for its own. */
const AWKWARD = [
  'say "hi"',
  "back\\slash",
  "{a,b}",
  "NULL",
  "null",
  " ",
  "\t\r\n\u0001",
  "ž 日 😀",
  ",",
  "'",
  "shop:7 ",
];

async function assertTagged(scene: Scenario, id: string, tags: readonly string[] = TAGS): Promise<void> {
  assert.deepEqual([...(await scene.get(id)).tags], tags);
}

async function findIds(scene: Scenario, filter: Omit<TaskFilter, "namespace" | "limit">): Promise<string[]> {
  const tasks = await findAll(scene.store, { namespace: scene.namespace, ...filter });
  return tasks.map(({ id }) => id).sort();
}

function tagsOf(results: readonly CreateResult[]): (readonly string[])[] {
  return results.map((result) => [...("task" in result ? result.task.tags : [])]);
}

/** Puts a task of the key off, with tags of its own. */
async function putOff(scene: Scenario, onConflict: NewTask["onConflict"]): Promise<CreateResult> {
  const asked = scene.newTask({ key: "k", onConflict, due: HOUR, payload: { n: 1 }, tags: OTHERS });
  return (await scene.createAll(asked))[0]!;
}

/** Whatever becomes of a task. */
const keptCases: ConformanceCase[] = [
  {
    name: "tags keep their order and every character, and a task without tags has an empty list",
    async run(subject) {
      const scene = await Scenario.open(subject);
      for (const tags of [TAGS, [...TAGS].reverse(), AWKWARD, [], undefined]) {
        const { id, tags: told } = await scene.create(tags === undefined ? {} : { tags });
        assert.deepEqual([...told], tags ?? []);
        await assertTagged(scene, id, tags ?? []);
      }
    },
  },
  {
    name: "tags stay through a claim, a failure, a release, a death and a retry",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const first = await scene.running({ tags: TAGS, key: "k" });
      await assertTagged(scene, first.id);
      await scene.fail(first);
      await assertTagged(scene, first.id);
      const second = await scene.reclaim(first.id);
      await scene.store.release([{ ...refOf(second), reason: "DRAIN" }]);
      await scene.bury(await scene.reclaim(first.id));
      await assertTagged(scene, first.id);
      const retried = await scene.retry(first.id);
      assert.ok(retried.outcome === "scheduled");
      assert.deepEqual([...retried.task.tags], TAGS);
      await assertTagged(scene, first.id);
    },
  },
  {
    name: "tags stay when a task moves to history, in its end or later, and when a retry brings it back",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const succeeded = await scene.running({ tags: TAGS });
      await scene.succeed(succeeded);
      const cancelled = await scene.create({ tags: AWKWARD });
      await scene.cancel(cancelled.id);
      while ((await scene.store.archive(1_000)) > 0);
      const both = [
        [succeeded.id, TAGS],
        [cancelled.id, AWKWARD],
      ] as const;
      for (const [id, tags] of both) await assertTagged(scene, id, tags);
      for (const [id, tags] of both) {
        await scene.retry(id);
        await assertTagged(scene, id, tags);
      }
    },
  },
  {
    name: "an edit leaves the tags",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ tags: TAGS, due: HOUR });
      const asked = { namespace: scene.namespace, id, actor: "editor", expectedVersion: null };
      const reply = await scene.store.edit({ ...asked, changes: { priority: 1 } });
      assert.ok(reply.outcome === "changed");
      assert.deepEqual([...reply.task.tags], TAGS);
    },
  },
];

/** Where creates meet a task with the same key. */
const keyCases: ConformanceCase[] = [
  ...(["refresh", "merge"] as const).flatMap((policy): ConformanceCase[] => [
    {
      name: `a ${policy} leaves the tags of the task that waits`,
      async run(subject) {
        const scene = await Scenario.open(subject);
        const { id } = await scene.create({ key: "k", due: HOUR, tags: TAGS, payload: {} });
        const task = accepted(await putOff(scene, policy), policy === "merge" ? "merged" : "refreshed");
        assert.deepEqual([task.id, [...task.tags]], [id, TAGS]);
        await assertTagged(scene, id);
      },
    },
    {
      name: `the next cycle that a ${policy} begins has its own tags`,
      async run(subject) {
        const scene = await Scenario.open(subject);
        const old = await scene.running({ key: "k", tags: TAGS, payload: {} });
        const next = accepted(await putOff(scene, policy), "created");
        assert.deepEqual([next.continues, [...next.tags]], [old.id, OTHERS]);
        await assertTagged(scene, next.id, OTHERS);
        await assertTagged(scene, old.id);
      },
    },
  ]),
  {
    name: "a task that replaces another has its own tags, and the replaced one keeps its",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const old = await scene.create({ key: "k", due: HOUR, tags: TAGS });
      const next = accepted(await putOff(scene, "replace"), "replaced");
      assert.deepEqual([...next.tags], OTHERS);
      await assertTagged(scene, next.id, OTHERS);
      await assertTagged(scene, old.id);
    },
  },
  {
    name: "tasks of one request that replace each other have each their own tags",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const given = [TAGS, [], AWKWARD, OTHERS];
      const tasks = given.map((tags) => scene.newTask({ key: "k", onConflict: "replace", due: HOUR, tags }));
      const results = await scene.createAll(...tasks);
      assert.deepEqual(tagsOf(results), given);
      for (const [index, { id }] of tasks.entries()) await assertTagged(scene, id, given[index]);
    },
  },
  {
    name: "who meets a live task and leaves it is told its tags",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await scene.create({ key: "k", due: HOUR, tags: TAGS });
      assert.deepEqual([...accepted(await putOff(scene, "return"), "existing").tags], TAGS);
    },
  },
];

const bulkCases: ConformanceCase[] = [
  {
    name: "tasks with and without tags, with and without keys, are written by one request as each was given",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const given = [TAGS, undefined, AWKWARD, [], OTHERS, undefined];
      const tasks = given.flatMap((tags, index) => [
        scene.newTask({ due: HOUR, ...(tags && { tags }) }),
        scene.newTask({ due: HOUR, key: `k${index}`, ...(tags && { tags }) }),
      ]);
      const expected = given.flatMap((tags = []) => [tags, tags]);
      assert.deepEqual(tagsOf(await scene.createAll(...tasks)), expected);
      const found: Task[] = await Promise.all(tasks.map(({ id }) => scene.get(id)));
      assert.deepEqual(
        found.map(({ tags }) => [...tags]),
        expected,
      );
    },
  },
];

const findCases: ConformanceCase[] = [
  {
    name: "a tag finds the tasks that have it, among others, in whatever state and table they are",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const succeeded = await scene.running({ tags: TAGS });
      await scene.succeed(succeeded);
      const dead = await scene.running({ tags: [...OTHERS, "vip"] });
      await scene.bury(dead);
      const running = await scene.running({ tags: ["vip"], key: "k" });
      const scheduled = await scene.create({ tags: TAGS, due: HOUR });
      for (const tags of [[], OTHERS, ["VIP"], ["vi"], ["vip "], ["{vip}"]]) await scene.create({ tags });
      await scene.create();
      const all = [succeeded.id, dead.id, running.id, scheduled.id].sort();
      assert.deepEqual(await findIds(scene, { tag: "vip" }), all);
      assert.deepEqual(await findIds(scene, { tag: "vip", type: "order.cancel" }), all);
      assert.deepEqual(await findIds(scene, { tag: "vip", states: ["dead"] }), [dead.id]);
      assert.deepEqual(await findIds(scene, { tag: "vip", key: "k" }), [running.id]);
      assert.deepEqual(await findIds(scene, { tag: "vip", live: true }), [running.id, scheduled.id].sort());
      assert.deepEqual(await findIds(scene, { tag: "vip", type: "another" }), []);
      assert.deepEqual(await findIds(scene, { tag: "nobody's" }), []);
      for (const tag of AWKWARD) {
        const { id } = await scene.create({ tags: [tag] });
        assert.ok((await findIds(scene, { tag })).includes(id), `finds by ${JSON.stringify(tag)}`);
      }
    },
  },
  {
    name: "pages of a tag hold each of its tasks once, and only those",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const tasks = Array.from({ length: 30 }, (_, index) =>
        scene.newTask(index % 3 === 0 ? { tags: ["third"] } : { tags: OTHERS }),
      );
      await scene.createAll(...tasks);
      const wanted = tasks.filter(({ tags }) => tags?.includes("third")).map(({ id }) => id);
      for (const filter of [{}, { type: "order.cancel" }, { states: ["scheduled"] as const }]) {
        const found: string[] = [];
        for (let after: string | null = null; ;) {
          const asked = { namespace: scene.namespace, tag: "third", limit: 4, ...filter };
          const { tasks: page, next } = await scene.store.find({ ...asked, ...(after !== null && { after }) });
          found.push(...page.map(({ id }) => id));
          if (next === null) break;
          after = next;
        }
        assert.deepEqual(found.sort(), [...wanted].sort());
      }
    },
  },
];

/** The tags of tasks: kept as they were given, whatever happens, and found. */
export const tagCases: readonly ConformanceCase[] = [...keptCases, ...keyCases, ...bulkCases, ...findCases];
