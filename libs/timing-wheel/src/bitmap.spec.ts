import { describe, expect, test } from "@jest/globals";
import { Bitmap } from "./bitmap.js";

describe("Bitmap", () => {
  test("an empty bitmap has no first slot", () => {
    expect(new Bitmap(4096).first()).toBe(-1);
  });

  test("each slot of a bitmap, set alone, is the first one, and cleared leaves none", () => {
    for (const slotCount of [2, 32, 64, 4096]) {
      const bitmap = new Bitmap(slotCount);
      for (let slot = 0; slot < slotCount; slot++) {
        bitmap.set(slot);
        expect(bitmap.first()).toBe(slot);
        bitmap.clear(slot);
        expect(bitmap.first()).toBe(-1);
      }
    }
  });

  test("the lowest slot of a bitmap is the first, across words and across words of the summary", () => {
    const slots = [0, 1, 31, 32, 1023, 1024, 2047, 4095];
    const bitmap = new Bitmap(4096);
    for (const slot of slots.toReversed()) bitmap.set(slot);
    const found = slots.map(() => {
      const first = bitmap.first();
      bitmap.clear(first);
      return first;
    });
    expect(found).toEqual(slots);
  });

  test("a range of a bitmap is cleared at once, and tells which of its slots were occupied", () => {
    const bitmap = new Bitmap(2048);
    for (const slot of [1023, 1024, 1026, 1031, 1032]) bitmap.set(slot);
    expect(bitmap.clearRange(1024, 8) >>> 24).toBe(0b10100001);
    expect(bitmap.clearRange(1024, 8)).toBe(0);
    expect([bitmap.first(), bitmap.clearRange(1016, 8) >>> 24]).toEqual([1023, 1]);
    expect([bitmap.first(), bitmap.clearRange(1032, 1) >>> 31]).toEqual([1032, 1]);
    expect(bitmap.first()).toBe(-1);
  });

  test("a slot of a bitmap stays occupied while its neighbours in the same word are cleared", () => {
    const bitmap = new Bitmap(64);
    bitmap.set(40);
    bitmap.set(41);
    bitmap.clear(40);
    expect(bitmap.first()).toBe(41);
  });
});
