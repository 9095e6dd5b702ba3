import { expect, test } from "@jest/globals";
import type { RateInput } from "@tickwheel/contract";
import { toLimitValues } from "./limit-changes.js";

test("limits that are absent from a change stay, and null takes a limit away", () => {
  expect(Object.keys(toLimitValues({}))).toEqual([]);
  expect(toLimitValues({ maxRunning: 5 })).toEqual({ maxRunning: 5 });
  expect(toLimitValues({ maxRunning: null, rate: null })).toEqual({ maxRunning: null, rate: null });
});

test.each<[RateInput, object]>([
  [
    { count: 100, per: "1s" },
    { count: 100, perMs: 1_000, burst: 100 },
  ],
  [
    { count: 6_000, per: "1m" },
    { count: 6_000, perMs: 60_000, burst: 100 },
  ],
  [
    { count: 90, per: "1m" },
    { count: 90, perMs: 60_000, burst: 2 },
  ],
  [
    { count: 1, per: "15m" },
    { count: 1, perMs: 900_000, burst: 1 },
  ],
  [
    { count: 1, per: 1.6, burst: null },
    { count: 1, perMs: 2, burst: 500 },
  ],
  [
    { count: 1, per: "1d", burst: 20 },
    { count: 1, perMs: 86_400_000, burst: 20 },
  ],
])("a rate of %j lets a second's starts go at once, or as many as its burst says", (given, rate) => {
  expect(toLimitValues({ rate: given })).toEqual({ rate });
});
