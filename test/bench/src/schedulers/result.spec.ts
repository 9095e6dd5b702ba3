import { describe, expect, test } from "@jest/globals";
import { faultsOf, ratiosOf, resultOf } from "./result.js";
import { sampleOf } from "./sample.js";

const late = (ms: number): { p50: number; p95: number; p99: number; max: number } => ({
  p50: ms,
  p95: ms,
  p99: ms,
  max: ms,
});

describe("the result of a contestant", () => {
  test("the result of a contestant holds medians, sums of what went wrong, and all repetitions", () => {
    const reps = [
      sampleOf({ perSecond: 10, latenessMs: late(1), cpuSeconds: 3, lost: 1, figures: { tasks: 5 } }),
      sampleOf({ perSecond: 30, latenessMs: late(9), cpuSeconds: 1, early: 2 }),
      sampleOf({ perSecond: 20, latenessMs: late(2), cpuSeconds: 2, lost: 1, figures: { tasks: 7 } }),
    ];
    expect(resultOf({ peer: "bullmq", settings: "best" }, reps)).toEqual({
      peer: "bullmq",
      settings: "best",
      perSecond: 20,
      latenessMs: late(2),
      cpuSeconds: 2,
      lost: 2,
      early: 2,
      duplicates: 0,
      figures: { tasks: 6 },
      reps,
    });
  });

  test("the result of a contestant holds the medians of cells, of those repetitions that have them", () => {
    const reps = [
      sampleOf({ cpuSeconds: 1, cells: { one: { starts: 1 }, two: { starts: 10 } } }),
      sampleOf({ cpuSeconds: 1, cells: { one: { starts: 3, claims: 7 } } }),
    ];
    const { cells } = resultOf({ peer: "tickwheel", settings: "defaults" }, reps);
    expect(cells).toEqual({ one: { starts: 2, claims: 7 }, two: { starts: 10 } });
  });

  test("the result of a contestant has no figure that was not measured", () => {
    const result = resultOf({ peer: "tickwheel", settings: "defaults" }, [sampleOf({ cpuSeconds: 1 })]);
    expect(result).toMatchObject({ perSecond: null, latenessMs: { p50: null, max: null } });
  });
});

describe("results beside each other", () => {
  const ours = resultOf({ peer: "tickwheel", settings: "defaults" }, [sampleOf({ perSecond: 30, cpuSeconds: 1 })]);
  const best = resultOf({ peer: "pg-boss", settings: "best" }, [
    sampleOf({ perSecond: 20, cpuSeconds: 1, duplicates: 3 }),
  ]);
  const defaults = resultOf({ peer: "pg-boss", settings: "defaults" }, [sampleOf({ perSecond: 1, cpuSeconds: 1 })]);

  test("results beside each other give ratios to the best settings, or to the defaults where only those ran", () => {
    expect(ratiosOf([ours, best, defaults])).toEqual({ "pg-boss": 1.5 });
    expect(ratiosOf([ours, defaults])).toEqual({ "pg-boss": 30 });
    expect(ratiosOf([best])).toEqual({});
  });

  test("results beside each other name the faults that must not be", () => {
    expect(faultsOf([ours, best])).toEqual(["pg-boss (best): 3 duplicates"]);
  });
});
