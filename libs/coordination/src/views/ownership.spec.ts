import { describe, expect, test } from "@jest/globals";
import { newBootId, SLOT_COUNT, type View, type ViewNode } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { RendezvousOwnership } from "./ownership.js";

const TYPE = 1;
const slots = [...Array(SLOT_COUNT).keys()];

function nodesNamed(count: number, typeIds: readonly number[] = [TYPE]): ViewNode[] {
  const random = new SeededRandom(7);
  return Array.from({ length: count }, (_, index) => ({
    bootId: newBootId(random),
    label: `10.0.0.${index}:1`,
    typeIds,
  }));
}

function viewOf(nodes: readonly ViewNode[], number = 1): View {
  return { number, term: 1, nodes, publishedAt: 0 };
}

function ownersIn(nodes: readonly ViewNode[], typeId = TYPE): (string | null)[] {
  const ownership = new RendezvousOwnership(viewOf(nodes), null);
  return slots.map((slot) => ownership.ownerOf(typeId, slot));
}

describe("types", () => {
  const many = Array.from({ length: 40_000 }, (_, index) => index + 1);

  test("types that the same nodes run share one table of owners, and a bounded number of types is remembered", () => {
    const nodes = nodesNamed(3, many);
    const ownership = new RendezvousOwnership(viewOf(nodes), nodes[0]!.bootId);
    const tables = new Set(many.map((typeId) => ownership.mine(typeId)));
    expect(tables.size).toBe(1);
    const remembered = Object.values(ownership).filter((value) => value instanceof Map) as Map<unknown, unknown>[];
    expect(remembered.length).toBeGreaterThan(0);
    for (const { size } of remembered) expect(size).toBeLessThanOrEqual(1_024);
  });

  test("types have the same owners in any order of a node's list", () => {
    const [first, second] = nodesNamed(2, many) as [ViewNode, ViewNode];
    const mixed = { ...second, typeIds: [7, 40_000, 3, 9] };
    for (const typeId of [3, 7, 9, 40_000]) {
      expect(ownersIn([first, mixed], typeId)).toEqual(ownersIn([first, second], typeId));
    }
    for (const typeId of [4, 8, 39_999])
      expect(new Set(ownersIn([first, mixed], typeId))).toEqual(new Set([first.bootId]));
    expect(new Set(ownersIn([first, mixed], 40_001))).toEqual(new Set([null]));
  });
});

describe("who owns a slot", () => {
  test("each of ten nodes owns its share of the slots within a fifth", () => {
    const nodes = nodesNamed(10);
    for (const { bootId } of nodes) {
      const share = new RendezvousOwnership(viewOf(nodes), bootId).mine(TYPE).size / SLOT_COUNT;
      expect(Math.abs(share - 0.1)).toBeLessThan(0.02);
    }
  });

  test("nodes whose boot ids look alike share the slots evenly too", () => {
    const nodes = ["1", "2", "3"].map((bootId) => ({ bootId, label: bootId, typeIds: [TYPE] }));
    for (const { bootId } of nodes) {
      const { size } = new RendezvousOwnership(viewOf(nodes), bootId).mine(TYPE);
      expect(Math.abs(size - SLOT_COUNT / 3)).toBeLessThan(150);
    }
  });

  test("every slot has one owner, the same for all nodes and in any order of the view", () => {
    const nodes = nodesNamed(5);
    const owners = ownersIn(nodes);
    expect(ownersIn([...nodes].reverse())).toEqual(owners);
    for (const { bootId } of nodes) {
      const mine = new RendezvousOwnership(viewOf(nodes), bootId).mine(TYPE);
      expect([...mine]).toEqual(slots.filter((slot) => owners[slot] === bootId));
    }
  });

  test("only slots of a leaving node move away, and only slots of a new node move to it", () => {
    const nodes = nodesNamed(5);
    const all = ownersIn(nodes);
    const without = ownersIn(nodes.slice(0, 4));
    const moved = slots.filter((slot) => all[slot] !== without[slot]);
    expect(moved.every((slot) => all[slot] === nodes[4]!.bootId)).toBe(true);
    expect(moved.length).toBe(all.filter((owner) => owner === nodes[4]!.bootId).length);
    expect(moved.length).toBeGreaterThan(0);
  });

  test("only nodes that run a type own its slots, and a node's slots over all types are the union of these", () => {
    const [a, b, c] = nodesNamed(3) as [ViewNode, ViewNode, ViewNode];
    const nodes = [
      { ...a, typeIds: [1, 2] },
      { ...b, typeIds: [2, 1] },
      { ...c, typeIds: [2, 3] },
    ];
    const ofB = new RendezvousOwnership(viewOf(nodes), b.bootId);
    const ofC = new RendezvousOwnership(viewOf(nodes), c.bootId);
    expect(new Set(ownersIn(nodes, 1))).toEqual(new Set([a.bootId, b.bootId]));
    expect(new Set(ownersIn(nodes, 2))).toEqual(new Set([a.bootId, b.bootId, c.bootId]));
    expect(ofC.mine(1).size).toBe(0);
    expect(ofC.mineOrNobodys(1).size).toBe(0);
    expect(ofC.mine(3).size).toBe(SLOT_COUNT);
    expect(ofC.ownedSlots().size).toBe(SLOT_COUNT);
    const both = slots.filter((slot) => ofB.mine(1).has(slot) || ofB.mine(2).has(slot));
    expect([...ofB.ownedSlots()]).toEqual(both);
  });

  test("a slot of a type that no node runs has no owner, and without a view no slot has one", () => {
    const nodes = nodesNamed(2);
    const inView = new RendezvousOwnership(viewOf(nodes), nodes[0]!.bootId);
    const before = new RendezvousOwnership(null, nodes[0]!.bootId);
    for (const [ownership, typeId] of [
      [inView, 99],
      [before, TYPE],
    ] as const) {
      expect(ownership.mine(typeId).size).toBe(0);
      expect(ownership.mineOrNobodys(typeId).size).toBe(SLOT_COUNT);
      expect(ownership.ownerOf(typeId, 0)).toBeNull();
    }
    expect(before.viewNumber).toBe(0);
    expect(before.ownedSlots().size).toBe(0);
  });

  test("a node outside the view owns no slot", () => {
    const outside = new RendezvousOwnership(viewOf(nodesNamed(2)), "404");
    expect(outside.mine(TYPE).size).toBe(0);
    expect(outside.mineOrNobodys(TYPE).size).toBe(0);
    expect(outside.ownedSlots().size).toBe(0);
  });
});
