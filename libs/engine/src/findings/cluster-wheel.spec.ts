import { describe, expect, test } from "@jest/globals";
import { SLOT_COUNT, type View, WHEEL_SECONDS, type WheelReading } from "@tickwheel/core";
import { RendezvousOwnership } from "@tickwheel/coordination";
import { clusterWheelOf } from "./cluster-wheel.js";
import { MAX_DIVISIONS, SlotOwnersKeeper, slotOwnersOf } from "./slot-owners.js";

/** Nodes `1`, `2`, … with the types that each runs. */
function ownershipOf(...typesOfNodes: number[][]): RendezvousOwnership {
  const nodes = typesOfNodes.map((typeIds, index) => ({ bootId: String(index + 1), label: `n${index + 1}`, typeIds }));
  return new RendezvousOwnership({ number: 7, term: 1, nodes } as unknown as View, "1");
}

const seconds = (...dues: number[]): number[] => Array.from({ length: WHEEL_SECONDS }, (_, index) => dues[index] ?? 0);

describe("who owns each slot, for figures", () => {
  test("the owner of each slot for figures is what ownership says, for each type and slot", () => {
    const ownership = ownershipOf([1, 2], [1, 2, 3], [2]);
    const { types, divisions, isWhole, viewNumber } = slotOwnersOf(ownership);
    expect({ isWhole, viewNumber }).toEqual({ isWhole: true, viewNumber: 7 });
    expect(new Set(types.map(({ typeId }) => typeId))).toEqual(new Set([1, 2, 3]));
    for (const { typeId, division } of types) {
      for (let slot = 0; slot < SLOT_COUNT; slot++) {
        const owner = ownership.nodes[divisions[division]![slot]!]!;
        expect(owner.bootId).toBe(ownership.ownerOf(typeId, slot));
      }
    }
  });

  test("types that the same nodes run share one division of the slots for figures", () => {
    const { types, divisions } = slotOwnersOf(ownershipOf([1, 2, 3], [1, 2, 3]));
    expect([types.length, divisions.length]).toEqual([3, 1]);
  });

  test("more divisions of the slots than are told leave types out, and say so", () => {
    const apart = Array.from({ length: MAX_DIVISIONS + 2 }, (_, index) => [index]);
    const { types, divisions, isWhole } = slotOwnersOf(ownershipOf(...apart));
    expect([types.length, divisions.length, isWhole]).toEqual([MAX_DIVISIONS, MAX_DIVISIONS, false]);
  });

  test("the owners of the slots for figures are computed once for each view", () => {
    const keeper = new SlotOwnersKeeper();
    const ownership = ownershipOf([1]);
    expect(keeper.of(ownership)).toBe(keeper.of(ownership));
    expect(keeper.of(ownershipOf([1]))).not.toBe(keeper.of(ownership));
  });
});

describe("the wheel of the cluster", () => {
  const ownership = ownershipOf([1], [1]);
  const reading: WheelReading = {
    countedAt: 1_000,
    incomplete: false,
    seconds: seconds(3, 0, 5).map((due) => ({ due, types: due > 0 ? [{ type: "mail", due }] : [] })),
    shares: [
      { owner: 1, dues: seconds(2, 0, 3), overdue: 4, nextDueAt: 1_200 },
      { owner: null, dues: seconds(1, 0, 2), overdue: 1, nextDueAt: 1_100 },
    ],
  };
  const seen = {
    owners: slotOwnersOf(ownership),
    nodes: ownership.nodes,
    status: { nodes: [] },
    capacity: { perSecond: 10, measured: true },
  };

  test("the wheel of the cluster is all shares together, the fullest seconds first, and the shares of the nodes", () => {
    const wheel = clusterWheelOf(reading, seen);
    expect(wheel.all).toEqual({ seconds: seconds(3, 0, 5), overdue: 5, nextDueAt: 1_100 });
    expect(wheel.fullest.map(({ inS, due }) => [inS, due])).toEqual([
      [3, 5],
      [1, 3],
    ]);
    expect(wheel.nodes).toEqual([
      { bootId: "2", label: "n2", inMemory: null, seconds: seconds(2, 0, 3), overdue: 4, nextDueAt: 1_200 },
      { bootId: "1", label: "n1", inMemory: null, seconds: seconds(), overdue: 0, nextDueAt: null },
    ]);
    expect(wheel.nobody).toEqual({ seconds: seconds(1, 0, 2), overdue: 1, nextDueAt: 1_100 });
  });

  test("the wheel of the cluster is incomplete where the count was, or where not all types have a share", () => {
    expect(clusterWheelOf(reading, seen).incomplete).toBe(false);
    expect(clusterWheelOf({ ...reading, incomplete: true }, seen).incomplete).toBe(true);
    const owners = { ...seen.owners, isWhole: false };
    expect(clusterWheelOf(reading, { ...seen, owners }).incomplete).toBe(true);
  });
});
