import { describe, expect, test } from "@jest/globals";
import { SlotSet } from "./slot-set.js";

describe("SlotSet", () => {
  test("a SlotSet holds what was added and nothing else", () => {
    const set = new SlotSet();
    for (const slot of [0, 7, 8, 4_095]) set.add(slot);
    expect([...set]).toEqual([0, 7, 8, 4_095]);
    expect(set.size).toBe(4);
    expect(set.has(1)).toBe(false);
  });

  test("a SlotSet counts bits from the right of each byte, as get_bit of Postgres does", () => {
    const set = new SlotSet();
    set.add(9);
    expect(set.bytes[1]).toBe(2);
  });

  test("a union of slot sets holds what is in either, and leaves both as they were", () => {
    const one = new SlotSet();
    const other = new SlotSet();
    for (const slot of [3, 9]) one.add(slot);
    for (const slot of [9, 4_000]) other.add(slot);
    expect([[...one.union(other)], [...one], [...other]]).toEqual([
      [3, 9, 4_000],
      [3, 9],
      [9, 4_000],
    ]);
  });

  test("the full slot set holds every slot", () => {
    expect(SlotSet.all().size).toBe(4_096);
  });
});
