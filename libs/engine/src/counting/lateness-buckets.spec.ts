import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { LATENESS_BUCKETS, latenessBoundMs, latenessBucket } from "./lateness-buckets.js";

test("every lateness up to 12 days is at most its bucket's bound, which is less than an eighth above it", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 2 ** 30, noNaN: true }), (latenessMs) => {
      const boundMs = latenessBoundMs(latenessBucket(latenessMs));
      expect(boundMs).toBeGreaterThanOrEqual(latenessMs);
      expect(boundMs).toBeLessThanOrEqual(Math.max(Math.ceil(latenessMs), latenessMs * 1.125));
    }),
  );
});

test("the bounds of lateness buckets rise, are whole, and fit 32 bits", () => {
  const bounds = Array.from({ length: LATENESS_BUCKETS }, (_, bucket) => latenessBoundMs(bucket));
  expect(bounds.every((bound, place) => Number.isInteger(bound) && (place === 0 || bound > bounds[place - 1]!))).toBe(
    true,
  );
  expect(bounds.at(-1)).toBeLessThan(2 ** 31);
});

test.each([-1, Number.NaN, 0])("a lateness of %d is not late", (latenessMs) => {
  expect(latenessBucket(latenessMs)).toBe(0);
});

test.each([2 ** 40, Infinity])("a lateness of %d is in the last bucket", (latenessMs) => {
  expect(latenessBucket(latenessMs)).toBe(LATENESS_BUCKETS - 1);
});
