import { describe, expect, test } from "@jest/globals";
import type { View } from "@tickwheel/core";
import { mayStopClaiming } from "./leave-check.js";

function known(bootIds: string[], sinceMonoMs: number) {
  const nodes = bootIds.map((bootId) => ({ bootId, label: bootId, typeIds: [1] }));
  const view: View = { number: 4, term: 1, publishedAt: 0, nodes };
  return { view, sinceMonoMs };
}

describe("a node that leaves may stop claiming", () => {
  const askedMonoMs = 10_000;
  test.each([
    ["not while the view still holds it", known(["1", "2"], 0), 12_999, false],
    ["not as long as a view without it is new", known(["2"], 10_500), 11_499, false],
    ["once a view without it is a second old", known(["2"], 10_500), 11_500, true],
    ["at once where nobody else is in the view", known([], 10_500), 10_500, true],
    ["at once where there is no view", null, 10_000, true],
    ["in any case three seconds after it has asked", known(["1", "2"], 0), 13_000, true],
  ])("a node that leaves may stop claiming: %s", (...row) => {
    const [, view, nowMonoMs, expected] = row;
    expect(mayStopClaiming({ bootId: "1", known: view, nowMonoMs, askedMonoMs })).toBe(expected);
  });
});
