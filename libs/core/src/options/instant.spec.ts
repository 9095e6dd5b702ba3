import { expect, test } from "@jest/globals";
import { parseInstant } from "./instant.js";

test("fractions of a millisecond of an instant are cut off", () => {
  for (const fraction of ["123", "1230", "123000001", "1239", "123999999"])
    expect(parseInstant(`2026-11-21T08:00:00.${fraction}Z`)).toBe(Date.UTC(2026, 10, 21, 8, 0, 0, 123));
});
