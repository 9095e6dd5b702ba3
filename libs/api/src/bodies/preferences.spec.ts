import { expect, test } from "@jest/globals";
import { prefersMinimal, waitSecondsOf } from "./preferences.js";

test.each<[unknown, number]>([
  ["wait=10", 10],
  ['WAIT = "10"', 10],
  ["respond-async, wait=10", 10],
  ["return=minimal; wait=5, handling=lenient", 5],
  ["wait=0", 0],
  ["wait=61", 60],
  ["wait=999999999", 60],
  ["wait=9999999999999", 0],
  ["wait=-1", 0],
  ["wait=1.5", 0],
  ["wait", 0],
  ["await=10", 0],
  ["", 0],
  [undefined, 0],
  [["wait=10"], 0],
])("the preference %j is to wait for %d s", (prefer, seconds) => {
  expect(waitSecondsOf(prefer)).toBe(seconds);
});

test.each<[unknown, boolean]>([
  ["return=minimal", true],
  ['Return = "MINIMAL"', true],
  ["respond-async, return=minimal; wait=5", true],
  ["return=representation", false],
  ["return=minimally", false],
  ["noreturn=minimal", false],
  ["minimal", false],
  ["", false],
  [undefined, false],
  [["return=minimal"], false],
])("the preference %j is for a minimal answer: %s", (prefer, isMinimal) => {
  expect(prefersMinimal(prefer)).toBe(isMinimal);
});
