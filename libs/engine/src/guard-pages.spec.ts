import { expect, test } from "@jest/globals";
import { SlotSet, type TaskHint } from "@tickwheel/core";
import { nextPages } from "./guard.js";

test("the guard goes on after the last row of each type that came back full", () => {
  const scope = (typeId: number) => ({ typeId, slots: SlotSet.all(), notBefore: null, after: null });
  const hint = (typeId: number, id: string, dueAt: number): TaskHint => ({
    typeId,
    id,
    dueAt,
    version: 1,
    priority: 5,
  });
  const hints = [hint(1, "a", 1), hint(2, "b", 2), hint(1, "c", 3), hint(2, "d", 4)];
  const next = nextPages([scope(1), scope(2), scope(3)], { hints, shortTypes: [2, 3] });
  expect(next).toEqual([{ ...scope(1), after: { dueAt: 3, id: "c" } }]);
});
