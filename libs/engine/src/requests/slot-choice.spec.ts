import { describe, expect, test } from "@jest/globals";
import { slotOfKey, SlotSet, type View } from "@tickwheel/core";
import { RendezvousOwnership } from "@tickwheel/coordination";
import { SeededRandom } from "@tickwheel/testing";
import { SlotChoice } from "./slot-choice.js";

const view = {
  number: 1,
  term: 1,
  publishedAt: 0,
  nodes: ["1", "2"].map((bootId) => ({ bootId, label: bootId, typeIds: [5] })),
} satisfies View;
const wish = { namespace: "default", type: "t", typeId: 5, key: null, delayMs: 0 };

function chosen(ownership: RendezvousOwnership, more: Partial<typeof wish> & { key?: string | null } = {}): number[] {
  const choice = new SlotChoice(new SeededRandom(1));
  return Array.from({ length: 200 }, () => choice.choose({ ...wish, ...more } as typeof wish, ownership));
}

describe("the slot of a new task", () => {
  const mine = new RendezvousOwnership(view, "1");
  const isMine = (slot: number): boolean => mine.mine(5).has(slot);

  test("the slot of a new task is that of its key, on every node", () => {
    expect(new Set(chosen(mine, { key: "k" as unknown as null }))).toEqual(new Set([slotOfKey("default", "t", "k")]));
  });

  test("the slot of a new task is one of this node's if the task is due soon and has no key", () => {
    expect(chosen(mine).every(isMine)).toBe(true);
    expect(new Set(chosen(mine)).size).toBeGreaterThan(100);
  });

  test("the slot of a new task is any slot if the task is due later, or this node does not run the type", () => {
    expect(chosen(mine, { delayMs: 2_001 }).every(isMine)).toBe(false);
    expect(chosen(new RendezvousOwnership(view, "3")).every(isMine)).toBe(false);
  });

  test("the slot of a new task follows the view", () => {
    const choice = new SlotChoice(new SeededRandom(1));
    choice.choose(wish, mine);
    const other = new RendezvousOwnership(view, "2");
    const slots = new SlotSet();
    for (let count = 0; count < 100; count++) slots.add(choice.choose(wish, other));
    expect([...slots].some(isMine)).toBe(false);
  });
});
