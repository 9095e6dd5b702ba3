import { expect, test } from "@jest/globals";
import { SlotSet, type TaskHint } from "@tickwheel/core";
import { firstPages, nextPages } from "./full-sweep-pages.js";

test("the full sweep goes on after the last row of each type whose page was full", () => {
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

test("the full sweep begins with each type that runs here, without a lower bound", () => {
  const slots = SlotSet.all();
  expect(firstPages([1, 2], { mineOrNobodys: () => slots })).toEqual([
    { typeId: 1, slots, notBefore: null, before: null, after: null },
    { typeId: 2, slots, notBefore: null, before: null, after: null },
  ]);
});
