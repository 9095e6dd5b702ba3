import { expect, test } from "@jest/globals";
import type { CallerTransaction, Task } from "@tickwheel/core";
import { hintsAfterCommit } from "./hints-after-commit.js";

const taskOf = (id: string, state: Task["state"]): Task =>
  ({ id, state, typeId: 1, version: 3, dueAt: 9, priority: 5 }) as Task;
const written = [taskOf("a", "scheduled"), taskOf("b", "running"), taskOf("c", "cancelled")];

test("a committed write sends hints for the tasks that wait after it", () => {
  expect(hintsAfterCommit(written, {})).toEqual([{ id: "a", typeId: 1, version: 3, dueAt: 9, priority: 5 }]);
});

test("a write within the caller's transaction sends no hints", () => {
  expect(hintsAfterCommit(written, { within: {} as CallerTransaction })).toEqual([]);
});
