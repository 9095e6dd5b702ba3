import { expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { expectedVersionOf } from "./if-match.js";

test.each([
  [undefined, null],
  ["3", 3],
  ['"3"', 3],
  [' "12" ', 12],
])("If-Match %j asks for version %j", (header, version) => {
  expect(expectedVersionOf(header)).toBe(version);
});

test.each(["", "*", 'W/"3"', '"3', "-1", "1.5", '"1", "2"', "9999999999"])("If-Match %j is refused", (header) => {
  expect(() => expectedVersionOf(header)).toThrow(
    expect.objectContaining({ code: "VALIDATION_FAILED", faults: [expect.objectContaining({ path: "If-Match" })] }),
  );
  expect(() => expectedVersionOf(header)).toThrow(TickwheelError);
});
