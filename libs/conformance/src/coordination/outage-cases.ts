import assert from "node:assert/strict";
import { FIRST_VITALS, type Coordination, type NodeAnnouncement } from "@tickwheel/core";
import {
  type CoordinationCase,
  type CoordinationSubject,
  eventually,
  listen,
  view,
} from "../subject/coordination-subject.js";

const ANNOUNCEMENT: NodeAnnouncement = {
  bootId: "1",
  label: "10.0.0.4:1",
  beat: 1,
  vitals: FIRST_VITALS,
  ownedSlots: new Uint8Array(512),
};

/** Asserts what each call answers while the medium is unavailable. */
async function assertNothingWorks(node: Coordination, { keyTtlMs }: CoordinationSubject): Promise<void> {
  assert.equal(await node.readBeats(), null);
  assert.equal(await node.announce(ANNOUNCEMENT), undefined);
  assert.equal(await node.send("all", view(1)), false);
  assert.equal(await node.campaign("1", keyTtlMs), "unavailable");
  assert.equal(await node.yieldLeadership(), undefined);
  assert.equal(await node.withdraw(ANNOUNCEMENT.label), undefined);
  assert.equal(node.health().available, false);
  assert.notEqual(node.health().detail, null);
}

/** Asserts that messages, beats and the lock work as before. */
async function assertAllWorks(
  subject: CoordinationSubject,
  { node, heard }: { node: Coordination; heard: unknown[] },
): Promise<void> {
  const other = await subject.join();
  await eventually(subject, async () => (await other.send("1", view(2))) && heard.length > 0);
  await eventually(subject, async () => (await node.readBeats()) !== null && node.health().available);
  await node.announce(ANNOUNCEMENT);
  assert.deepEqual(
    (await other.readBeats())?.map(({ bootId }) => bootId),
    ["1"],
  );
  await eventually(subject, async () => (await node.campaign("1", subject.keyTtlMs)) === "held");
}

export const outageCases: CoordinationCase[] = [
  {
    name: "while the medium is stopped, every call says that nothing works; then beats, messages and the lock come back by themselves",
    async run(subject) {
      const one = await listen(subject, "1");
      await one.node.campaign("1", subject.keyTtlMs);
      await subject.stop();
      await eventually(subject, () => !one.node.health().available);
      await assertNothingWorks(one.node, subject);
      await subject.start();
      await assertAllWorks(subject, one);
    },
  },
  {
    name: "while the medium hangs, every call says that nothing works; then beats, messages and the lock come back by themselves",
    async run(subject) {
      const one = await listen(subject, "1");
      await one.node.campaign("1", subject.keyTtlMs);
      await subject.hang();
      await assertNothingWorks(one.node, subject);
      await subject.start();
      await assertAllWorks(subject, one);
    },
  },
  {
    name: "a node that starts while the medium is stopped uses it as soon as it works",
    async run(subject) {
      await subject.stop();
      const one = await listen(subject, "1");
      assert.equal(one.node.health().available, false);
      await subject.start();
      await assertAllWorks(subject, one);
    },
  },
  {
    name: "a client that was stopped can be started again",
    async run(subject) {
      const node = await subject.join();
      await node.stop();
      await node.stop();
      await node.start();
      assert.deepEqual(await node.readBeats(), []);
    },
  },
];
