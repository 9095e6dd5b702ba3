import assert from "node:assert/strict";
import type { ClusterMessage, TaskHint } from "@tickwheel/core";
import { type CoordinationCase, eventually, listen, view } from "../subject/coordination-subject.js";

const HINT: TaskHint = { id: "01a1fde4-720b-7007-b634-6422c5ec4464", typeId: 3, version: 1, dueAt: 1, priority: 5 };

export const messageCases: CoordinationCase[] = [
  {
    name: "a message reaches the node it is for; one to all reaches everybody, its sender too",
    async run(subject) {
      const one = await listen(subject, "1");
      const two = await listen(subject, "2");
      const hints: ClusterMessage = { kind: "hints", hints: [HINT] };
      assert.equal(await one.node.send("2", hints), true);
      assert.equal(await one.node.send("all", view(12)), true);
      await eventually(subject, () => one.heard.length === 1 && two.heard.length === 2);
      assert.deepEqual([one.heard, two.heard], [[view(12)], [hints, view(12)]]);
    },
  },
  {
    name: "messages arrive in their order if the sender waits for each",
    async run(subject) {
      const one = await listen(subject, "1");
      const two = await listen(subject, "2");
      const sent = Array.from({ length: 30 }, (_, index) => view(index));
      for (const message of sent) assert.equal(await one.node.send("2", message), true);
      await eventually(subject, () => two.heard.length === sent.length);
      assert.deepEqual(two.heard, sent);
    },
  },
  {
    name: "a new subscription takes the place of the old one",
    async run(subject) {
      const one = await listen(subject, "1");
      const two = await subject.join();
      const heard: unknown[] = [];
      await one.node.subscribe("3", (message) => heard.push(message));
      await two.send("1", view(1));
      await two.send("3", view(2));
      await eventually(subject, () => heard.length > 0);
      assert.deepEqual([one.heard, heard], [[], [view(2)]]);
    },
  },
  {
    name: "a message that was sent while nobody listened is not kept",
    async run(subject) {
      const one = await subject.join();
      await one.send("2", view(1));
      await one.send("all", view(2));
      const two = await listen(subject, "2");
      await one.send("2", view(3));
      await eventually(subject, () => two.heard.length > 0);
      assert.deepEqual(two.heard, [view(3)]);
    },
  },
];

/** For a medium that knows whom it has reached. */
export const reachCases: CoordinationCase[] = [
  {
    name: "the sender learns that a message reached nobody",
    async run(subject) {
      const one = await listen(subject, "1");
      const two = await listen(subject, "2");
      assert.equal(await one.node.send("404", view(1)), false);
      assert.equal(await one.node.send("2", view(1)), true);
      await two.node.stop();
      await eventually(subject, async () => !(await one.node.send("2", view(2))));
    },
  },
];

/** For a medium that does not know it, such as NOTIFY. */
export const notifyCases: CoordinationCase[] = [
  {
    name: "a message counts as sent even if nobody listens",
    async run(subject) {
      const one = await subject.join();
      assert.equal(await one.send("404", view(1)), true);
    },
  },
  {
    name: "a message that is too long for a notification says only that there is something to load",
    async run(subject) {
      const one = await subject.join();
      const two = await listen(subject, "2");
      assert.equal(await one.send("2", { kind: "hints", hints: Array<TaskHint>(100).fill(HINT) }), true);
      await eventually(subject, () => two.heard.length > 0);
      assert.deepEqual(two.heard, [{ kind: "load" }]);
    },
  },
  {
    name: "the medium has neither beats nor a lock",
    async run(subject) {
      const one = await subject.join();
      assert.deepEqual([one.kind, one.health()], ["postgres", { available: true, detail: null }]);
      assert.equal(await one.readBeats(), null);
      assert.equal(await one.campaign("1", subject.keyTtlMs), "unavailable");
    },
  },
  {
    name: "a listener whose session broke reports it, comes back, and then loads for itself",
    async run(subject) {
      const one = await subject.join();
      const two = await listen(subject, "2");
      await subject.stop();
      await eventually(subject, () => !two.node.health().available);
      assert.match(two.node.health().detail ?? "", /broken/);
      await subject.start();
      await eventually(subject, () => two.node.health().available && two.heard.length > 0);
      assert.deepEqual(two.heard, [{ kind: "load" }]);
      await eventually(subject, () => one.send("2", view(7)));
      await eventually(subject, () => two.heard.length > 1);
      assert.deepEqual(two.heard[1], view(7));
    },
  },
];
