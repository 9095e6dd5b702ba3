import { expect, test } from "@jest/globals";
import { errorLineOf, errorTextOf } from "./error-text.js";

test.each([
  ["provider answered 500", "provider answered 500"],
  [{ code: "E" }, '{\n  "code": "E"\n}'],
  [{ stack: "Error: x\n    at pay" }, "Error: x\n    at pay"],
  [{ code: "E", stack: "Error: x\n    at pay" }, '{\n  "code": "E"\n}\n\nError: x\n    at pay'],
  [null, "null"],
])("the error %j reads %j", (error, text) => {
  expect(errorTextOf(error)).toBe(text);
});

test("a list shows the first line of an error", () => {
  expect(["Error: x\n    at pay", "", null, undefined].map(errorLineOf)).toEqual(["Error: x", "", null, null]);
});
