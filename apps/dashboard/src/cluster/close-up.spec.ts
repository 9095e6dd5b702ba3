import { describe, expect, test } from "@jest/globals";
import { deathOfC, eventOf, t0 } from "../../test-support/cluster-events.js";
import { closeUpOf, defaultEvent } from "./close-up.js";

const at = (seconds: number): number => t0 + seconds * 1_000;

describe("the close-up", () => {
  test.each(["SUSPECT", "DEAD", "TERM", "TAKEOVER", "REAPED"] as const)(
    "the close-up of a %s tells the whole takeover, to scale",
    (kind) => {
      const events = deathOfC();
      const closeUp = closeUpOf(
        events,
        events.find((event) => event.kind === kind)!,
      );
      expect(closeUp.lanes.map(({ node }) => node.label)).toEqual(["c", "b", "a"]);
      const [dead, heir, other] = closeUp.lanes;
      expect(dead!.segments.map((segment) => [segment.kind, segment.from, segment.until])).toEqual([
        ["silent", at(8.1), at(11.4)],
        ["suspect", at(11.4), at(15.5)],
      ]);
      expect(dead!.flags.map(({ text }) => text)).toEqual(["declared dead", "its tasks taken back"]);
      expect(heir!.segments).toEqual([{ from: at(15.65), until: at(16.5), kind: "loads", text: "loads" }]);
      expect(other!.note).toBe("+683 slots, 10 tasks late");
      expect(closeUp.takenOverMs).toBe(8_400);
    },
  );

  test("beats stand before the last beat of a dead node, misses behind it until its death", () => {
    const events = deathOfC();
    const { beats } = closeUpOf(events, events[0]!).lanes[0]!;
    expect(beats.filter(({ isMissed }) => !isMissed).at(-1)!.at).toBe(at(8.1));
    expect(beats.filter(({ isMissed }) => isMissed)).toHaveLength(7);
    expect(beats.at(-1)!.at).toBeLessThanOrEqual(at(15.5));
  });

  test("no beat stands in a close-up before the node has joined", () => {
    const joined = eventOf("JOINED", {
      atS: 7.5,
      label: "c",
      facts: { version: "1", types: ["t"], typeCount: 1, places: 1 },
    });
    const events = [...deathOfC(), joined];
    const { beats } = closeUpOf(events, events[0]!).lanes[0]!;
    expect(beats.filter(({ isMissed }) => !isMissed).map(({ at: beat }) => beat)).toEqual([at(8.1)]);
  });

  test("a silence that ended is shown in the close-up with its own end, not with a later one", () => {
    const events = [
      eventOf("SUSPECT", { atS: 3, label: "c", lastBeatS: 0, facts: { silentMs: 3_000, missedBeats: 3, seenBy: "a" } }),
      eventOf("RECOVERED", { atS: 4, label: "c", facts: { seenBy: "a" } }),
      eventOf("SUSPECT", {
        atS: 33,
        label: "c",
        lastBeatS: 30,
        facts: { silentMs: 3_000, missedBeats: 3, seenBy: "a" },
      }),
    ].reverse();
    const { segments } = closeUpOf(events, events[2]!).lanes[0]!;
    expect(segments.map(({ from, until }) => [from, until])).toEqual([
      [at(0), at(3)],
      [at(3), at(4)],
    ]);
  });

  test("a drain is as long in its close-up as it lasted", () => {
    const events = [
      eventOf("LEFT", { atS: 26, label: "c", facts: { orphanedTypes: [] } }),
      eventOf("DRAINED", { atS: 25, label: "c", facts: { lastedMs: 20_000, givenBack: 0 } }),
      eventOf("DRAINING", { atS: 5, label: "c", facts: {} }),
    ];
    const { lanes, takenOverMs } = closeUpOf(events, events[1]!);
    expect(lanes).toHaveLength(1);
    expect(lanes[0]!.segments).toEqual([{ from: at(5), until: at(25), kind: "drains", text: "drains" }]);
    expect(takenOverMs).toBeNull();
  });

  test("a death whose silence nobody measured has only its flag in the close-up", () => {
    const facts = { term: 9, led: false, blocked: null, orphanedTypes: [] };
    const events = [eventOf("DEAD", { atS: 5, label: "c", facts })];
    const { lanes, from, until } = closeUpOf(events, events[0]!);
    expect(lanes[0]).toMatchObject({ beats: [], segments: [], note: "" });
    expect([from, until]).toEqual([at(4), at(6)]);
  });

  test("the close-up is of the latest takeover or death unless another event is chosen", () => {
    const joined = eventOf("JOINED", {
      atS: 40,
      label: "d",
      facts: { version: "1", types: ["t"], typeCount: 1, places: 1 },
    });
    const events = [joined, ...deathOfC()];
    expect(defaultEvent(events)?.kind).toBe("TAKEOVER");
    expect(defaultEvent([joined])).toBe(joined);
    expect(defaultEvent([])).toBeNull();
  });
});
