import { describe, expect, test } from "@jest/globals";
import { operationActions, operationStates, type TaskOperation } from "../api/wire.js";
import {
  countsText,
  endText,
  isTyped,
  markOf,
  nameOf,
  operationsSentence,
  outcomeWords,
  progressParts,
  titleOf,
  undoSentence,
} from "./operation-words.js";

const OPERATION: TaskOperation = {
  id: "1",
  action: "cancel",
  filter: "type:mail",
  state: "running",
  heldAt: null,
  heldBy: null,
  stopReason: null,
  options: {
    includeOverdue: false,
    set: null,
    shiftMs: null,
    spread: null,
    tag: null,
    rate: null,
    stopWhenFailing: null,
    atMost: 1_000_000,
  },
  createdAt: "2026-11-27T06:00:00.000Z",
  createdBy: "key:1",
  reason: null,
  estimate: 200,
  found: 60,
  changed: 50,
  passed: [{ code: "NO_LONGER", count: 10 }],
  pages: 1,
  pace: null,
  endsAbout: null,
  node: null,
  finishedAt: null,
  undo: null,
  undone: 0,
  leftBehind: [],
  undoUntil: null,
};

test("an operation is named by what it does, to how many, at which pace", () => {
  expect(titleOf("cancel", 1)).toBe("Cancel 1 task");
  expect(nameOf(OPERATION)).toBe("Cancel 200 tasks");
  expect(nameOf({ ...OPERATION, finishedAt: "2026-11-27T06:00:01.000Z" })).toBe("Cancel 50 tasks");
  expect(nameOf({ ...OPERATION, action: "retry", options: { ...OPERATION.options, rate: 50 } })).toBe(
    "Retry 200 tasks at 50 a second",
  );
  expect(operationActions.map((action) => titleOf(action, 2)).filter((title) => title.includes("undefined"))).toEqual(
    [],
  );
});

test("each state of an operation has its mark; an operation on hold tells that before its state", () => {
  const marks = operationStates.map((state) => markOf({ ...OPERATION, state }).text);
  expect(marks).toEqual(["running", "done", "stopped", "being undone", "undone"]);
  expect(markOf({ ...OPERATION, heldAt: "2026-11-27T06:00:01.000Z" }).text).toBe("on hold");
  expect(markOf({ ...OPERATION, state: "stopped", stopReason: "FAILING" }).text).toBe("stopped: they fail again");
});

describe("how far it is", () => {
  test("an operation's progress is what was changed and what was left, of what was counted", () => {
    expect(progressParts(OPERATION)).toEqual([
      { state: "succeeded", share: 0.25 },
      { state: "cancelled", share: 0.05 },
    ]);
    expect(progressParts({ ...OPERATION, estimate: null, passed: [] })).toEqual([{ state: "succeeded", share: 1 }]);
    expect(progressParts({ ...OPERATION, estimate: 0, changed: 0, passed: [] })).toEqual([]);
  });

  test("the progress of an undo is what was put back, of what was changed", () => {
    const undoing = {
      ...OPERATION,
      state: "undoing",
      undone: 20,
      leftBehind: [{ code: "HAS_RUN", count: 5 }],
    } as const;
    expect(progressParts(undoing)).toEqual([
      { state: "succeeded", share: 0.4 },
      { state: "cancelled", share: 0.1 },
    ]);
  });

  test("an operation's progress says when it may be over, where that is known", () => {
    const now = Date.parse("2026-11-27T06:00:00.000Z");
    expect(endText({ ...OPERATION, endsAbout: "2026-11-27T06:00:27.000Z" }, now)).toBe("done in about 27 s");
    expect(endText(OPERATION, now)).toBe("");
  });
});

test("tasks that an operation left are told by count and reason", () => {
  const left = [
    { code: "KEY_TAKEN", count: 2 },
    { code: "NEW_CODE", count: 1_000 },
  ];
  expect(countsText(left, outcomeWords)).toBe("2 key taken by another task, 1,000 NEW_CODE");
});

test("an operation on many tasks, and any discard, asks for the number of tasks", () => {
  expect([isTyped("cancel", 99), isTyped("cancel", 100), isTyped("discard", 1), isTyped("discard", 0)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("sentences tell how many operations are open, and whether one can be undone", () => {
  expect(operationsSentence(0)).toMatch(/^None runs\./);
  expect(operationsSentence(1)).toMatch(/^One is open\./);
  expect(undoSentence({ undo: "NONE" })).toMatch(/cannot be undone/);
  expect(undoSentence({ undo: "FULL" })).toBe("It can be undone for 24 h, as far as nobody has touched them.");
});
