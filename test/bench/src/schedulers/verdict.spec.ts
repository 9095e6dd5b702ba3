import { describe, expect, test } from "@jest/globals";
import type { Runs } from "./contestants/run-log.js";
import { judge, latenessOf } from "./verdict.js";

const series = { first: 100, count: 4, dueAt: 5_000, everyMs: 2.5 };
const runsOf = (...starts: [number, number][]): Runs => ({
  numbers: Int32Array.from(starts.map(([n]) => n)),
  atMonoMs: Float64Array.from(starts.map(([, at]) => at)),
});
const CLEAN = { offsetMs: 4_000, pending: 0 };

describe("the verdict over starts", () => {
  test("the verdict over starts measures lateness against each task's due time, by the wall clock", () => {
    const runs = [runsOf([100, 1_001], [102, 1_005]), runsOf([103, 1_010], [101, 1_006])];
    expect(judge(runs, series, CLEAN)).toEqual({
      started: 4,
      lost: 0,
      early: 0,
      duplicates: 0,
      latenessMs: { p50: 1, p95: 4, p99: 4, max: 4 },
    });
  });

  test("the verdict over starts counts what is lost, early and doubled; the first start of a task counts", () => {
    const runs = [runsOf([100, 999], [101, 1_002], [101, 1_500])];
    expect(judge(runs, series, { ...CLEAN, pending: 1 })).toMatchObject({
      started: 2,
      lost: 1,
      early: 1,
      duplicates: 1,
      latenessMs: { max: 0 },
    });
  });

  test("the verdict over starts takes a start within the clocks' error for punctual", () => {
    expect(judge([runsOf([100, 999.95])], series, CLEAN).early).toBe(0);
  });

  test("the verdict over starts leaves out tasks of another series", () => {
    expect(judge([runsOf([99, 0], [104, 0])], series, CLEAN)).toMatchObject({ started: 0, lost: 4, latenessMs: null });
  });
});

test("percentiles are values that were measured", () => {
  const sorted = Float64Array.from({ length: 200 }, (_, i) => i + 1);
  expect(latenessOf(sorted)).toEqual({ p50: 100, p95: 190, p99: 198, max: 200 });
});
