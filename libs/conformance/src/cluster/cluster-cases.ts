import assert from "node:assert/strict";
import { FIRST_VITALS, type BootId, hasLeft, type Leadership } from "@tickwheel/core";
import { joinNode, labelOf, Scenario, unknownBootId } from "../subject/scenario.js";
import type { ConformanceCase, TaskStoreSubject } from "../subject/subject.js";

/** More nodes than any suite starts. */
const MANY_NODES = 1_000_000;

async function stateOf(subject: TaskStoreSubject, bootId: BootId): Promise<string | null> {
  return (await subject.cluster().readNodes()).find((node) => node.bootId === bootId)?.state ?? null;
}

async function beatOf(subject: TaskStoreSubject, bootId: BootId) {
  return (await subject.cluster().readBeats()).find((beat) => beat.bootId === bootId) ?? null;
}

/** Takes the term, no matter which node holds it. */
async function lead(subject: TaskStoreSubject, candidate = unknownBootId()): Promise<Leadership> {
  const leader = await subject.cluster().takeTerm(candidate, await subject.cluster().readTerm());
  assert.ok(leader, "nobody else takes the term meanwhile");
  return leader;
}

export const nodeCases: ConformanceCase[] = [
  {
    name: "a node that joins is live, with its label, roles, types and a heartbeat",
    async run(subject) {
      const { type } = await Scenario.open(subject);
      const bootId = await joinNode(subject, [type.id]);
      const node = (await subject.cluster().readNodes()).find((record) => record.bootId === bootId);
      assert.deepEqual(
        { ...node },
        {
          bootId,
          label: labelOf(bootId),
          version: "1.0.0",
          roles: ["engine"],
          typeIds: [type.id],
          state: "live",
          joinedAt: subject.now(),
        },
      );
      const beat = await beatOf(subject, bootId);
      assert.deepEqual([beat?.label, typeof beat?.beat], [labelOf(bootId), "number"]);
    },
  },
  {
    name: "a node's session is held from its first beat on, and others' are not",
    async run(subject) {
      const bootId = await joinNode(subject);
      const other = await joinNode(subject);
      assert.equal((await beatOf(subject, bootId))?.session?.isHeld, false);
      await subject.cluster().beat(bootId, FIRST_VITALS);
      await subject.cluster().beat(bootId, FIRST_VITALS);
      const held = (await beatOf(subject, bootId))?.session;
      const free = (await beatOf(subject, other))?.session;
      assert.deepEqual([held?.isHeld, free?.isHeld], [true, false]);
      assert.ok(held?.server === free?.server && held?.server !== "");
    },
  },
  {
    name: "each beat counts one more and tells the node's vitals",
    async run(subject) {
      const bootId = await joinNode(subject);
      const first = (await beatOf(subject, bootId))?.beat ?? NaN;
      const numbers = { view: 3, term: 2, loopLagMs: 1.5, clockOffsetMs: -2.5, inFlight: 4 };
      const vitals = { ...FIRST_VITALS, ...numbers, leaving: true, signsWebhooks: true };
      assert.equal((await subject.cluster().beat(bootId, FIRST_VITALS))?.beat, first + 1);
      assert.equal((await subject.cluster().beat(bootId, vitals))?.beat, first + 2);
      const beat = await beatOf(subject, bootId);
      assert.deepEqual([beat?.beat, { ...beat?.vitals }], [first + 2, vitals]);
    },
  },
  {
    name: "a node without a heartbeat row beats in vain",
    async run(subject) {
      const bootId = await joinNode(subject);
      await subject.cluster().leave(bootId);
      assert.equal(await subject.cluster().beat(bootId, FIRST_VITALS), null);
      assert.equal(await subject.cluster().beat(unknownBootId(), FIRST_VITALS), null);
      assert.equal(await beatOf(subject, bootId), null);
    },
  },
  {
    name: "a live node may change the types that it runs; a draining, dead or unknown one may not",
    async run(subject) {
      const { type } = await Scenario.open(subject);
      const bootId = await joinNode(subject);
      assert.equal(await subject.cluster().updateTypes(bootId, [type.id]), true);
      const node = (await subject.cluster().readNodes()).find((record) => record.bootId === bootId);
      assert.deepEqual(node?.typeIds, [type.id]);
      await subject.cluster().startDraining(bootId);
      assert.equal(await subject.cluster().updateTypes(bootId, []), false);
      await subject.cluster().leave(bootId);
      assert.equal(await subject.cluster().updateTypes(bootId, []), false);
      assert.equal(await subject.cluster().updateTypes(unknownBootId(), []), false);
    },
  },
  {
    name: "only a live node can start draining, and it goes on beating",
    async run(subject) {
      const bootId = await joinNode(subject);
      assert.equal(await subject.cluster().startDraining(bootId), true);
      assert.equal(await stateOf(subject, bootId), "draining");
      assert.equal(await subject.cluster().startDraining(bootId), false);
      assert.notEqual(await subject.cluster().beat(bootId, FIRST_VITALS), null);
      await subject.cluster().leave(bootId);
      assert.equal(await subject.cluster().startDraining(bootId), false);
      assert.equal(await subject.cluster().startDraining(unknownBootId()), false);
      assert.equal(await stateOf(subject, bootId), "dead");
    },
  },
  {
    name: "a goodbye makes a live or draining node dead and takes its roles, and may be repeated",
    async run(subject) {
      const live = await joinNode(subject);
      const draining = await joinNode(subject);
      await subject.cluster().startDraining(draining);
      for (const bootId of [live, draining, live]) await subject.cluster().leave(bootId);
      assert.deepEqual([await stateOf(subject, live), await stateOf(subject, draining)], ["dead", "dead"]);
      const rows = (await subject.cluster().readNodes()).filter(({ bootId }) => [live, draining].includes(bootId));
      assert.deepEqual(rows.map(hasLeft), [true, true]);
    },
  },
  {
    name: "a leader declares a node dead whose beat stood still; the node then claims and beats no more",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const { id } = await scene.create();
      const leader = await lead(subject);
      const beat = (await beatOf(subject, scene.node))?.beat ?? NaN;
      assert.equal(await subject.cluster().declareDead({ bootId: scene.node, beat, leader }), "dead");
      assert.equal(await stateOf(subject, scene.node), "dead");
      const row = (await subject.cluster().readNodes()).find(({ bootId }) => bootId === scene.node)!;
      assert.equal(hasLeft(row), false);
      assert.equal(await subject.cluster().beat(scene.node, FIRST_VITALS), null);
      const reply = await scene.store.claim({ owner: scene.node, ids: [id], claimAheadMs: 0 });
      assert.deepEqual({ ...reply }, { fenced: true, tasks: [] });
    },
  },
  {
    name: "a verdict over a node that has beaten since changes nothing",
    async run(subject) {
      const bootId = await joinNode(subject);
      const leader = await lead(subject);
      const beat = (await beatOf(subject, bootId))?.beat ?? NaN;
      await subject.cluster().beat(bootId, FIRST_VITALS);
      assert.equal(await subject.cluster().declareDead({ bootId, beat, leader }), "beat_moved");
      assert.equal(await stateOf(subject, bootId), "live");
      assert.notEqual(await subject.cluster().beat(bootId, FIRST_VITALS), null);
    },
  },
  {
    name: "a verdict of a deposed leader changes nothing",
    async run(subject) {
      const bootId = await joinNode(subject);
      const old = await lead(subject);
      await lead(subject);
      const beat = (await beatOf(subject, bootId))?.beat ?? NaN;
      assert.equal(await subject.cluster().declareDead({ bootId, beat, leader: old }), "not_leader");
      assert.equal(await stateOf(subject, bootId), "live");
      assert.notEqual(await subject.cluster().beat(bootId, FIRST_VITALS), null);
    },
  },
  {
    name: "tasks that a dead node had claimed stay running under its name until they are reaped",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const execution = await scene.running();
      await subject.cluster().leave(scene.node);
      assert.equal(await scene.state(execution.id), "running");
      await scene.succeed(execution);
    },
  },
  {
    name: "dead nodes except the newest are forgotten once nothing runs under them; tasks and journals still name them",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const owner = await scene.join();
      const idle = await scene.join();
      const draining = await scene.join();
      const finished = await scene.running({}, owner);
      await scene.succeed(finished);
      const execution = await scene.running({}, owner);
      for (const bootId of [owner, idle]) await subject.cluster().leave(bootId);
      await subject.cluster().startDraining(draining);
      const leader = await scene.lead();
      const stale = { ...leader, term: leader.term - 1 };
      assert.equal(await subject.cluster().forgetDeadNodes(stale, 0), 0);
      assert.equal(await subject.cluster().forgetDeadNodes(leader, MANY_NODES), 0);
      assert.ok((await subject.cluster().forgetDeadNodes(leader, 0)) >= 1);
      const states = async () => Promise.all([owner, idle, draining, scene.node].map((id) => stateOf(subject, id)));
      assert.deepEqual(await states(), ["dead", null, "draining", "live"]);
      assert.equal((await scene.get(execution.id)).node, labelOf(owner));
      await scene.reap(owner);
      assert.ok((await subject.cluster().forgetDeadNodes(leader, 0)) >= 1);
      assert.deepEqual(await states(), [null, null, "draining", "live"]);
      assert.equal((await scene.get(finished.id)).node, labelOf(owner));
      const [, claimed, ended] = await scene.journal(finished.id);
      assert.deepEqual([claimed!.node, ended!.node], [labelOf(owner), labelOf(owner)]);
    },
  },
  {
    name: "tasks that run under a node without a row are found and reaped",
    async run(subject) {
      const scene = await Scenario.open(subject);
      const owner = await scene.join();
      const execution = await scene.running({}, owner);
      await subject.cluster().leave(owner);
      assert.ok((await scene.store.deadOwners()).includes(owner));
      assert.deepEqual(
        (await scene.reap(owner)).map(({ hint }) => hint.id),
        [execution.id],
      );
    },
  },
];

export const termCases: ConformanceCase[] = [
  {
    name: "when several candidates saw the same term, one takes it, with the next number",
    async run(subject) {
      const seen = await subject.cluster().readTerm();
      const candidates = [unknownBootId(), unknownBootId(), unknownBootId()];
      const taken = await Promise.all(candidates.map((candidate) => subject.cluster().takeTerm(candidate, seen)));
      const [leader, ...more] = taken.filter((leadership) => leadership !== null);
      assert.deepEqual(more, []);
      assert.equal(leader?.term, seen.term + 1);
      assert.ok(candidates.includes(leader?.holder ?? ""));
      const term = await subject.cluster().readTerm();
      assert.deepEqual([term.term, term.holder], [leader?.term, leader?.holder]);
    },
  },
  {
    name: "a term that moved since it was seen is not taken",
    async run(subject) {
      const leader = await lead(subject);
      const seen = await subject.cluster().readTerm();
      assert.equal(await subject.cluster().keepTerm(leader), true);
      assert.equal(await subject.cluster().takeTerm(unknownBootId(), seen), null);
      assert.equal(await subject.cluster().keepTerm(leader), true);
    },
  },
  {
    name: "each keep raises the beat, and a deposed leader keeps nothing",
    async run(subject) {
      const old = await lead(subject);
      const before = await subject.cluster().readTerm();
      await subject.cluster().keepTerm(old);
      const kept = await subject.cluster().readTerm();
      assert.deepEqual(kept, { ...before, beat: before.beat + 1 });
      const young = await lead(subject);
      const term = await subject.cluster().readTerm();
      assert.equal(await subject.cluster().keepTerm(old), false);
      await subject.cluster().clearTerm(old);
      assert.deepEqual(await subject.cluster().readTerm(), term);
      assert.equal(await subject.cluster().keepTerm(young), true);
    },
  },
  {
    name: "a term that its leader cleared has no holder and is taken at once",
    async run(subject) {
      const leader = await lead(subject);
      await subject.cluster().clearTerm(leader);
      const cleared = await subject.cluster().readTerm();
      assert.deepEqual([cleared.term, cleared.holder], [leader.term, null]);
      assert.equal(await subject.cluster().keepTerm(leader), false);
      const next = await subject.cluster().takeTerm(unknownBootId(), cleared);
      assert.equal(next?.term, leader.term + 1);
    },
  },
  {
    name: "views of the newest term get rising numbers and are read as published",
    async run(subject) {
      const leader = await lead(subject);
      const nodes = [{ bootId: unknownBootId(), label: "10.0.0.1:4711", typeIds: [3, 1] }];
      const first = await subject.cluster().publishView(nodes, leader);
      const second = await subject.cluster().publishView([], leader);
      const third = await subject.cluster().publishView(nodes, await lead(subject));
      assert.ok(first && second && third);
      assert.ok(first.number >= 1);
      assert.deepEqual([second.number, third.number], [first.number + 1, first.number + 2]);
      assert.deepEqual(
        { ...first },
        {
          number: first.number,
          term: leader.term,
          nodes,
          publishedAt: subject.now(),
        },
      );
      assert.deepEqual(await subject.cluster().readView(), third);
      assert.equal(third.term, leader.term + 1);
    },
  },
  {
    name: "a deposed leader publishes no view",
    async run(subject) {
      const old = await lead(subject);
      await lead(subject);
      const before = await subject.cluster().readView();
      assert.equal(await subject.cluster().publishView([], old), null);
      assert.deepEqual(await subject.cluster().readView(), before);
    },
  },
];
