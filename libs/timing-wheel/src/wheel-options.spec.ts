import { describe, expect, test } from "@jest/globals";
import { TimingWheel } from "./timing-wheel.js";
import { resolveOptions, type TimingWheelOptions } from "./wheel-options.js";

describe("the options of a wheel", () => {
  test("the options of a wheel all have a default", () => {
    expect(resolveOptions({})).toEqual({
      capacity: 16_777_216,
      slotBits: 12,
      levels: 4,
      startTick: 0,
      orderWithinTick: "insertion",
    });
  });

  const faults: [string, TimingWheelOptions][] = [
    ["capacity", { capacity: 0 }],
    ["capacity", { capacity: 2 ** 24 + 1 }],
    ["capacity", { capacity: NaN }],
    ["slotBits", { slotBits: 0 }],
    ["slotBits", { slotBits: 13 }],
    ["slotBits", { slotBits: 2.5 }],
    ["levels", { levels: 0 }],
    ["levels", { levels: 5 }],
    ["levels", { slotBits: 7, levels: 7 }],
    ["startTick", { startTick: -1 }],
    ["startTick", { startTick: 2 ** 53 }],
    ["orderWithinTick", { orderWithinTick: "random" as "insertion" }],
  ];
  test.each(faults)("a wrong option %s of a wheel is refused by name: %p", (name, options) => {
    expect(() => resolveOptions(options)).toThrow(RangeError);
    expect(() => resolveOptions(options)).toThrow(new RegExp(`^${name} must be`));
  });

  test("the widest geometries of a wheel that are allowed work", () => {
    for (const geometry of [
      { slotBits: 1, levels: 48 },
      { slotBits: 6, levels: 8 },
      { slotBits: 12, levels: 4 },
    ]) {
      const wheel = new TimingWheel({ ...geometry, capacity: 1 });
      wheel.insert(2 ** 48 - 1, 7);
      const out = new Float64Array(1);
      expect(wheel.poll(2 ** 48 - 2, out)).toBe(0);
      expect(wheel.poll(2 ** 48 - 1, out)).toBe(1);
    }
  });

  test("a wheel of the default capacity does not commit its memory up front", () => {
    // The least of some: what else this process takes meanwhile is not the wheel's.
    const grownBytes = Array.from({ length: 4 }, () => {
      const before = process.memoryUsage().rss;
      expect(new TimingWheel().stats().capacity).toBe(16_777_216);
      return process.memoryUsage().rss - before;
    });
    expect(Math.min(...grownBytes)).toBeLessThan(64 * 1024 * 1024);
  });
});
