import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { afterSlice, narrowed, sliceOf, type SliceWalk, SLOW_SLICE_MS, WHOLE } from "./sweep-slices.js";

const NOW = 1_800_000_000_000;
/** After this much of a slice a look takes too long. */
const LIMIT_MS = 2_000;

/** Walks all due times. `entriesOf` counts the dead entries of a range; a look passes each in a microsecond. */
function walked(entriesOf: (fromMs: number, beforeMs: number) => number): {
  ranges: [number, number][];
  looks: number;
} {
  const ranges: [number, number][] = [];
  let walk: SliceWalk | null = WHOLE;
  let looks = 0;
  while (walk !== null) {
    const slice = sliceOf(walk, NOW);
    const range: [number, number] = [slice.from ?? -Infinity, slice.before ?? Infinity];
    const tookMs = entriesOf(...range) / 1_000;
    if (++looks > 10_000) throw new Error("the walk does not end");
    if (tookMs > LIMIT_MS) {
      walk = narrowed(walk);
      if (walk === null) throw new Error("no slice is narrow enough");
      continue;
    }
    ranges.push(range);
    walk = afterSlice(slice, walk, tookMs);
  }
  return { ranges, looks };
}

/** Dead entries of tasks that ran at a rate since a snapshot was held. */
const heldFor = (heldMs: number, perSecond: number) => (fromMs: number, beforeMs: number) =>
  (Math.max(0, Math.min(beforeMs, NOW) - Math.max(fromMs, NOW - heldMs)) / 1_000) * perSecond;

test("a walk through the due times reads each of them once, whatever is in the way", () => {
  const held = fc.record({
    heldMs: fc.integer({ min: 0, max: 2 * 86_400_000 }),
    perSecond: fc.integer({ min: 0, max: 5_000 }),
  });
  fc.assert(
    fc.property(held, ({ heldMs, perSecond }) => {
      const { ranges } = walked(heldFor(heldMs, perSecond));
      expect(ranges[0]![1]).toBe(Infinity);
      expect(ranges.at(-1)![0]).toBe(-Infinity);
      for (const [at, [from]] of ranges.slice(0, -1).entries()) expect(ranges[at + 1]![1]).toBe(from);
    }),
  );
});

test("a walk through the due times is one look where nothing is in the way, and some where an hour is", () => {
  expect(walked(() => 0)).toEqual({ ranges: [[-Infinity, Infinity]], looks: 1 });
  const { looks } = walked(heldFor(3_600_000, 1_000));
  expect(looks).toBeGreaterThan(5);
  expect(looks).toBeLessThan(25);
});

test("a slice that took too long is followed by a narrower one, to a second at least", () => {
  const slice = { from: NOW - 1_500, before: NOW };
  expect(afterSlice(slice, { before: NOW, widthMs: 1_500 }, SLOW_SLICE_MS + 1)).toEqual({
    before: NOW - 1_500,
    widthMs: 1_000,
  });
  expect(narrowed({ before: NOW, widthMs: 1_500 })).toEqual({ before: NOW, widthMs: 1_000 });
  expect(narrowed({ before: NOW, widthMs: 1_000 })).toBeNull();
});
