import { expect, test } from "@jest/globals";
import { emptyHistory, historyAfter, historySpanMs, longestGapMs } from "./lateness-history.js";

const reading = (p50: number) => ({ p50, p99: p50 * 4, max: p50 * 10 });

test("readings are kept oldest first, in columns", () => {
  const one = historyAfter(emptyHistory, reading(1), 2_000);
  expect(historyAfter(one, reading(2), 4_000)).toEqual({ at: [2, 4], p50: [1, 2], p99: [4, 8], max: [10, 20] });
});

test("a minute in which nothing started is a hole, not a zero", () => {
  expect(historyAfter(emptyHistory, null, 2_000)).toEqual({ at: [2], p50: [null], p99: [null], max: [null] });
});

test("time in which nobody looked is a hole in the line", () => {
  const one = historyAfter(emptyHistory, reading(1), 2_000);
  const later = historyAfter(one, reading(2), 2_000 + longestGapMs + 1);
  expect(later.p50).toEqual([1, null, 2]);
  expect(later.at).toEqual([...later.at].sort((a, b) => a - b));
});

test("what is older than the span is forgotten", () => {
  const old = historyAfter(historyAfter(emptyHistory, reading(1), 1_000), reading(2), 3_000);
  const last = historyAfter(old, reading(3), 3_000 + historySpanMs);
  expect(last.p50).toEqual([2, null, 3]);
});

test("a clock that was set back adds nothing", () => {
  const one = historyAfter(emptyHistory, reading(1), 2_000);
  expect(historyAfter(one, reading(2), 2_000)).toBe(one);
});
