import { describe, expect, test } from "@jest/globals";
import { type CountEvidence, countFaultsOf, type Ends } from "./count-accounts.js";

const ends = (change: Partial<Ends> = {}): Ends => ({
  minute: "12:00",
  type: "default order",
  succeeded: 3,
  skipped: 1,
  cancelled: 2,
  expired: 1,
  ...change,
});
const EQUAL: CountEvidence = { told: [ends()], rows: [ends()], doubts: 0, recounted: 0, unarchived: 0 };
const NONE = { succeeded: 0, skipped: 0, cancelled: 0, expired: 0 };

describe("the judge of counters", () => {
  test("the judge of counters finds nothing where they equal the rows, or tell of a minute in which nothing ended", () => {
    expect(countFaultsOf(EQUAL)).toEqual([]);
    expect(countFaultsOf({ ...EQUAL, told: [ends(), ends({ minute: "12:01", ...NONE })] })).toEqual([]);
  });

  test.each<[string, Partial<CountEvidence>, number]>([
    ["an end that is not counted", { told: [ends({ succeeded: 2 })] }, 1],
    ["a cancel that is counted twice", { told: [ends({ cancelled: 4 })] }, 1],
    ["a skip that is counted as a mere success", { told: [ends({ skipped: 0 })] }, 1],
    ["an end that is counted for another minute", { told: [ends({ minute: "12:01" })] }, 8],
    ["ends of another type", { rows: [ends(), ends({ ...NONE, type: "default bill", expired: 1 })] }, 1],
    ["a minute in doubt", { doubts: 1 }, 1],
    ["an ended task that is not in history", { unarchived: 1 }, 1],
  ])("the judge of counters finds %s", (_what, planted, count) => {
    expect(countFaultsOf({ ...EQUAL, ...planted })).toHaveLength(count);
  });
});
