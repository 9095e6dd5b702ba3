import { describe, expect, test } from "@jest/globals";
import type { OrderHistory, StartRow } from "../histories/histories.js";
import { punctualityOf } from "./takeover.js";

const KILL = { node: "dead", at: 50_000 };

function historyOf(cancelAt: number, starts: Pick<StartRow, "node" | "fence" | "at">[]): OrderHistory {
  const rows = starts.map((each) => ({ ...each, attempt: each.fence, dueAt: cancelAt }));
  const rest = { orderId: "a", isPaidInTime: false, payment: null, effects: [], paidWhileRunningOn: null };
  return { ...rest, cancelAt, starts: rows };
}

describe("the punctuality of an order", () => {
  test("an order's punctuality is nothing when it never started", () => {
    expect(punctualityOf(historyOf(60_000, []), KILL)).toBeNull();
  });

  test("an order's punctuality counts from its due time to its first start, in whatever order the rows come", () => {
    const starts = [
      { node: "a", fence: 2, at: 40_900 },
      { node: "a", fence: 1, at: 40_003 },
    ];
    expect(punctualityOf(historyOf(40_000, starts), KILL)).toEqual({ kind: "normal", latenessMs: 3 });
    expect(punctualityOf(historyOf(40_000, starts), null)).toEqual({ kind: "normal", latenessMs: 3 });
  });

  test("an order's punctuality is pending from the kill until 10 s after it, on whatever node", () => {
    const kindAt = (due: number) => punctualityOf(historyOf(due, [{ node: "a", fence: 1, at: due + 7 }]), KILL);
    expect(kindAt(49_999)).toEqual({ kind: "normal", latenessMs: 7 });
    expect(kindAt(50_000)).toEqual({ kind: "pending", latenessMs: 7 });
    expect(kindAt(60_000)).toEqual({ kind: "pending", latenessMs: 7 });
    expect(kindAt(60_001)).toEqual({ kind: "normal", latenessMs: 7 });
  });

  test("an order's punctuality is running, counted from the kill, when the killed node had started it", () => {
    const starts = [
      { node: "dead", fence: 1, at: 49_001 },
      { node: "a", fence: 2, at: 57_500 },
    ];
    expect(punctualityOf(historyOf(49_000, starts), KILL)).toEqual({ kind: "running", latenessMs: 7_500 });
  });

  test("an order's punctuality is running when the killed node had claimed it but not started it", () => {
    const starts = [{ node: "a", fence: 2, at: 57_500 }];
    expect(punctualityOf(historyOf(50_002, starts), KILL)).toEqual({ kind: "running", latenessMs: 7_500 });
  });

  test("an order's punctuality is normal when the killed node had finished it", () => {
    const starts = [{ node: "dead", fence: 1, at: 49_001 }];
    expect(punctualityOf(historyOf(49_000, starts), KILL)).toEqual({ kind: "normal", latenessMs: 1 });
  });

  test("an order's punctuality is normal for a second attempt that a surviving node made of its own first one", () => {
    const starts = [
      { node: "a", fence: 1, at: 48_001 },
      { node: "a", fence: 2, at: 51_000 },
    ];
    expect(punctualityOf(historyOf(48_000, starts), KILL)).toEqual({ kind: "normal", latenessMs: 1 });
  });
});
