import { expect, test } from "@jest/globals";
import { taskStates } from "../api/wire.js";
import { actionsFor, isTerminal, questionBefore } from "./task-actions.js";

test("a live task can be cancelled, a scheduled one run now or paused, a paused one resumed, a terminal one only retried", () => {
  expect(Object.fromEntries(taskStates.map((state) => [state, actionsFor(state)]))).toEqual({
    scheduled: ["run-now", "reschedule", "pause", "cancel"],
    paused: ["resume", "reschedule", "cancel"],
    running: ["cancel"],
    succeeded: ["retry"],
    dead: ["retry"],
    cancelled: ["retry"],
    expired: ["retry"],
  });
});

test("a task's state that this page does not know allows no action", () => {
  expect(actionsFor("asleep" as never)).toEqual([]);
});

test("four states of a task are terminal", () => {
  expect(taskStates.filter(isTerminal)).toEqual(["succeeded", "dead", "cancelled", "expired"]);
});

test("a cancel and a second run are asked about, a retry of a dead task, run-now, pause and resume are not", () => {
  expect(questionBefore("cancel", "scheduled")).not.toBeNull();
  expect(questionBefore("cancel", "running")).toContain("told to stop");
  expect(questionBefore("retry", "succeeded")).toContain("once more");
  expect(questionBefore("retry", "cancelled")).not.toBeNull();
  expect(questionBefore("retry", "dead")).toBeNull();
  expect(questionBefore("run-now", "scheduled")).toBeNull();
  expect(questionBefore("pause", "scheduled")).toBeNull();
  expect(questionBefore("resume", "paused")).toBeNull();
});
