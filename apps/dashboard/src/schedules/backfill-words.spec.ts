import { describe, expect, test } from "@jest/globals";
import type { BackfillInstant, ScheduleBackfill } from "../api/wire.js";
import { localTime } from "../time/wall-clock.js";
import { fateWords, planWords, progressWords, rangeOf } from "./backfill-words.js";

const instant = (fields: Partial<BackfillInstant> = {}): BackfillInstant => {
  return { at: "2026-11-24T02:30:00.000Z", fate: "ready", skipped: null, ...fields };
};
const plan = (fields: Partial<ScheduleBackfill>): ScheduleBackfill => {
  return { dryRun: true, count: 0, instants: [], more: false, ...fields };
};

describe("a backfill in words", () => {
  test("the words of a backfill say how many runs would be made, or why none", () => {
    expect(planWords(plan({ count: 1, instants: [instant()] }))).toMatch(/^1 run would be made/);
    expect(planWords(plan({ count: 2, instants: [instant(), instant()] }))).toMatch(/^2 runs would be made/);
    expect(planWords(plan({}))).toBe("The range has no instant.");
    expect(planWords(plan({ instants: [instant({ fate: "ran" })] }))).toBe("Nothing would run.");
    expect(planWords(plan({ count: 1, instants: [instant()], more: true }))).toContain("more than 1 instants");
  });

  test("the words of a backfill say of each instant what becomes of it", () => {
    expect(fateWords(instant({ skipped: "OVERLAP" }))).toBe("was skipped: the run before still went on");
    expect(fateWords(instant({ skipped: "BEFORE_CREATION" }))).toContain("before the schedule was made");
    expect(fateWords(instant())).toBe("has not run");
    expect(fateWords(instant({ fate: "ran" }))).toContain("left out");
    expect(fateWords(instant({ fate: "unknown" }))).toContain("may have run");
  });

  test("the words of a backfill say how far it has come", () => {
    const progress = { from: "", to: "", since: "", by: "ann", count: 4 };
    expect(progressWords({ ...progress, left: 3 })).toBe("A backfill goes on: 3 of its 4 runs wait.");
    expect(progressWords({ ...progress, left: 1 })).toBe("A backfill goes on: 1 of its 4 runs waits.");
    expect(progressWords({ ...progress, left: 0 })).toBe("A backfill goes on: the last of its 4 runs is due.");
  });

  test("a backfill has a range once both its ends are typed", () => {
    const at = Date.UTC(2026, 10, 24, 2, 30);
    expect(rangeOf(localTime(at), localTime(at + 60_000))).toEqual({
      from: "2026-11-24T02:30:00.000Z",
      to: "2026-11-24T02:31:00.000Z",
    });
    expect(rangeOf("", localTime(at))).toBeNull();
  });
});
