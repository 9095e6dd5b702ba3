import { expect, test } from "@jest/globals";
import { readNumbers } from "./task-rows.js";

test("a row of numbers is read as Postgres writes it", () => {
  expect(readNumbers("(5)")).toEqual([5]);
  expect(readNumbers("(0,-12,1763712000123,9007199254740991,-9007199254740991)")).toEqual([
    0,
    -12,
    1_763_712_000_123,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ]);
});

test("an empty place is null, wherever it is", () => {
  expect(readNumbers("(,1,,,2,)")).toEqual([null, 1, null, null, 2, null]);
  expect(readNumbers("(,)")).toEqual([null, null]);
});
