import { describe, expect, test } from "@jest/globals";
import { SlotSet } from "@tickwheel/core";
import { slotRanges } from "./slot-ranges.js";

function setOf(...slots: number[]): SlotSet {
  const set = new SlotSet();
  for (const slot of slots) set.add(slot);
  return set;
}

describe("slot ranges", () => {
  test("neighbours of slots are joined into ranges and single slots stand alone", () => {
    expect(slotRanges(setOf(40, 0, 1, 2, 100, 101, 4_095))).toBe("0-2,40,100-101,4095");
  });

  test("no slot is an empty text and all slots are one range", () => {
    expect(slotRanges(new SlotSet())).toBe("");
    expect(slotRanges(SlotSet.all())).toBe("0-4095");
  });
});
