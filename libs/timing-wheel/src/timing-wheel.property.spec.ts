import { describe, expect, test } from "@jest/globals";
import { runEverySequence } from "../test-support/wheel-runs.js";
import { WHEEL_GEOMETRIES, type WheelStep } from "../test-support/wheel-step.js";
import { WheelBesideList, WheelDisagreement } from "../test-support/wheel-beside-list.js";
import fc from "fast-check";
import { TimingWheel } from "./timing-wheel.js";

const CAPACITY = 24;

/** Offsets from now that lie at and around what matters to a geometry: its slots, its levels, its range, the past. */
function anyOffset(spans: readonly number[]): fc.Arbitrary<number> {
  const near = fc.integer({ min: -6, max: 6 });
  const far = fc
    .tuple(fc.constantFrom(...spans), fc.nat({ max: 3 }), near)
    .map(([span, times, by]) => span * times + by);
  return fc.oneof(
    near,
    far,
    near.map((offset) => offset + 0.25),
  );
}

function anyStep(spans: readonly number[]): fc.Arbitrary<WheelStep> {
  const offset = anyOffset(spans);
  const pick = fc.nat({ max: 1000 });
  const limit = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(1000));
  const budget = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(Infinity));
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("insert" as const), offset, priority: fc.nat({ max: 2 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("reschedule" as const), pick, offset }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), pick }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("poll" as const), offset, limit, budget }) },
  );
}

describe("TimingWheel beside a sorted list", () => {
  for (const { name, options, spans } of WHEEL_GEOMETRIES) {
    test.each(["insertion", "priority"] as const)(
      `any sequence of calls on ${name} gives the same as a sorted list (order: %s)`,
      (orderWithinTick) => {
        fc.assert(
          fc.property(fc.array(anyStep(spans), { maxLength: 150, size: "max" }), (steps) => {
            const all = { ...options, orderWithinTick, capacity: CAPACITY };
            const subject = new WheelBesideList(new TimingWheel(all), all);
            for (const step of steps) subject.run(step);
            subject.finish();
          }),
          { numRuns: 100 },
        );
      },
    );
  }

  test("every sequence of four calls on two levels of four slots gives the same as a sorted list", () => {
    const options = { slotBits: 2, levels: 2, capacity: 4 };
    expect(runEverySequence(4, () => new WheelBesideList(new TimingWheel(options), options))).toBe(38_416);
  });

  test("a wheel that forgets a timer, fires one early or lets a stale handle act does not pass beside a sorted list", () => {
    const broken: Partial<TimingWheel>[] = [
      { cancel: () => true },
      { reschedule: () => true },
      { poll: () => 0 },
      { nextExpiryTick: () => 1_000 },
    ];
    for (const override of broken) {
      const wheel = Object.assign(new TimingWheel({ capacity: CAPACITY }), override);
      const subject = new WheelBesideList(wheel, { capacity: CAPACITY });
      expect(() => {
        for (let count = 0; count < 3; count++) subject.run({ kind: "insert", offset: 3, priority: 5 });
        subject.run({ kind: "cancel", pick: 0 });
        subject.run({ kind: "reschedule", pick: 0, offset: 5 });
        subject.finish();
      }).toThrow(WheelDisagreement);
    }
  });
});
