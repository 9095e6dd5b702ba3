import { expect, test } from "@jest/globals";
import { parseJson, prettyJson } from "./json.js";

test("parses what JSON.parse parses", () => {
  const text = '{"a":[1,2.5,"x",null,true],"b":{"c":9007199254740991}}';
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

test("an integer beyond 2^53 keeps its digits where the engine can keep them", () => {
  const printed = prettyJson(parseJson("[12345678901234567890]"));
  const canKeep = "rawJSON" in JSON;
  expect(printed).toBe(canKeep ? "[\n  12345678901234567890\n]" : "[\n  12345678901234567000\n]");
});

test("text that is not JSON is a SyntaxError", () => {
  expect(() => parseJson("{a}")).toThrow(SyntaxError);
});

test("prints indented, and an absent value as null", () => {
  expect(prettyJson({ orderId: "4711" })).toBe('{\n  "orderId": "4711"\n}');
  expect(prettyJson(undefined)).toBe("null");
});
