import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type HalfOpenRange, MAX_RANGES, type RangeCut, splitRange } from "./split-range.js";

const cuts = fc.oneof(
  fc.integer({ min: 1, max: MAX_RANGES }).map((parts) => ({ parts })),
  fc.integer({ min: 1, max: MAX_RANGES }).map((count) => ({ count })),
);
const numbers = fc.tuple(fc.maxSafeInteger(), fc.oneof(fc.nat(3_000), fc.maxSafeNat())).map(([one, width]) => {
  const other = Math.min(one + width, Number.MAX_SAFE_INTEGER);
  return { from: one, to: other };
});
const bigints = fc
  .tuple(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.bigInt({ min: 0n, max: 2n ** 71n }))
  .map(([from, width]) => ({ from, to: from + width }));

/** A size that gives at most so many ranges. */
function cutOf(cut: { parts: number } | { count: number }, width: bigint): RangeCut {
  if ("parts" in cut) return cut;
  const size = (width + BigInt(cut.count) - 1n) / BigInt(cut.count);
  return { size: size < 1n ? 1n : size };
}

function requireCover<Bound extends number | bigint>(range: HalfOpenRange<Bound>, parts: HalfOpenRange<Bound>[]): void {
  if (range.from === range.to) return expect(parts).toEqual([]);
  expect([parts[0]!.from, parts.at(-1)!.to]).toEqual([range.from, range.to]);
  const broken = parts.filter(({ from, to }, at) => from >= to || (at > 0 && from !== parts[at - 1]!.to));
  expect(broken).toEqual([]);
}

function requireSizes(cut: RangeCut, ranges: HalfOpenRange<bigint>[]): void {
  const sizes = ranges.map(({ from, to }) => to - from);
  const rising = sizes.toSorted((one, other) => (one < other ? -1 : 1));
  if (sizes.length === 0) return;
  if ("parts" in cut) {
    expect(sizes.length).toBeLessThanOrEqual(cut.parts);
    expect(rising.at(-1)! - rising[0]! <= 1n).toBe(true);
  } else {
    const last = sizes.pop()!;
    expect(last <= cut.size).toBe(true);
    expect(sizes.every((size) => size === BigInt(cut.size))).toBe(true);
  }
}

test("the ranges of numbers cover the whole without gap and overlap, as many and as large as was asked for", () => {
  fc.assert(
    fc.property(numbers, cuts, (range, asked) => {
      const cut = cutOf(asked, BigInt(range.to) - BigInt(range.from));
      const ranges = splitRange(range, cut);
      requireCover(range, ranges);
      requireSizes(
        cut,
        ranges.map(({ from, to }) => ({ from: BigInt(from), to: BigInt(to) })),
      );
    }),
  );
});

test("the ranges of bigints cover the whole without gap and overlap, too, beyond what a number can tell", () => {
  fc.assert(
    fc.property(bigints, cuts, (range, asked) => {
      const cut = cutOf(asked, range.to - range.from);
      const ranges = splitRange(range, cut);
      requireCover(range, ranges);
      requireSizes(cut, ranges);
    }),
  );
});

test("a row with microseconds belongs to exactly one range whose bounds are milliseconds", () => {
  const milliseconds = fc.tuple(fc.integer({ min: 0, max: 2_000_000_000_000 }), fc.integer({ min: 1, max: 5_000 }));
  const rows = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(milliseconds, fc.integer({ min: 1, max: 50 }), rows, ([from, width], parts, places) => {
      const ranges = splitRange({ from, to: from + width }, { parts });
      // Beside the drawn ones those that lie closest to each bound, on both sides.
      const edges = ranges.flatMap(({ from: start, to: end }) => [start * 1_000, end * 1_000 - 1]);
      for (const at of [...places.map((place) => from * 1_000 + Math.floor(place * width * 1_000)), ...edges]) {
        const holders = ranges.filter(({ from: start, to: end }) => start * 1_000 <= at && at < end * 1_000);
        expect(holders).toHaveLength(1);
      }
    }),
  );
});
