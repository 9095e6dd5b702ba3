import { beforeEach, describe, expect, test } from "@jest/globals";
import type { TypeId } from "@tickwheel/core";
import { OccupiedTypes } from "./occupied-types.js";

let asked: TypeId[][];
let waiting: Set<TypeId>;

beforeEach(() => {
  asked = [];
  waiting = new Set();
});

/** For a node that can run all types up to a number, and knows as many others. */
function occupied(count: number, probedTypeCount = 3): OccupiedTypes {
  const known = Array.from({ length: 2 * count }, (_, index) => index + 1);
  return new OccupiedTypes({
    options: { probedTypeCount },
    tasks: {
      occupiedTypes: async (except) => {
        asked.push([...except]);
        return [...waiting].filter((typeId) => !except.includes(typeId));
      },
    },
    types: {
      count: () => count,
      pulled: () => [],
      runnable: () => known.slice(0, count),
      known: () => known,
      executorOf: (typeId) => (typeId <= count ? ({} as never) : undefined),
      isPaused: () => false,
      get: (typeId) => (typeId <= 2 * count ? ({} as never) : undefined),
    },
  });
}

describe("the types that may have tasks", () => {
  test("the types that may have tasks are all types, without a query, if they are few", async () => {
    expect(await occupied(3).runnable()).toEqual([1, 2, 3]);
    expect(asked).toEqual([]);
  });

  test("the types that may have tasks are those that have some, queried each time, if they are many", async () => {
    const types = occupied(1_000);
    expect(await types.runnable()).toEqual([]);
    waiting.add(700).add(1_500).add(9_999);
    expect(await types.runnable()).toEqual([700]);
    expect(await types.known()).toEqual([700, 1_500]);
  });

  test("the types that may have tasks always include those that have some, however many these are", async () => {
    const types = occupied(1_000);
    for (let round = 0; round < 5; round++) {
      for (let added = 0; added < 4; added++) waiting.add(round * 7 + added + 1);
      expect(await types.runnable()).toEqual(expect.arrayContaining([...waiting]));
    }
    expect(Math.max(...asked.map(({ length }) => length))).toBeLessThanOrEqual(3);
  });

  test("types that may have tasks are remembered, then asked for without a query; the longest known is forgotten first", async () => {
    const types = occupied(1_000);
    for (const typeId of [5, 6, 7, 8]) {
      waiting = new Set([typeId]);
      await types.runnable();
    }
    waiting.clear();
    expect(await types.runnable()).toEqual([6, 7, 8]);
    expect(asked.at(-1)).toEqual([6, 7, 8]);
  });
});
