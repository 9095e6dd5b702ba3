import { expect, test } from "@jest/globals";
import { parseJson, prettyJson } from "./json.js";

test("parseJson parses what JSON.parse parses", () => {
  const text = '{"a":[1,2.5,"x",null,true],"b":{"c":9007199254740991}}';
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

test("numbers in JSON keep their digits where the engine can keep them", () => {
  const printed = prettyJson(parseJson("[12345678901234567890,1e400,1.0,-0,7]"));
  const kept = ["12345678901234567890", "1e400", "1.0", "-0", "7"];
  const rounded = ["12345678901234567000", "null", "1", "0", "7"];
  expect(printed).toBe(`[\n  ${("rawJSON" in JSON ? kept : rounded).join(",\n  ")}\n]`);
});

test("text that is not JSON is a SyntaxError", () => {
  expect(() => parseJson("{a}")).toThrow(SyntaxError);
});

test("a value is printed as indented JSON, and an absent value as null", () => {
  expect(prettyJson({ orderId: "4711" })).toBe('{\n  "orderId": "4711"\n}');
  expect(prettyJson(undefined)).toBe("null");
});
