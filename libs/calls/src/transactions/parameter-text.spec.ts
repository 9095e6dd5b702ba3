import { expect, test } from "@jest/globals";
import { parameterText } from "./parameter-text.js";

test.each<[unknown, string | null]>([
  [null, null],
  [undefined, null],
  ["it's", "it's"],
  [1.5, "1.5"],
  [12n, "12"],
  [false, "false"],
  [new Date(0), "1970-01-01T00:00:00.000Z"],
  [Buffer.from([0, 255]), "\\x00ff"],
  [{ a: 1 }, '{"a":1}'],
  [[], "{}"],
  [["a,b", 'c"d', "e\\f", "NULL", null], '{"a,b","c\\"d","e\\\\f","NULL",NULL}'],
  [[1, true, null], '{"1","true",NULL}'],
  [[Buffer.from([1])], '{"\\\\x01"}'],
  [
    [
      [1, 2],
      [3, 4],
    ],
    '{{"1","2"},{"3","4"}}',
  ],
])("the parameter %j is sent as %j", (value, text) => {
  expect(parameterText(value)).toBe(text);
});
