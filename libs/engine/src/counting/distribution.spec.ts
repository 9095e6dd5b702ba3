import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Distribution } from "./distribution.js";

test("a value recorded in a distribution is within its bound, and above the bound before it", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.constantFrom(0.25, 1), (ms, unitMs) => {
      const distribution = new Distribution(unitMs);
      distribution.record(ms);
      const { bounds, counts, sum } = distribution.read();
      const bucket = counts.indexOf(1);
      expect(counts.length).toBe(bounds.length + 1);
      expect(ms / 1_000).toBeLessThanOrEqual(bounds[bucket] ?? Infinity);
      if (bucket > 0) expect(ms / 1_000).toBeGreaterThan(bounds[bucket - 1]!);
      expect(sum).toBeCloseTo(ms / 1_000, 9);
    }),
  );
});

test("two distributions added up are as if all values were recorded in one", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(300_000)), fc.array(fc.nat(300_000)), (some, others) => {
      const one = new Distribution();
      const other = new Distribution();
      const both = new Distribution();
      for (const ms of some) one.record(ms);
      for (const ms of others) other.record(ms);
      for (const ms of [...some, ...others]) both.record(ms);
      one.add(other);
      expect(one.read()).toEqual(both.read());
    }),
  );
});
