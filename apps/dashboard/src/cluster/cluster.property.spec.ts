import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { eventOf, nodeOf, t0 } from "../../test-support/cluster-events.js";
import type { ClusterEvent, ClusterEventFacts, ClusterEventKind } from "../api/wire.js";
import { closeUpOf } from "./close-up.js";
import { eventWords } from "./event-words.js";
import { eventsAfter, mostEvents } from "./known-events.js";
import { namesOf } from "../nodes/node-names.js";
import { timeLineOf } from "./time-line.js";

const from = [{ bootId: "boot-a", label: "a", left: "SILENT" as const }];
const facts: ClusterEventFacts = {
  JOINED: { version: "1.0.0", types: ["x", "y", "z"], typeCount: 3, places: 0 },
  TERM: { term: 3, before: { bootId: "boot-b", label: "b" } },
  VIEW: { view: 4, term: 3, nodes: [{ bootId: "boot-b", label: "b" }], nodeCount: 2 },
  TAKEOVER: { view: 4, from, slots: 1, loadMs: 900, late: 0 },
  SUSPECT: { silentMs: 3_000, missedBeats: 3, seenBy: "b" },
  RECOVERED: { seenBy: "b" },
  DEAD: {
    term: 3,
    led: false,
    blocked: { forMs: 5_000, running: [], lastStarted: null },
    orphanedTypes: ["x", "y", "z", "u"],
  },
  REAPED: { nodes: ["boot-a"], tasks: 2, dead: 1 },
  DRAINING: {},
  DRAINED: { lastedMs: 20_000, givenBack: 1 },
  LEFT: { orphanedTypes: ["x"] },
  SETTINGS_CHANGED: {
    actor: "ann",
    timeline: 1,
    number: 7,
    change: "PAUSED",
    of: "TYPE",
    namespace: "shop",
    type: "x",
    until: null,
  },
  BREAKER_OPENED: { namespace: "shop", type: "x", forMs: 60_000 },
  BREAKER_CLOSED: { namespace: "shop", type: "x", openedAt: t0 - 60_000, actor: null },
};

/** Any events in any order: also such as no cluster would tell. */
const anEvent = fc
  .record({
    kind: fc.constantFrom(...(Object.keys(facts) as ClusterEventKind[])),
    atS: fc.integer({ min: -30, max: 30 }),
    label: fc.constantFrom("a", "b", "c", null),
    hasBeat: fc.boolean(),
  })
  .map(({ kind, atS, label, hasBeat }): ClusterEvent =>
    eventOf(kind, { atS, label, facts: facts[kind], lastBeatS: hasBeat ? atS - 3 : undefined }),
  );
const someEvents = fc.array(anEvent, { maxLength: 40 });
const newestFirst = (events: readonly ClusterEvent[]) => eventsAfter(null, { events, isCut: false }, 0).events;
const start = t0 - 60_000;
const end = t0 + 60_000;

test("all that a cluster's time line shows lies within it, and a lane's spans do not overlap", () => {
  fc.assert(
    fc.property(someEvents, (events) => {
      const cluster = { nodes: [nodeOf("a"), nodeOf("b")], leader: { node: "b", bootId: "boot-b", term: 3 } };
      for (const { spans, leads, marks } of timeLineOf({
        events,
        cluster,
        from: start,
        until: end,
        nameOf: namesOf({ nodes: [] }),
      }).lanes) {
        for (const { from: begin, until } of [...spans, ...leads]) {
          expect(begin).toBeGreaterThanOrEqual(start);
          expect(until).toBeLessThanOrEqual(end);
          expect(until).toBeGreaterThanOrEqual(begin);
        }
        spans.slice(1).forEach((span, index) => expect(span.from).toBeGreaterThanOrEqual(spans[index]!.until));
        for (const { at } of marks) expect(Math.abs(at - t0)).toBeLessThanOrEqual(60_000);
      }
    }),
  );
});

test("all that a close-up of an event shows lies within it", () => {
  fc.assert(
    fc.property(fc.array(anEvent, { minLength: 1, maxLength: 40 }), fc.nat(), (events, place) => {
      const known = newestFirst(events);
      const focus = known[place % known.length]!;
      const { from: begin, until, lanes } = closeUpOf(known, focus);
      expect(begin).toBeLessThan(Date.parse(focus.at));
      expect(until).toBeGreaterThan(Date.parse(focus.at));
      for (const { beats, segments, flags } of lanes) {
        const instants = [...beats, ...flags].map(({ at }) => at);
        for (const at of [...instants, ...segments.flatMap((one) => [one.from, one.until])]) {
          expect(at).toBeGreaterThanOrEqual(begin);
          expect(at).toBeLessThanOrEqual(until);
        }
      }
    }),
  );
});

test("events of the cluster are known once, newest first, whatever is read again", () => {
  fc.assert(
    fc.property(someEvents, fc.nat({ max: 40 }), (events, count) => {
      const first = eventsAfter(null, { events: events.slice(0, count), isCut: false }, 0);
      const all = eventsAfter(first, { events, isCut: false }, 0).events;
      expect(new Set(all.map(({ id }) => id)).size).toBe(events.length);
      expect(all).toEqual(newestFirst(events));
      const times = all.map(({ at }) => Date.parse(at));
      expect(times).toEqual([...times].sort((one, other) => other - one));
    }),
  );
});

test("every event of the cluster has words without a hole in them", () => {
  fc.assert(
    fc.property(anEvent, (event) => {
      const { text, note, icon, state } = eventWords(event, {
        nameOf: namesOf({ nodes: [], events: [event] }),
        actorName: String,
      });
      for (const words of [text, note]) expect(words).not.toMatch(/undefined|null|NaN|\[object/);
      expect([text, icon, state].every((words) => words !== "")).toBe(true);
    }),
  );
});

test("a list of events that is too long keeps the newest, and tells that it is cut", () => {
  const events = Array.from({ length: mostEvents + 5 }, (_, index) =>
    eventOf("DRAINING", { atS: index, label: "a", facts: {} }),
  );
  const known = eventsAfter(null, { events, isCut: false }, 0);
  expect(known.events).toHaveLength(mostEvents);
  expect(known.isCut).toBe(true);
  expect(known.events[0]).toBe(events.at(-1));
  expect(eventsAfter(known, { events: [], isCut: false }, t0 + 10_000).isCut).toBe(false);
});
