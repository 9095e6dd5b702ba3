import { expect, test } from "@jest/globals";
import { newTaskId, SlotSet, type TaskHint } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { finderOf, sweepScopes } from "./sweep-scopes.js";

const random = new SeededRandom(1);

test("a sweep asks for each type by the type's own bound, and without a bound if there is none yet", () => {
  const slots = SlotSet.all();
  const ownership = { mineOrNobodys: () => slots };
  const clock = { dbNow: 100_000, lookbackMs: 60_000 };
  expect(sweepScopes({ types: [1, 2], ownership, bounds: new Map([[1, 90_000]]), ...clock })).toEqual([
    { typeId: 1, slots, notBefore: 30_000, after: null },
    { typeId: 2, slots, notBefore: null, after: null },
  ]);
});

test("a found task is stolen if its slot was not asked for", () => {
  const slots = new SlotSet();
  slots.add(7);
  const found = finderOf([{ typeId: 1, slots }]);
  const hint = (typeId: number, slot: number) => ({ id: newTaskId(0, slot, random), typeId }) as TaskHint;
  expect([hint(1, 7), hint(1, 8), hint(2, 7)].map(found)).toEqual(["sweep", "steal", "steal"]);
});
