import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { firstKeyRuns } from "./key-runs.js";
import { MergeGroups, type RequestedTask } from "./merge-groups.js";
import type { NewTask } from "./task.js";

const LIMIT = 100;

/** Merges of one key, each of which makes the payload longer by its size. */
function entriesOf(sizes: readonly number[]): (RequestedTask & { size: number })[] {
  return sizes.map((size, place) => ({
    place,
    size,
    task: { typeId: 1, key: "a", onConflict: "merge", payload: "{}" } as NewTask,
  }));
}

/** Writes them in rounds, as a store does. */
function written(sizes: readonly number[]): { accepted: number[]; folds: number } {
  const groups = new MergeGroups();
  const accepted: number[] = [];
  let folds = 0;
  let length = 0;
  for (let left: readonly RequestedTask[] = entriesOf(sizes); left.length > 0;) {
    const [[run], later] = firstKeyRuns(left, new Map(), groups);
    const sum = run!.entries.reduce((total, { place }) => total + sizes[place]!, length);
    folds++;
    const isTooLarge = sum > LIMIT;
    const halves = isTooLarge ? groups.halvesOf(run!.entries) : null;
    if (!isTooLarge) {
      length = sum;
      accepted.push(...run!.entries.map(({ place }) => place));
    }
    left = [...(halves ?? []).flat(), ...later].toSorted((one, other) => one.place - other.place);
  }
  return { accepted, folds };
}

/** One after the other, each by itself. */
function oneByOne(sizes: readonly number[]): number[] {
  let length = 0;
  return [...sizes.keys()].filter((place) => {
    if (length + sizes[place]! > LIMIT) return false;
    length += sizes[place]!;
    return true;
  });
}

test("merges of one call are accepted as if each had come alone, where at most eight of them do not fit", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 300 }), (sizes) => {
      const expected = oneByOne(sizes);
      const { accepted } = written(sizes);
      if (sizes.length - expected.length <= 8) expect(accepted).toEqual(expected);
      else expect(oneByOne(accepted.map((place) => sizes[place]!))).toHaveLength(accepted.length);
    }),
  );
});

test("a call with merges takes few folds, whatever does not fit", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0, 1, 40, 101), { minLength: 1, maxLength: 1_000 }), (sizes) => {
      expect(written(sizes).folds).toBeLessThanOrEqual(1 + 17 * (1 + Math.ceil(Math.log2(sizes.length))));
    }),
  );
});

test("ten thousand merges of a key that is full take some hundred folds, and not ten thousand", () => {
  const sizes = [LIMIT, ...Array<number>(9_999).fill(1)];
  const { accepted, folds } = written(sizes);
  expect(accepted).toEqual([0]);
  expect(folds).toBeLessThan(100);
});
