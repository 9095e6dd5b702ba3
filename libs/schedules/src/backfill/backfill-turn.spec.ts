import { describe, expect, test } from "@jest/globals";
import type { BackfillState } from "../store/schedule-store.js";
import { BACKFILLED_KEPT, backfillTurn, endedBackfill } from "./backfill-turn.js";

const started = (left: number[], { from = 0, to = 100 } = {}): BackfillState => ({
  backfill: { from, to, count: left.length, left, since: 0, by: "ann" },
  backfilled: [],
});

describe("a backfill's turn", () => {
  test("a backfill's turn takes one instant after the other, and notes how far it has come", () => {
    const first = backfillTurn(started([10, 20]), false);
    expect(first.at).toBe(10);
    expect(first.state).toMatchObject({ backfill: { left: [20], count: 2 }, backfilled: [{ from: 0, to: 11 }] });
    expect(backfillTurn(first.state, true)).toEqual({ state: first.state, at: null });
    const second = backfillTurn(first.state, false);
    expect([second.at, second.state.backfilled]).toEqual([20, [{ from: 0, to: 100 }]]);
    expect(backfillTurn(second.state, true).state.backfill).not.toBeNull();
    expect(backfillTurn(second.state, false)).toEqual({
      state: { backfill: null, backfilled: [{ from: 0, to: 100 }] },
      at: null,
    });
  });

  test("a backfill that ends by hand makes the run that never began open again, and nothing else", () => {
    const { state } = backfillTurn(started([10, 20]), false);
    expect(endedBackfill(state, 10)).toEqual({ backfill: null, backfilled: [{ from: 0, to: 10 }] });
    expect(endedBackfill(state, null)).toEqual({ backfill: null, backfilled: [{ from: 0, to: 11 }] });
    expect(endedBackfill(backfillTurn(started([0]), false).state, 0).backfilled).toEqual([{ from: 0, to: 100 }]);
  });

  test("a backfill remembers few ranges: ranges that touch are one, and beyond the bound the nearest become one", () => {
    let state: BackfillState = { backfill: null, backfilled: [] };
    for (let index = 0; index <= BACKFILLED_KEPT; index++) {
      const from = index * 1_000 + (index === 8 ? -500 : 0);
      const asked = { ...started([from], { from, to: from + 100 }).backfill! };
      state = backfillTurn({ ...state, backfill: asked }, false).state;
    }
    expect(state.backfilled).toHaveLength(BACKFILLED_KEPT);
    expect(state.backfilled).toContainEqual({ from: 7_000, to: 7_600 });
    const touching = { ...started([100], { from: 100, to: 1_000 }).backfill! };
    const { backfilled } = backfillTurn({ ...state, backfill: touching }, false).state;
    expect(backfilled[0]).toEqual({ from: 0, to: 1_100 });
  });
});
