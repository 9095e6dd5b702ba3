import { describe, expect, test } from "@jest/globals";
import type { ClusterWheel, WheelShare } from "../api/wire.js";
import { dueOf, shownWheel } from "./cluster-wheel.js";

const countedAt = "2026-11-21T03:00:00.000Z";
const shareOf = (...dues: number[]): WheelShare => ({
  seconds: Array.from({ length: 60 }, (_, second) => dues[second] ?? 0),
  overdue: 0,
  overdueAtLeast: false,
  nextDueAt: null,
});
const wheel: ClusterWheel = {
  countedAt,
  view: 1,
  incomplete: false,
  capacity: { perSecond: 10, measured: true },
  fullest: [],
  otherNodes: 0,
  all: { ...shareOf(4, 30), overdue: 5, overdueAtLeast: true },
  nodes: [
    { bootId: "1", label: "a", inMemory: 3, ...shareOf(4, 20), overdue: 2 },
    { bootId: "2", label: "b", inMemory: null, ...shareOf(0, 10) },
  ],
  nobody: shareOf(),
};
const lengthsOf = ({ bars }: { bars: readonly { path: string }[] }): number =>
  bars.filter(({ path }) => path !== "").length;

describe("the wheel of the cluster", () => {
  test("the wheel of the cluster shows the whole of it, with the first second that is over capacity", () => {
    const { all, share, facts, inMemory } = shownWheel(wheel, undefined);
    expect([all.due, share, inMemory]).toEqual([34, null, 3]);
    expect(facts).toMatchObject({
      overdue: 5,
      overdueAtLeast: true,
      over: { at: "2026-11-21T03:00:01.000Z", due: 30, lateMs: 2_000 },
    });
  });

  test("the wheel of a node is its share, to the scale of the whole cluster", () => {
    const { all, share, facts, inMemory } = shownWheel(wheel, "a");
    expect([all.due, share!.due, facts.overdue, inMemory]).toEqual([34, 24, 2, 3]);
    expect(share!.bars[0]).toEqual(all.bars[0]);
    expect(lengthsOf(shownWheel(wheel, "b").share!)).toBe(1);
    expect(shownWheel(wheel, "b").inMemory).toBeNull();
  });

  test("the wheel of a node that is not in the view is that of the whole cluster", () => {
    expect(shownWheel(wheel, "gone").share).toBeNull();
  });

  test("the wheel of the cluster tells what each node owns of the minute", () => {
    expect(["1", "2", "3"].map((bootId) => dueOf(wheel, bootId))).toEqual([24, 10, null]);
  });
});
