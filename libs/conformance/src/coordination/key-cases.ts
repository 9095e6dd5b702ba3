import assert from "node:assert/strict";
import { type BootId, type Coordination, type NodeAnnouncement, type NodeBeat, SlotSet, wait } from "@tickwheel/core";
import { type CoordinationCase, type CoordinationSubject, eventually } from "../subject/coordination-subject.js";

function announcement(bootId: BootId, beat = 17): NodeAnnouncement {
  const slots = new SlotSet();
  for (const slot of [0, 1, 2, 40]) slots.add(slot);
  const vitals = {
    leaving: bootId === "1",
    view: 12,
    term: 7,
    loopLagMs: 1.5,
    clockOffsetMs: -0.4,
    ownedSlots: 4,
    wheelSize: 12_040,
    inFlight: 3,
    places: 100,
  };
  return { bootId, label: `10.0.0.4:${bootId}`, beat, vitals, ownedSlots: slots.bytes };
}

function beatOf({ bootId, label, beat, vitals }: NodeAnnouncement): NodeBeat {
  return { bootId, label, beat, vitals };
}

/** The beats that a node reads, ordered by boot id. */
async function beatsOf(node: Coordination): Promise<NodeBeat[]> {
  const beats = await node.readBeats();
  assert.ok(beats, "the medium answers");
  return beats.sort((one, other) => Number(one.bootId) - Number(other.bootId));
}

async function bootIdsOf(node: Coordination): Promise<string[]> {
  return (await beatsOf(node)).map(({ bootId }) => bootId);
}

function pair(subject: CoordinationSubject): Promise<[Coordination, Coordination]> {
  return Promise.all([subject.join(), subject.join()]);
}

export const keyCases: CoordinationCase[] = [
  {
    name: "every node reads the newest announced beat of each node",
    async run(subject) {
      const [one, two] = await pair(subject);
      assert.deepEqual(await beatsOf(one), []);
      await one.announce(announcement("1"));
      await two.announce(announcement("2", 3));
      await two.announce(announcement("2", 4));
      const expected = [beatOf(announcement("1")), beatOf(announcement("2", 4))];
      assert.deepEqual(await beatsOf(one), expected);
      assert.deepEqual(await beatsOf(two), expected);
    },
  },
  {
    name: "an announcement expires after its time unless it is renewed",
    async run(subject) {
      const [one, two] = await pair(subject);
      const { clock, keyTtlMs } = subject;
      const sentMonoMs = clock.monotonicMs();
      await one.announce(announcement("1"));
      await two.announce(announcement("2"));
      await wait(clock, keyTtlMs / 2);
      await two.announce(announcement("2"));
      const renewedMonoMs = clock.monotonicMs();
      await eventually(subject, async () => !(await bootIdsOf(two)).includes("1"));
      assert.ok(clock.monotonicMs() - sentMonoMs >= keyTtlMs, "it has not gone too early");
      if (clock.monotonicMs() - renewedMonoMs < keyTtlMs * 0.9) assert.deepEqual(await bootIdsOf(one), ["2"]);
      await eventually(subject, async () => (await bootIdsOf(one)).length === 0);
    },
  },
  {
    name: "a node that leaves removes its own keys and no others",
    async run(subject) {
      const [one, two] = await pair(subject);
      for (const bootId of ["1", "2"]) await one.announce(announcement(bootId));
      await one.withdraw(announcement("1").label);
      await one.withdraw("10.0.0.4:404");
      assert.deepEqual(await bootIdsOf(two), ["2"]);
    },
  },
  {
    name: "after a flush no node is seen until it announces itself again",
    async run(subject) {
      const [one, two] = await pair(subject);
      await one.announce(announcement("1"));
      await subject.flush();
      assert.deepEqual(await bootIdsOf(two), []);
      await one.announce(announcement("1"));
      assert.deepEqual(await bootIdsOf(two), ["1"]);
    },
  },
];

export const lockCases: CoordinationCase[] = [
  {
    name: "one candidate holds the lock and may extend it; when it gives it back, another may take it",
    async run(subject) {
      const [one, two] = await pair(subject);
      const { keyTtlMs } = subject;
      assert.equal(await one.campaign("1", keyTtlMs), "held");
      assert.equal(await two.campaign("2", keyTtlMs), "refused");
      assert.equal(await one.campaign("1", keyTtlMs), "held");
      await two.yieldLeadership();
      assert.equal(await two.campaign("2", keyTtlMs), "refused");
      await one.yieldLeadership();
      assert.equal(await two.campaign("2", keyTtlMs), "held");
      assert.equal(await one.campaign("1", keyTtlMs), "refused");
    },
  },
  {
    name: "a lock that is not extended goes to the next candidate once its time is over, and not before",
    async run(subject) {
      const [one, two] = await pair(subject);
      const { clock, keyTtlMs } = subject;
      const sentMonoMs = clock.monotonicMs();
      assert.equal(await one.campaign("1", keyTtlMs), "held");
      await eventually(subject, async () => (await two.campaign("2", keyTtlMs)) === "held");
      assert.ok(clock.monotonicMs() - sentMonoMs >= keyTtlMs, "it has not gone too early");
      assert.equal(await one.campaign("1", keyTtlMs), "refused");
    },
  },
  {
    name: "an extension counts from the instant at which it was made",
    async run(subject) {
      const [one, two] = await pair(subject);
      const { clock, keyTtlMs } = subject;
      assert.equal(await one.campaign("1", keyTtlMs), "held");
      await wait(clock, keyTtlMs / 2);
      const extendedMonoMs = clock.monotonicMs();
      assert.equal(await one.campaign("1", keyTtlMs), "held");
      await eventually(subject, async () => (await two.campaign("2", keyTtlMs)) === "held");
      assert.ok(clock.monotonicMs() - extendedMonoMs >= keyTtlMs, "it has not gone too early");
    },
  },
  {
    name: "a holder whose lock was flushed learns it at its next extension, and may then take it anew",
    async run(subject) {
      const [one, two] = await pair(subject);
      const { keyTtlMs } = subject;
      assert.equal(await one.campaign("1", keyTtlMs), "held");
      await subject.flush();
      assert.equal(await one.campaign("1", keyTtlMs), "refused");
      assert.equal(await one.campaign("1", keyTtlMs), "held");
      assert.equal(await two.campaign("2", keyTtlMs), "refused");
    },
  },
  {
    name: "a holder whose lock went to another neither extends it nor gives it back, without an error",
    async run(subject) {
      const [one, two] = await pair(subject);
      const { keyTtlMs } = subject;
      assert.equal(await one.campaign("1", keyTtlMs), "held");
      await subject.flush();
      assert.equal(await two.campaign("2", keyTtlMs), "held");
      await one.yieldLeadership();
      assert.deepEqual(one.health(), { available: true, detail: null });
      assert.equal(await one.campaign("1", keyTtlMs), "refused");
      assert.equal(await two.campaign("2", keyTtlMs), "held");
    },
  },
];
