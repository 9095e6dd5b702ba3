import { describe, expect, test } from "@jest/globals";
import type { View } from "@tickwheel/core";
import { afterHearing, afterReading, NO_VIEW_KNOWN, type ViewKnowledge } from "./view-choice.js";

function viewOf(number: number, publishedAt = number): View {
  return { number, term: 1, publishedAt, nodes: [] };
}

/** What is known after these views were read, by when they were published; null: none. */
function afterAll(start: ViewKnowledge, ...readings: View[]): (number | null)[] {
  let knowledge = start;
  return readings.map((read) => (knowledge = afterReading(knowledge, read, 5)).known?.view.publishedAt ?? null);
}

const knowsTwo = afterHearing(NO_VIEW_KNOWN, viewOf(2), 0);

describe("the view that a node follows", () => {
  test.each<[string, View[], number[]]>([
    ["a newer one at once", [viewOf(3), viewOf(4)], [3, 4]],
    ["no older one that was read once", [viewOf(1), viewOf(2), viewOf(1), viewOf(2)], [2, 2, 2, 2]],
    ["an older one that was read twice in a row", [viewOf(1), viewOf(1), viewOf(2, 77)], [2, 1, 77]],
    ["another one of the same number that was read twice", [viewOf(2, 77), viewOf(2, 77)], [2, 77]],
    ["neither of two older ones that were read once each", [viewOf(1), viewOf(2, 77)], [2, 2]],
  ])("the view that a node follows is %s", (_, readings, expected) => {
    expect(afterAll(knowsTwo, ...readings)).toEqual(expected);
  });

  test("a view that a node heard of is followed only if it is newer", () => {
    expect(afterHearing(knowsTwo, viewOf(3), 9).known).toEqual({ view: viewOf(3), sinceMonoMs: 9 });
    for (const view of [viewOf(2, 77), viewOf(1)]) expect(afterHearing(knowsTwo, view, 9)).toBe(knowsTwo);
  });

  test("the view that a node follows stays known since it was first known", () => {
    expect(afterReading(knowsTwo, viewOf(2), 9).known).toBe(knowsTwo.known);
  });
});
