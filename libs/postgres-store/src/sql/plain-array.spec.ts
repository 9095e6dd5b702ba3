import { expect, test } from "@jest/globals";
import { jsonArray, plainArray, textArray } from "./plain-array.js";

test("numbers, ids and nulls become an array that Postgres reads", () => {
  const same = (value: number | string | null): number | string | null => value;
  expect(plainArray([], same)).toBe("{}");
  expect(plainArray([1, null, -2.5], same)).toBe("{1,NULL,-2.5}");
  expect(plainArray([7], same)).toBe("{7}");
  expect(plainArray([7, 7, 7], same)).toBe("{7,7,7}");
  expect(plainArray([null, null, 7, 7, null], same)).toBe("{NULL,NULL,7,7,NULL}");
  expect(plainArray(["9007199254740993", "0199b7da-d7d9-7970-8c59-c89f5ad1419c"], same)).toBe(
    "{9007199254740993,0199b7da-d7d9-7970-8c59-c89f5ad1419c}",
  );
});

test("JSON texts become an array that Postgres reads: only quotes and backslashes get a backslash", () => {
  const values = [{ a: 'say "hi"', b: "\\ \u0007 \n \u2028 \ud800 ü 😀" }, [], "{,}", 0, true];
  const texts = values.map((value) => JSON.stringify(value));
  const elements = texts.map((text) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`);
  const same = (text: string | null): string | null => text;
  expect(jsonArray([], same)).toBe("{}");
  expect(jsonArray([...texts, null, "null"], same)).toBe(`{${elements.join(",")},NULL,"null"}`);
});

test("texts become an array that Postgres reads, whatever they hold", () => {
  expect(textArray([])).toBe("{}");
  expect(textArray(["a", "NULL", "{b,c}", "", " \n"])).toBe('{"a","NULL","{b,c}",""," \n"}');
  expect(textArray(['say "hi"', "back\\slash"])).toBe(String.raw`{"say \"hi\"","back\\slash"}`);
});
