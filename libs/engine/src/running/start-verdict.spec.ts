import { expect, test } from "@jest/globals";
import { startVerdict } from "./start-verdict.js";

const estimate = { nowMs: 1_000.5, errorMs: 0.5 };

test.each([
  ["not surely due", { dueAt: 1_001, claimedForMs: 0 }, "too_early"],
  ["not surely due, though claimed long ago", { dueAt: 1_001, claimedForMs: 900 }, "too_early"],
  ["due and claimed just now", { dueAt: 1_000, claimedForMs: 250 }, "run"],
  ["due and claimed a while ago", { dueAt: 1_000, claimedForMs: 251 }, "verify"],
] as const)("a claimed task that is %s gets the right verdict at its start", (_, claimed, expected) => {
  expect(startVerdict(claimed, estimate)).toBe(expected);
});
