import { expect, test } from "@jest/globals";
import { plainArray } from "./plain-array.js";

test("numbers, ids and nulls become an array as Postgres reads it", () => {
  const same = (value: number | string | null): number | string | null => value;
  expect(plainArray([], same)).toBe("{}");
  expect(plainArray([1, null, -2.5], same)).toBe("{1,NULL,-2.5}");
  expect(plainArray(["9007199254740993", "0199b7da-d7d9-7970-8c59-c89f5ad1419c"], same)).toBe(
    "{9007199254740993,0199b7da-d7d9-7970-8c59-c89f5ad1419c}",
  );
});
