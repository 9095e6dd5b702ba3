import { type CancelReply, jsonTextOf, type Task } from "@tickwheel/core";
import assert from "node:assert/strict";
import { Scenario } from "../subject/scenario.js";
import type { ConformanceCase } from "../subject/subject.js";

function taskOf(reply: CancelReply): Task {
  assert.ok("task" in reply);
  return reply.task;
}

export const cancelCases: ConformanceCase[] = [
  {
    name: "a cancel ends a scheduled task at once, and its answer holds the final task",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create({ key: "k", payload: "last" });
      await scene.advance(9);
      const reply = await scene.cancel(id);
      assert.equal(reply.outcome, "cancelled");
      const task = taskOf(reply);
      assert.deepEqual(
        [task.state, task.reason, task.cancelledBy, task.finishedAt, task.version, task.keyLive, task.payload],
        ["cancelled", "REQUESTED", "canceller", scene.now(), 2, false, jsonTextOf("last")],
      );
      assert.deepEqual(await scene.get(id), task);
    },
  },
  {
    name: "a cancel of a running task notes the request and tells who runs it",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running({ key: "k" });
      const reply = await scene.cancel(execution.id);
      assert.equal(reply.outcome, "cancel_requested");
      const task = taskOf(reply);
      assert.deepEqual(
        [task.state, task.owner, task.fence, task.cancelRequestedAt, task.version, task.keyLive],
        ["running", scene.node, 1, scene.now(), 2, true],
      );
    },
  },
  {
    name: "a second cancel gets the same outcome and changes nothing",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const scheduled = await scene.create();
      const running = await scene.running();
      for (const [id, outcome] of [
        [scheduled.id, "cancelled"],
        [running.id, "cancel_requested"],
      ] as const) {
        const first = await scene.cancel(id);
        await scene.advance(5);
        const second = await scene.cancel(id, "somebody else");
        assert.deepEqual([first.outcome, second.outcome], [outcome, outcome]);
        assert.deepEqual(taskOf(second), taskOf(first));
      }
    },
  },
  {
    name: "a cancel of a task that ended otherwise is too late, and one of an unknown task is not found",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const good = await scene.running();
      const dead = await scene.running();
      const archived = await scene.running();
      await scene.succeed(archived);
      await scene.store.archive(1_000);
      await scene.succeed(good);
      await scene.bury(dead);
      for (const { id } of [good, dead, archived]) {
        const before = await scene.get(id);
        const reply = await scene.cancel(id);
        assert.equal(reply.outcome, "too_late");
        assert.deepEqual(taskOf(reply), before);
      }
      assert.deepEqual({ ...(await scene.cancel(scene.newTask().id)) }, { outcome: "not_found" });
      const foreign = await Scenario.open(subject);
      assert.equal((await foreign.cancel(good.id)).outcome, "not_found");
    },
  },
  {
    name: "a cancel of a cancelled task in history answers cancelled, too",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      await scene.cancel(id);
      await scene.store.archive(1_000);
      assert.equal((await scene.cancel(id)).outcome, "cancelled");
    },
  },
  {
    name: "a cancel by key finds the task that holds the key, and no other",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const byKey = (key: string, type = scene.type.type) =>
        scene.store.cancel({ target: { namespace: scene.namespace, type, key }, actor: "canceller" });
      const { id } = await scene.create({ key: "k" });
      assert.equal((await byKey("k", "unknown.type")).outcome, "not_found");
      assert.equal((await byKey("other")).outcome, "not_found");
      const reply = await byKey("k");
      assert.deepEqual([reply.outcome, taskOf(reply).id], ["cancelled", id]);
      assert.equal((await byKey("k")).outcome, "not_found");
      const execution = await scene.running({ key: "k" });
      const asked = await byKey("k");
      assert.deepEqual([asked.outcome, taskOf(asked).id], ["cancel_requested", execution.id]);
    },
  },
  {
    name: "a cancel of many ends the scheduled tasks, each as its own cancel would, and leaves the rest for single cancels",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const foreign = await Scenario.open(subject);
      const keyed = await scene.create({ key: "k" });
      const plain = await scene.create();
      const other = await foreign.create();
      const running = await scene.running();
      const ended = await scene.running();
      await scene.succeed(ended);
      await scene.advance(9);
      const ids = [keyed.id, scene.newTask().id, running.id, plain.id, ended.id, other.id, keyed.id, "no id"];
      const { namespace } = scene;
      const replies = await scene.store.cancelScheduled({
        requests: ids.map((id) => ({ namespace, id, actor: "canceller" })),
      });
      const isCancelled = [true, false, false, true, false, false, true, false];
      assert.deepEqual(
        replies.map((task) => task !== null),
        isCancelled,
      );
      const task = replies[0]!;
      assert.deepEqual(
        [task.state, task.reason, task.cancelledBy, task.finishedAt, task.version, task.keyLive],
        ["cancelled", "REQUESTED", "canceller", scene.now(), 2, false],
      );
      for (const reply of replies) if (reply) assert.deepEqual(await scene.get(reply.id), reply);
      const states = [running, ended].map(({ id }) => scene.state(id));
      assert.deepEqual(await Promise.all([...states, foreign.state(other.id)]), ["running", "succeeded", "scheduled"]);
      assert.equal((await scene.create({ key: "k" })).state, "scheduled");
      assert.deepEqual(
        (await scene.journal(plain.id)).map(({ to, reason, actor }) => [to, reason, actor]),
        [
          ["scheduled", null, plain.createdBy],
          ["cancelled", "REQUESTED", "canceller"],
        ],
      );
    },
  },
];
