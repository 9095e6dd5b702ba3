import { describe, expect, test } from "@jest/globals";
import type { ClaimedTask, RunningRow } from "@tickwheel/core";
import type { ExecutionState } from "../held/executions.js";
import { lostExecutions } from "./lost-executions.js";

const row = (id: string, fence: number): RunningRow => ({ id, fence, cancelRequested: false });
const held = (id: string, fence: number, state: ExecutionState = "running") => ({
  task: { id, fence } as ClaimedTask,
  state,
});

describe("an execution that the store does not hold as running here", () => {
  const gone = held("a", 1);

  test("an execution that the store does not hold as running here is missing at the first look and lost at the second", () => {
    const first = lostExecutions([gone], [row("a", 2)], new Set());
    expect(first).toEqual({ lost: [], missing: new Set([gone]) });
    expect(lostExecutions([gone], [], first.missing).lost).toEqual([gone]);
  });

  test.each([
    ["is held again", gone, [row("a", 1)]],
    ["has ended meanwhile", held("a", 1, "ended"), []],
  ])("an execution that the store does not hold as running here is not lost if it %s", (_, entry, rows) => {
    expect(lostExecutions([entry], rows, new Set([entry]))).toEqual({ lost: [], missing: new Set() });
  });
});
