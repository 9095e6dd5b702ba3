import { expect, test } from "@jest/globals";
import { quoteSchema } from "./session.js";

test.each(["tickwheel", "app_2", "_x"])("the schema %s is quoted", (schema) => {
  expect(quoteSchema(schema)).toBe(`"${schema}"`);
});

test.each(["", "Tickwheel", "a-b", 'a"b', "a.b", "2x", "x".repeat(64)])("the schema name %j is refused", (schema) => {
  expect(() => quoteSchema(schema)).toThrow(RangeError);
});
