import assert from "node:assert/strict";
import type { NewTask } from "@tickwheel/core";
import { accepted, Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";
import { findAll } from "../subject/find-all.js";

const DAY_MS = 86_400_000;
const RETENTION = { historyRetentionDays: 7, deadRetentionDays: 30, typeRetentionDays: 30 };

function createUnder(scene: Scenario, idempotency: { key: string; bodyHash: string }, tasks: NewTask[]) {
  return scene.store.create({ namespace: scene.namespace, tasks, idempotency });
}

export const idempotencyCases: ConformanceCase[] = [
  {
    name: "the same idempotency key and body get the first answer again, with the task as it is now",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const first = await createUnder(scene, { key: "i", bodyHash: "aa" }, [scene.newTask()]);
      assert.equal(first.kind, "written");
      const task = accepted(first.kind === "written" ? first.results[0] : undefined, "created");
      await scene.cancel(task.id);
      const replay = await createUnder(scene, { key: "i", bodyHash: "aa" }, [scene.newTask()]);
      assert.equal(replay.kind, "replayed");
      const again = accepted(replay.kind === "replayed" ? replay.results[0] : undefined, "created");
      assert.deepEqual([again.id, again.state], [task.id, "cancelled"]);
      const tasks = await findAll(scene.store, { namespace: scene.namespace });
      assert.equal(tasks.length, 1);
    },
  },
  {
    name: "the same idempotency key with another body is refused and writes nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await createUnder(scene, { key: "i", bodyHash: "aa" }, [scene.newTask()]);
      const refused = await createUnder(scene, { key: "i", bodyHash: "bb" }, [scene.newTask()]);
      assert.deepEqual({ ...refused }, { kind: "key_reused" });
      const tasks = await findAll(scene.store, { namespace: scene.namespace });
      assert.equal(tasks.length, 1);
    },
  },
  {
    name: "a replayed replacement names no execution to stop",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await scene.running({ key: "k" });
      const replace = () =>
        createUnder(scene, { key: "i", bodyHash: "aa" }, [scene.newTask({ key: "k", onConflict: "replace" })]);
      const told: boolean[] = [];
      for (const reply of [await replace(), await replace()]) {
        assert.ok(reply.kind !== "key_reused");
        told.push(reply.results.some((result) => "interrupted" in result));
      }
      assert.deepEqual(told, [true, false]);
    },
  },
  {
    name: "a replayed bulk request gets the outcomes of all its items, in their order",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const holder = await scene.create({ key: "taken" });
      const tasks = [
        scene.newTask(),
        scene.newTask({ key: "taken" }),
        scene.newTask({ key: "taken", onConflict: "return" }),
      ];
      const first = await createUnder(scene, { key: "bulk", bodyHash: "aa" }, tasks);
      await scene.cancel(holder.id);
      const replay = await createUnder(
        scene,
        { key: "bulk", bodyHash: "aa" },
        tasks.map(({ key }) => scene.newTask({ key })),
      );
      assert.ok(first.kind === "written" && replay.kind === "replayed");
      const told = (results: typeof first.results) =>
        results.map((result) => [result.outcome, "task" in result ? result.task.id : result.existingId]);
      assert.deepEqual(told(replay.results), told(first.results));
      assert.deepEqual(told(first.results), [
        ["created", tasks[0]?.id],
        ["rejected", holder.id],
        ["existing", holder.id],
      ]);
    },
  },
  {
    name: "an idempotency key replays tasks that have moved to history",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const asked = scene.newTask();
      await createUnder(scene, { key: "i", bodyHash: "aa" }, [asked]);
      await scene.succeed(await scene.reclaim(asked.id));
      await scene.store.archive(1_000);
      const replay = await createUnder(scene, { key: "i", bodyHash: "aa" }, [scene.newTask()]);
      assert.ok(replay.kind === "replayed");
      assert.equal(accepted(replay.results[0], "created").state, "succeeded");
    },
  },
  {
    name: "an idempotency key counts in its namespace only",
    async run(subject) {
      const one = await Scenario.open(subject);
      const other = await Scenario.open(subject);
      await createUnder(one, { key: "i", bodyHash: "aa" }, [one.newTask()]);
      const reply = await createUnder(other, { key: "i", bodyHash: "bb" }, [other.newTask()]);
      assert.equal(reply.kind, "written");
    },
  },
  {
    name: "an idempotency key is forgotten after 24 hours, not before",
    async run(subject) {
      const scene = await Scenario.open(subject);
      await createUnder(scene, { key: "i", bodyHash: "aa" }, [scene.newTask({ due: { delayMs: 3 * DAY_MS } })]);
      await scene.advance(DAY_MS - 1_000);
      await scene.store.maintain(RETENTION);
      assert.equal((await createUnder(scene, { key: "i", bodyHash: "aa" }, [scene.newTask()])).kind, "replayed");
      await scene.advance(2_000);
      await scene.store.maintain(RETENTION);
      assert.equal((await createUnder(scene, { key: "i", bodyHash: "bb" }, [scene.newTask()])).kind, "written");
    },
  },
  {
    name: "when two requests under one idempotency key come at once, one writes and the other replays",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const replies = await Promise.all(
        [1, 2, 3].map(() => createUnder(scene, { key: "i", bodyHash: "aa" }, [scene.newTask()])),
      );
      assert.deepEqual(replies.map((reply) => reply.kind).sort(), ["replayed", "replayed", "written"]);
      const tasks = await findAll(scene.store, { namespace: scene.namespace });
      assert.equal(tasks.length, 1);
    },
  },
];
