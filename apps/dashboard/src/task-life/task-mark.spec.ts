import { expect, test } from "@jest/globals";
import { taskMark } from "./task-mark.js";

test("a task that was skipped is told apart from one that ran; any other is shown by its state", () => {
  expect(taskMark({ state: "succeeded", reason: "SKIPPED" })).toEqual({ state: "skipped", text: "skipped" });
  expect(taskMark({ state: "succeeded", reason: null }).text).toBe("succeeded");
  expect(taskMark({ state: "dead", reason: "ATTEMPTS" }).text).toBe("dead");
});
