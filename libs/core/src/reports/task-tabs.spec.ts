import { describe, expect, test } from "@jest/globals";
import {
  comparePlaces,
  isInTab,
  readTabCursor,
  startOfDay,
  TASK_TABS,
  tabCursor,
  tabPlaceOf,
  type TaskTab,
} from "./task-tabs.js";

const ID = "019ab0aa-1111-7222-8333-123456789abc";
const DAY = Date.UTC(2026, 10, 21);
const NOW = DAY + 5_000;

describe("the cursor of a tab", () => {
  test.each(TASK_TABS)("the cursor of the tab %s is read as the place that it was made of", (tab) => {
    for (const at of [0, DAY, -DAY]) {
      const place = { at, id: ID };
      expect(readTabCursor(tab, tabCursor(tab, place))).toEqual(place);
    }
  });

  test("the cursor of a tab is refused by every other tab", () => {
    for (const tab of TASK_TABS) {
      const others = TASK_TABS.filter((other) => other !== tab);
      expect(others.map((other) => readTabCursor(other, tabCursor(tab, { at: DAY, id: ID })))).toEqual(
        others.map(() => null),
      );
    }
  });

  test.each([
    "",
    "paused",
    `paused.${ID}`,
    "paused.0.x",
    `paused.00.${ID}`,
    `paused.1e3.${ID}`,
    `paused.-${"9".repeat(15)}.${ID}`,
    `paused..${ID}`,
    `paused.0.${ID}.`,
  ])("the cursor of a tab is not %j", (text) => {
    expect(readTabCursor("paused", text)).toBeNull();
  });

  test("the cursor of finished tasks begins a day", () => {
    expect(readTabCursor("finished", `finished.${NOW}.${ID}`)).toBeNull();
    expect(startOfDay(NOW)).toBe(DAY);
    expect(startOfDay(-1)).toBe(-86_400_000);
  });
});

describe("a tab shows", () => {
  const tabsOf = (task: Partial<Parameters<typeof isInTab>[1]>): TaskTab[] =>
    TASK_TABS.filter((tab) =>
      isInTab(tab, { state: "scheduled", dueAt: NOW, attempt: 0, lastError: null, ...task }, NOW),
    );

  test("a tab shows a task by its state, and a scheduled task by its due time and by what failed", () => {
    expect(tabsOf({})).toEqual(["overdue"]);
    expect(tabsOf({ dueAt: NOW + 1 })).toEqual(["scheduled"]);
    expect(tabsOf({ attempt: 1 })).toEqual(["overdue", "failing"]);
    expect(tabsOf({ dueAt: NOW + 1, lastError: "x" })).toEqual(["scheduled", "failing"]);
    expect(tabsOf({ state: "paused", attempt: 1 })).toEqual(["paused"]);
    expect(tabsOf({ state: "running", attempt: 1 })).toEqual(["running"]);
    expect(tabsOf({ state: "dead", lastError: "x" })).toEqual(["dead"]);
    for (const state of ["succeeded", "cancelled", "expired"] as const) expect(tabsOf({ state })).toEqual(["finished"]);
  });

  test("a tab shows finished tasks by day and the newest id first, other tasks by their instant", () => {
    const task = (id: string, at: number) => ({ id, dueAt: at, claimedAt: at, finishedAt: at });
    const order = (tab: TaskTab): string[] =>
      [task("a", NOW), task("b", NOW - 1), task("c", NOW - 1), task("d", DAY - 1)]
        .sort((one, other) => comparePlaces(tab, tabPlaceOf(tab, one), tabPlaceOf(tab, other)))
        .map(({ id }) => id);
    expect(order("finished").join("")).toBe("cbad");
    expect(order("dead").join("")).toBe("acbd");
    expect(order("paused").join("")).toBe("abcd");
    for (const tab of ["overdue", "running", "scheduled", "failing"] as const) expect(order(tab).join("")).toBe("dbca");
  });
});
