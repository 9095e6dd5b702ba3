import { expect, test } from "@jest/globals";
import { waitSecondsOf } from "./prefer-wait.js";

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
