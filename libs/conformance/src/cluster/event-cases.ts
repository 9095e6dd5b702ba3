import assert from "node:assert/strict";
import {
  type BootId,
  type ClusterEvent,
  type ClusterEventQuery,
  FIRST_VITALS,
  type Leadership,
  type PastEvent,
} from "@tickwheel/core";
import { joinNode, labelOf, Scenario, unknownBootId } from "../subject/scenario.js";
import type { ConformanceCase, TaskStoreSubject } from "../subject/subject.js";

const SILENCE = { silentMs: 3_000, missedBeats: 3 };

async function read(subject: TaskStoreSubject, query: Partial<ClusterEventQuery>): Promise<ClusterEvent[]> {
  return (await subject.events().page({ limit: 200, ...query })).events;
}

/** What happened to a node, oldest first. */
async function told(subject: TaskStoreSubject, bootId: BootId): Promise<ClusterEvent[]> {
  return (await read(subject, { node: { bootId } })).reverse();
}

async function kindsOf(subject: TaskStoreSubject, bootId: BootId): Promise<string[]> {
  return (await told(subject, bootId)).map(({ kind }) => kind);
}

/** Takes the term, no matter which node holds it. */
async function lead(subject: TaskStoreSubject, candidate: BootId): Promise<Leadership> {
  const leader = await subject.cluster().takeTerm(candidate, await subject.cluster().readTerm());
  assert.ok(leader, "nobody else takes the term meanwhile");
  return leader;
}

async function beatOf(subject: TaskStoreSubject, bootId: BootId): Promise<number> {
  return (await subject.cluster().readBeats()).find((beat) => beat.bootId === bootId)!.beat;
}

const suspect = (bootId: BootId, agoMs = 0): PastEvent => ({
  kind: "SUSPECT",
  bootId,
  agoMs,
  facts: { ...SILENCE, seenBy: "leader" },
});
const recovered = (bootId: BootId): PastEvent => ({
  kind: "RECOVERED",
  bootId,
  agoMs: 0,
  facts: { seenBy: "leader" },
});
/** An event that leans on no other. */
const drained = (bootId: BootId, agoMs = 0): PastEvent => ({
  kind: "DRAINED",
  bootId,
  agoMs,
  facts: { lastedMs: agoMs, givenBack: 0 },
});

/** What happened to the cluster, as its transactions and its nodes have told it. */
export const eventCases: ConformanceCase[] = [
  {
    name: "a join is told with the node's version, places and types by name",
    async run(subject) {
      const { type } = await Scenario.open(subject);
      const bootId = unknownBootId();
      const node = { bootId, label: labelOf(bootId), name: "shop-1", version: "1.2.3", roles: ["engine"] };
      await subject.cluster().join({ ...node, typeIds: [type.id], places: 40 });
      const [event] = await told(subject, bootId);
      const { id, ...rest } = event!;
      assert.equal(typeof id, "string");
      assert.deepEqual(rest, {
        at: subject.now(),
        kind: "JOINED",
        bootId,
        label: labelOf(bootId),
        name: "shop-1",
        facts: { version: "1.2.3", types: [type.type], typeCount: 1, places: 40 },
      });
    },
  },
  {
    name: "a term is told with the holder before it, and a term that somebody else took is not told",
    async run(subject) {
      const first = await joinNode(subject);
      const second = await joinNode(subject);
      const old = await lead(subject, first);
      const seen = await subject.cluster().readTerm();
      const { term } = (await subject.cluster().takeTerm(second, seen))!;
      assert.equal(await subject.cluster().takeTerm(first, seen), null);
      const events = await read(subject, { kinds: ["TERM"], limit: 2 });
      assert.deepEqual(
        events.map(({ bootId, facts }) => ({ bootId, facts: { ...facts } })),
        [
          { bootId: second, facts: { term, before: { bootId: first, label: labelOf(first) } } },
          { bootId: first, facts: { ...events[1]!.facts, term: old.term } },
        ],
      );
    },
  },
  {
    name: "a view is told by the leader that published it, and a refused one is not told",
    async run(subject) {
      const leading = await joinNode(subject);
      const leader = await lead(subject, leading);
      const nodes = [{ bootId: leading, label: labelOf(leading), typeIds: [] }];
      const view = (await subject.cluster().publishView(nodes, leader))!;
      await subject.cluster().takeTerm(unknownBootId(), await subject.cluster().readTerm());
      assert.equal(await subject.cluster().publishView([], leader), null);
      const [event] = await read(subject, { kinds: ["VIEW"], limit: 1 });
      assert.deepEqual(
        [event?.bootId, { ...event?.facts }],
        [
          leading,
          {
            view: view.number,
            term: leader.term,
            nodeCount: 1,
            nodes: [{ bootId: leading, label: labelOf(leading) }],
          },
        ],
      );
    },
  },
  {
    name: "a death is told once, with its silence, its loop, whether it led, and the types that nobody runs any more",
    async run(subject) {
      const { type, namespace } = await Scenario.open(subject);
      const lonely = await subject.store().ensureType({ namespace, type: "report.make", delivery: "handler" });
      const bootId = await joinNode(subject, [type.id, lonely.id]);
      const heir = await joinNode(subject, [type.id]);
      await lead(subject, bootId);
      const leader = await lead(subject, heir);
      const blocked = { forMs: 5_100, running: [{ type: "order.cancel", count: 1 }], lastStarted: null };
      const beat = (await subject.cluster().beat(bootId, { ...FIRST_VITALS, blocked }))!.beat;
      const silence = { silentMs: 7_000, missedBeats: 7, suspectMs: 4_000 };
      for (let round = 0; round < 2; round++)
        assert.equal(await subject.cluster().declareDead({ bootId, beat, leader, silence }), "dead");
      const dead = (await told(subject, bootId)).filter(({ kind }) => kind === "DEAD");
      assert.deepEqual(
        dead.map(({ facts }) => facts),
        [{ ...silence, term: leader.term, led: true, blocked, orphanedTypes: [lonely.type] }],
      );
    },
  },
  {
    name: "a refused verdict tells no death",
    async run(subject) {
      const bootId = await joinNode(subject);
      const leading = await joinNode(subject);
      const leader = await lead(subject, leading);
      const beat = await beatOf(subject, bootId);
      await subject.cluster().beat(bootId, FIRST_VITALS);
      assert.equal(await subject.cluster().declareDead({ bootId, beat, leader }), "beat_moved");
      await lead(subject, bootId);
      assert.equal(await subject.cluster().declareDead({ bootId, beat: beat + 1, leader }), "not_leader");
      assert.ok(!(await kindsOf(subject, bootId)).includes("DEAD"));
    },
  },
  {
    name: "a drain and a goodbye are told once each, however often they are asked for",
    async run(subject) {
      const { type } = await Scenario.open(subject);
      const bootId = await joinNode(subject, [type.id]);
      for (let round = 0; round < 2; round++) await subject.cluster().startDraining(bootId);
      for (let round = 0; round < 2; round++) await subject.cluster().leave(bootId);
      assert.deepEqual(await kindsOf(subject, bootId), ["JOINED", "DRAINING", "LEFT"]);
      const left = (await told(subject, bootId)).at(-1)!;
      assert.deepEqual({ ...left.facts }, { orphanedTypes: [] });
    },
  },
  {
    name: "a silence is told once, no matter which node tells it, and its end only where it was told",
    async run(subject) {
      const bootId = await joinNode(subject);
      await subject.events().append([recovered(bootId)]);
      await subject.advance(1);
      await subject.events().append([suspect(bootId), suspect(bootId)]);
      await subject.advance(1);
      await subject.events().append([suspect(bootId)]);
      await subject.advance(1);
      await subject.events().append([recovered(bootId), suspect(bootId), recovered(bootId), recovered(bootId)]);
      const expected = ["JOINED", "SUSPECT", "RECOVERED", "SUSPECT", "RECOVERED"];
      assert.deepEqual(await kindsOf(subject, bootId), expected);
    },
  },
  {
    name: "an event is told as of when it happened, with its node's label",
    async run(subject) {
      const bootId = await joinNode(subject);
      await subject.advance(10_000);
      await subject.events().append([drained(bootId, 4_000)]);
      const [event] = await read(subject, { node: { bootId }, kinds: ["DRAINED"] });
      assert.deepEqual([event?.at, event?.label], [subject.now() - 4_000, labelOf(bootId)]);
      await subject.events().append([]);
      assert.equal((await told(subject, bootId)).length, 2);
    },
  },
  {
    name: "pages are newest first and go on where the one before ended, also within one instant",
    async run(subject) {
      const bootId = await joinNode(subject);
      const events = [0, 1, 1, 1, 2, 3].map((steps) => drained(bootId, steps * 10));
      await subject.events().append(events);
      const query = { node: { bootId }, kinds: ["DRAINED"] as const, limit: 2 };
      const pages: ClusterEvent[][] = [];
      for (let after: ClusterEventQuery["after"] | null; after !== null && pages.length < 9;) {
        const page = await subject.events().page({ ...query, after });
        pages.push(page.events);
        after = page.next;
      }
      const all = pages.flat();
      assert.deepEqual(
        pages.map(({ length }) => length),
        [2, 2, 2],
      );
      assert.deepEqual(
        all.map(({ at }) => subject.now() - at),
        [0, 10, 10, 10, 20, 30],
      );
      assert.equal(new Set(all.map(({ id }) => id)).size, events.length);
    },
  },
  {
    name: "events are found by kind, by boot id, by label and by time",
    async run(subject) {
      const one = await joinNode(subject);
      const other = await joinNode(subject);
      await subject.advance(1_000);
      await subject.events().append([drained(one), drained(other, 500), suspect(other)]);
      const now = subject.now();
      const find = async (query: Partial<ClusterEventQuery>): Promise<string[]> =>
        (await read(subject, query))
          .filter(({ bootId }) => bootId === one || bootId === other)
          .map(({ kind, bootId }) => `${kind} ${bootId === one ? "one" : "other"}`)
          .sort();
      assert.deepEqual(await find({ node: { label: labelOf(one) } }), ["DRAINED one", "JOINED one"]);
      const recent = { from: now - 500, to: now + 1 };
      assert.deepEqual(await find(recent), ["DRAINED one", "DRAINED other", "SUSPECT other"]);
      assert.deepEqual(await find({ from: now - 500, to: now }), ["DRAINED other"]);
      assert.deepEqual(await find({ ...recent, kinds: ["DRAINED", "DEAD"] }), ["DRAINED one", "DRAINED other"]);
      assert.deepEqual(await find({ node: { bootId: other }, kinds: ["SUSPECT"] }), ["SUSPECT other"]);
      assert.deepEqual(await find({ node: { label: "nobody" } }), []);
    },
  },
];
