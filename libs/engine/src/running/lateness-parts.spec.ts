import { describe, expect, test } from "@jest/globals";
import { LATENESS_PARTS } from "@tickwheel/core";
import fc from "fast-check";
import type { ClaimedWay } from "../held/executions.js";
import { NEVER } from "../waiting/found-task.js";
import { latenessPartsOf } from "./lateness-parts.js";

interface Points {
  knownMonoMs?: number;
  readyMonoMs?: number;
  offeredMonoMs?: number;
  sentMonoMs?: number;
  answeredMonoMs?: number;
}

/** A task that was due at 1,000, in the wheel long before, and passed every point at its due time. */
function wayOf(points: Points = {}): ClaimedWay {
  const { knownMonoMs = 0, readyMonoMs = 1_000, offeredMonoMs = readyMonoMs, sentMonoMs = offeredMonoMs } = points;
  const found = { id: "a", foundBy: "wheel" as const, knownMonoMs, readyMonoMs, offeredMonoMs };
  return { found, claim: { sentMonoMs, answeredMonoMs: points.answeredMonoMs ?? sentMonoMs } };
}

const NONE = { known: 0, wheel: 0, place: 0, claim: 0, start: 0, clockErrorUs: 0, takenFrom: null };
const started = (points: Points, startMonoMs: number, placelessMonoMs = 0) =>
  latenessPartsOf({ way: wayOf(points), placelessMonoMs, startMonoMs, latenessMs: startMonoMs - 1_000 });

describe("the lateness of a start in parts", () => {
  test.each([
    ["nothing, of a task that was claimed ahead", { readyMonoMs: 980, answeredMonoMs: 990 }, 1_000, NONE],
    ["known, where no node knew of it", { knownMonoMs: 1_070, readyMonoMs: 1_070 }, 1_070, { ...NONE, known: 70 }],
    ["wheel, where it left the wheel late", { readyMonoMs: 1_070 }, 1_070, { ...NONE, wheel: 70 }],
    ["claim, where another claim was in flight", { offeredMonoMs: 1_070 }, 1_070, { ...NONE, claim: 70 }],
    ["place, where a claim was possible but no place", { sentMonoMs: 1_070 }, 1_070, { ...NONE, place: 70 }],
    ["claim, where the answer took its time", { answeredMonoMs: 1_070 }, 1_070, { ...NONE, claim: 70 }],
    ["start, from the answer on", {}, 1_070, { ...NONE, start: 70 }],
  ] as [string, Points, number, typeof NONE][])(
    "the lateness of a start in parts is %s",
    (...[, points, startMonoMs, parts]) => {
      expect(started(points, startMonoMs)).toEqual(parts);
    },
  );

  test("the lateness of a start counts the wait for a place behind a claim as a wait for a place", () => {
    expect(started({ answeredMonoMs: 1_010 }, 1_070, 1_015)).toEqual({ ...NONE, claim: 10, start: 5, place: 55 });
  });

  test("the parts of a lateness add up exactly, none is negative, and a delay of one stage moves one part alone", () => {
    const instant = fc.double({ min: 0, max: 5_000, noNaN: true });
    const point = fc.oneof(instant, fc.constant(NEVER));
    fc.assert(
      fc.property(
        fc.record({ knownMonoMs: instant, readyMonoMs: instant, offeredMonoMs: point, sentMonoMs: instant }),
        fc.record({
          answeredMonoMs: instant,
          placelessMonoMs: fc.oneof(instant, fc.constant(0)),
          startMonoMs: instant,
        }),
        fc.nat(5_000),
        (before, after, latenessMs) => {
          const way = wayOf({ ...before, answeredMonoMs: after.answeredMonoMs });
          const parts = latenessPartsOf({ way, ...after, latenessMs });
          const values = LATENESS_PARTS.map((part) => parts[part]);
          expect(values.reduce((sum, value) => sum + value, 0)).toBe(latenessMs);
          expect(values.every((value) => Number.isInteger(value) && value >= 0)).toBe(true);
        },
      ),
    );
  });
});
