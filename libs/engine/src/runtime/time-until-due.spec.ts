import { expect, test } from "@jest/globals";
import { timeUntilDueMs } from "./time-until-due.js";

test.each([
  ["long reached", { nowMs: 2_000, errorMs: 1 }, 0],
  ["just reached, whatever the error", { nowMs: 1_000.5, errorMs: 0.5 }, 0],
  ["reached by the estimate, but not surely", { nowMs: 1_000, errorMs: 0.5 }, 1],
  ["far", { nowMs: 899.9, errorMs: 0.2 }, 101],
  ["at any distance without a sample", { nowMs: 5_000, errorMs: Infinity }, Infinity],
])("the time until an instant that is %s has the right length", (_, estimate, expected) => {
  expect(timeUntilDueMs(1_000, estimate)).toBe(expected);
});
