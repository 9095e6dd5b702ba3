import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { definitionOf } from "../../test-support/definitions.js";
import { Instants } from "./instants.js";
import { jitterMs } from "./jitter.js";
import { instantOfWallTime, wallTimeOf } from "./wall-times.js";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

describe("instants at a fixed rate", () => {
  const rate = (anchorAt: number): Instants =>
    new Instants(definitionOf({ spec: { kind: "every", everyMs: MINUTE, anchorAt } }));

  test("instants at a fixed rate are the anchor and whole steps from it, in both directions", () => {
    const instants = rate(7_000);
    expect([instants.next(7_000), instants.next(6_999), instants.next(-1)]).toEqual([67_000, 7_000, 7_000]);
    expect([instants.previous(7_000), instants.previous(7_001), instants.previous(67_000)]).toEqual([
      -53_000, 7_000, 7_000,
    ]);
  });
});

describe("a window", () => {
  test("the window of a schedule has its start and lacks its end", () => {
    const window = { startsAt: 10 * HOUR, endsAt: 12 * HOUR };
    const instants = new Instants(definitionOf({ window }));
    expect([...instants.forward(0)]).toEqual([10 * HOUR, 11 * HOUR]);
    expect([...instants.backward(99 * HOUR)]).toEqual([11 * HOUR, 10 * HOUR]);
  });
});

describe("excluded days", () => {
  test("excluded days are those of the zone, and are passed over in one step", () => {
    const everySecond = { kind: "every" as const, everyMs: 1_000, anchorAt: 0 };
    const exclude = ["2024-10-27", "2024-10-28"];
    const instants = new Instants(definitionOf({ spec: everySecond, exclude, timeZone: "Europe/Berlin" }));
    const start = Date.UTC(2024, 9, 26, 22);
    const end = Date.UTC(2024, 9, 28, 23);
    expect([instants.isExcluded(start - 1), instants.isExcluded(start)]).toEqual([false, true]);
    expect(instants.nextToRun(start - 1_000)).toBe(end);
    expect(instants.has(start)).toBe(false);
  });
});

describe("the jitter", () => {
  test("the jitter of an instant is the same wherever it is asked, and another for another instant", () => {
    const range = { scheduleId: "s", at: 1_000, mostMs: 1_000_000 };
    // The first 52 bits of SHA-256 of "s:1000".
    expect(jitterMs(range)).toBe(177_196);
    expect(jitterMs(range)).not.toBe(jitterMs({ ...range, at: 2_000 }));
    expect(jitterMs(range)).not.toBe(jitterMs({ ...range, scheduleId: "t" }));
  });

  test("an instant with jitter never reaches the next instant and never comes before its own", () => {
    const arbitrary = fc.record({
      at: fc.integer({ min: 0, max: 10 ** 12 }),
      everyMs: fc.integer({ min: 1_000, max: DAY }),
    });
    fc.assert(
      fc.property(arbitrary, ({ at, everyMs }) => {
        const spec = { kind: "every" as const, everyMs, anchorAt: 0 };
        const instants = new Instants(definitionOf({ spec, policies: { jitterMs: 120_000 } }));
        const instant = instants.next(at)!;
        const dueAt = instants.dueAt(instant);
        expect(dueAt).toBeGreaterThanOrEqual(instant);
        expect(dueAt).toBeLessThan(Math.min(instant + everyMs, instant + 120_001));
        expect(instants.newestDueBy(dueAt)).toBe(instant);
        expect(instants.newestDueBy(dueAt - 1)).toBe(instants.previous(instant));
      }),
    );
  });

  test("the jitter is spread evenly", () => {
    const drawn = Array.from({ length: 4_000 }, (_, at) => jitterMs({ scheduleId: "s", at, mostMs: 3 }));
    for (const value of [0, 1, 2, 3]) expect(drawn.filter((each) => each === value).length).toBeGreaterThan(850);
  });
});

describe("the wall time of an occurrence", () => {
  const daily = definitionOf({ spec: { kind: "cron", cron: "30 2 * * *" }, timeZone: "Europe/Berlin" });

  test("the wall time of an occurrence is the one asked for, also where it was shifted out of a gap", () => {
    const shifted = Date.UTC(2024, 2, 31, 1);
    const wall = Date.UTC(2024, 2, 31, 2, 30);
    expect(wallTimeOf(daily, shifted)).toBe(wall);
    expect(instantOfWallTime(daily, { wall, plannedFor: shifted })).toBe(shifted);
  });

  test("the wall time of an occurrence leads to another instant where the rules changed, by the policies of gap and fold", () => {
    const wall = Date.UTC(2024, 6, 1, 2, 30);
    const underOldRules = Date.UTC(2024, 6, 1, 1, 30);
    expect(instantOfWallTime(daily, { wall, plannedFor: underOldRules })).toBe(Date.UTC(2024, 6, 1, 0, 30));
    const inFold = { wall: Date.UTC(2024, 9, 27, 2, 30), plannedFor: 0 };
    expect(instantOfWallTime(daily, inFold)).toBe(Date.UTC(2024, 9, 27, 0, 30));
    const last = definitionOf({ ...daily, policies: { fold: "last", gap: "skip" } });
    expect(instantOfWallTime(last, inFold)).toBe(Date.UTC(2024, 9, 27, 1, 30));
    expect(instantOfWallTime(last, { wall: Date.UTC(2024, 2, 31, 2, 30), plannedFor: 0 })).toBeNull();
  });
});
