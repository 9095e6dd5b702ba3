import { expect, test } from "@jest/globals";
import { SLOT_COUNT } from "@tickwheel/core";
import { RendezvousOwnership } from "@tickwheel/coordination";
import { gainOf } from "./takeover.js";

const ownership = (number: number, ...bootIds: string[]) => {
  const nodes = bootIds.map((bootId) => ({ bootId, label: `n${bootId}`, typeIds: [1] }));
  return new RendezvousOwnership({ number, term: 1, nodes, publishedAt: 0 }, "1");
};
const all = (): boolean => true;

test("slots of a node that left the view come to the nodes that stay", () => {
  const before = ownership(1, "1", "2");
  const now = ownership(2, "1");
  const gain = gainOf(before, now, all)!;
  expect(gain.from).toEqual([{ bootId: "2", label: "n2", left: "SILENT" }]);
  expect(gain.slots.size).toBe(SLOT_COUNT - before.ownedCount);
  expect([...Array(SLOT_COUNT).keys()].filter((slot) => gain.slots.has(slot) && before.ownedSlots().has(slot))).toEqual(
    [],
  );
});

test("a node that asked to be left out is told from one that fell silent", () => {
  const gain = gainOf(ownership(1, "1", "2", "3"), ownership(2, "1"), (bootId) => bootId !== "3")!;
  expect(gain.from.map(({ left }) => left)).toEqual(["SILENT", "ASKED"]);
});

test("no slot is taken over at the first load, in the same view, or when a node only joins", () => {
  const view = ownership(1, "1", "2");
  expect(gainOf(null, view, all)).toBeNull();
  expect(gainOf(view, view, all)).toBeNull();
  expect(gainOf(view, ownership(2, "1", "2", "3"), all)).toBeNull();
});
