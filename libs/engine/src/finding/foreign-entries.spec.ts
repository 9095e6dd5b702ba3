import { describe, expect, test } from "@jest/globals";
import { atLoad, NO_VIEW_LOADED } from "./foreign-entries.js";

/** The loads (each at an instant, by a view) at which the entries of others are dropped. */
function dropsAt(...loads: [atMonoMs: number, viewNumber: number][]): number[] {
  let loaded = NO_VIEW_LOADED;
  return loads.flatMap(([nowMonoMs, viewNumber]) => {
    const next = atLoad(loaded, { viewNumber, nowMonoMs, reloadIntervalMs: 5_000 });
    loaded = next.loaded;
    return next.dropsForeign ? [nowMonoMs] : [];
  });
}

describe("entries that a new view gives to others", () => {
  test("entries that a new view gives to others are dropped once, at the load a reload interval after the first load by it", () => {
    expect(dropsAt([0, 1], [5_000, 1], [10_000, 1])).toEqual([5_000]);
  });

  test("entries that a new view gives to others stay however often the node is woken to load in between", () => {
    expect(dropsAt([0, 1], [1, 1], [2_000, 1], [4_999, 1], [7_000, 1], [8_000, 1])).toEqual([7_000]);
  });

  test("entries that a new view gives to others wait for the newest view that has come meanwhile", () => {
    expect(dropsAt([0, 1], [4_000, 2], [5_000, 2], [9_000, 2])).toEqual([9_000]);
  });

  test("entries are not dropped before there is a view that gives them to others", () => {
    expect(dropsAt([0, 0], [5_000, 0], [10_000, 0])).toEqual([]);
  });
});
