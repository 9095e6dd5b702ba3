import { describe, expect, test } from "@jest/globals";
import { isTaskId, newTaskId } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { BEHIND_ALL_IDS } from "../sql/id-bounds.js";
import { hiddenId, hiddenPlace } from "./hidden-places.js";

const random = new SeededRandom(7);
const AT = Date.UTC(2026, 10, 21, 12, 0, 0, 123);
const id = (at: number): string => newTaskId(at, 5, random);

describe("the cursor of a list that has looked at other namespaces' tasks", () => {
  test("a cursor past other namespaces' tasks is the same for all tasks of a second, and no task of the second is before it", () => {
    const told = [0, 1, 400, 876].map((ms) => hiddenId(id(AT + ms), null));
    expect(new Set(told).size).toBe(1);
    expect(isTaskId(told[0])).toBe(true);
    for (const ms of [0, 400, 876]) expect(id(AT + ms) < told[0]!).toBe(true);
    expect(id(AT + 877) > told[0]!).toBe(true);
  });

  test("a cursor past other namespaces' tasks lies behind the start of the page, so that the list comes forward", () => {
    const start = id(AT + 400);
    const byMs = hiddenId(id(AT), start)!;
    expect(byMs < start && byMs > id(AT)).toBe(true);
    const [lower, higher] = [id(AT), id(AT)].sort();
    expect(hiddenId(lower!, higher!)).toBeNull();
    expect(hiddenId(id(AT), hiddenId(id(AT + 1_000), null))).toBe(hiddenId(id(AT), null));
  });

  test("a cursor past other namespaces' tasks is an id of the second for finished tasks, the place itself in other tabs", () => {
    const start = { at: AT, id: id(AT + 5) };
    const lower = { at: AT, id: id(AT) };
    const day = Date.UTC(2026, 10, 21);
    expect(hiddenPlace("finished", { at: day, id: id(AT) }, start)).toEqual({ at: day, id: hiddenId(id(AT), null) });
    expect(hiddenPlace("finished", { at: day, id: BEHIND_ALL_IDS }, start)).toEqual({ at: day, id: BEHIND_ALL_IDS });
    for (const tab of ["overdue", "dead"] as const) expect(hiddenPlace(tab, lower, start)).toBe(lower);
  });
});
