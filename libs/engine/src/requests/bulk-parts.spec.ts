import { expect, test } from "@jest/globals";
import { bulkPartsOf } from "./bulk-parts.js";

const sizes = (items: { payload: unknown }[]): number[] => bulkPartsOf(items).map((part) => part.length);

test("a bulk is split by number and by bytes, in its order and completely", () => {
  const small = Array.from({ length: 25_000 }, (_, payload) => ({ payload }));
  expect(sizes(small)).toEqual([10_000, 10_000, 5_000]);
  expect(bulkPartsOf(small).flat()).toEqual(small);
  const large = Array.from({ length: 600 }, () => ({ payload: "x".repeat(60_000) }));
  expect(sizes(large)).toEqual([279, 279, 42]);
  expect(sizes([])).toEqual([0]);
});
