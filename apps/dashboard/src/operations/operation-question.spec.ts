import { describe, expect, test } from "@jest/globals";
import { operationActions, taskTabs } from "../api/wire.js";
import { actionsOfTab, emptyDraft, filterOf, isComplete, questionOf } from "./operation-question.js";

const NOW = Date.UTC(2026, 10, 27, 6);
const isoOf = (local: string): string | null => (local === "no time" ? null : `${local}:00.000Z`);

describe("what is meant", () => {
  test("some tasks of an operation are meant by their ids alone, whatever the list shows by then", () => {
    expect(filterOf({ kind: "ids", ids: ["1", "2"] }, NOW)).toEqual({ id: ["1", "2"] });
  });

  test("all tasks of a list are what its tab and its line let in; of scheduled tasks only those that are not due yet", () => {
    const line = "type:mail.* -tag:vip";
    expect(filterOf({ kind: "place", place: { tab: "dead", line } }, NOW)).toEqual({
      all: true,
      q: line,
      state: ["dead"],
    });
    expect(filterOf({ kind: "place", place: { line: "" } }, NOW)).toEqual({ all: true });
    expect(filterOf({ kind: "place", place: { tab: "scheduled", line: "" } }, NOW)).toEqual({
      all: true,
      state: ["scheduled"],
      dueFrom: "2026-11-27T06:00:00.000Z",
    });
  });

  test("each tab has actions, and each action has a tab", () => {
    expect(taskTabs.filter((tab) => actionsOfTab[tab].length === 0)).toEqual([]);
    const offered = new Set(taskTabs.flatMap((tab) => actionsOfTab[tab]));
    expect(operationActions.filter((action) => !offered.has(action))).toEqual([]);
    expect(actionsOfTab.all.toSorted()).toEqual([...operationActions].toSorted());
  });
});

describe("what is sent", () => {
  const filter = { id: ["1"] };

  test("an operation's question sends only what the action takes, and what is filled in", () => {
    const draft = {
      ...emptyDraft,
      reason: " why ",
      rate: "50",
      stopAt: "20",
      tag: "vip",
      by: "2h",
      includeOverdue: true,
    };
    expect(questionOf({ action: "cancel", filter }, draft, isoOf)).toEqual({ action: "cancel", filter, reason: "why" });
    expect(questionOf({ action: "retry", filter }, draft, isoOf)).toMatchObject({ rate: 50, stopWhenFailing: 0.2 });
    expect(questionOf({ action: "restore", filter }, draft, isoOf)).toMatchObject({ includeOverdue: true });
    expect(questionOf({ action: "add_tag", filter }, draft, isoOf)).toMatchObject({ tag: "vip" });
    expect(questionOf({ action: "retry", filter }, { ...draft, rate: "" }, isoOf)).toEqual({
      action: "retry",
      filter,
      reason: "why",
    });
  });

  test("a new time is an instant or a shift; a text that is no time is sent as it stands, for the API to judge", () => {
    const at = { ...emptyDraft, move: "at", at: "2026-12-01T08:00" } as const;
    expect(questionOf({ action: "reschedule", filter }, at, isoOf)).toMatchObject({ set: "2026-12-01T08:00:00.000Z" });
    expect(questionOf({ action: "reschedule", filter }, { ...at, at: "no time" }, isoOf)).toMatchObject({
      set: "no time",
    });
    expect(questionOf({ action: "reschedule", filter }, { ...emptyDraft, by: "-15m" }, isoOf)).toMatchObject({
      shift: "-15m",
    });
  });

  test("an operation is not asked for before what its action needs is there", () => {
    expect(isComplete("cancel", emptyDraft)).toBe(true);
    expect(isComplete("reschedule", emptyDraft)).toBe(false);
    expect(isComplete("reschedule", { ...emptyDraft, by: "1h" })).toBe(true);
    expect(isComplete("remove_tag", { ...emptyDraft, tag: " " })).toBe(false);
  });
});
