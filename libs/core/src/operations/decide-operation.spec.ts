import { describe, expect, test } from "@jest/globals";
import { decideOperation, type OperationChange } from "./decide-operation.js";
import { OPERATION_MEMORY_MS, OPERATION_STATES, type OperationState, type TaskOperation } from "./operation.js";

const NOW = 1_000_000_000;
const KINDS = ["hold", "resume", "stop", "undo"] as const;
const change = (kind: OperationChange["kind"]): OperationChange => ({
  kind,
  actor: "key:2",
  reason: "because",
  overdue: "run",
});

function operation(state: OperationState, wish: Partial<TaskOperation> = {}): TaskOperation {
  const finishedAt = state === "running" || state === "undoing" ? null : NOW - 1;
  return {
    state,
    heldAt: null,
    heldBy: null,
    stopReason: null,
    finishedAt,
    undo: null,
    forgottenAt: null,
    ...wish,
  } as TaskOperation;
}

const HELD = { heldAt: 5, heldBy: "key:1" };

describe("a change of an operation", () => {
  test.each<[OperationState, string[]]>([
    ["running", ["running held", "same", "stopped", "undoing"]],
    ["done", ["no", "no", "no", "undoing"]],
    ["stopped", ["no", "no", "no", "undoing"]],
    ["undoing", ["undoing held", "same", "no", "no"]],
    ["undone", ["no", "no", "no", "no"]],
  ])("a change of an operation that is %s: hold, resume, stop, undo come to %j", (state, wanted) => {
    expect(KINDS.map((kind) => told(operation(state), kind))).toEqual(wanted);
  });

  test.each<[OperationState, string[]]>([
    ["running", ["same", "running", "stopped", "undoing"]],
    ["undoing", ["same", "undoing", "no", "no"]],
  ])("a change of an operation that is %s and on hold: hold, resume, stop, undo come to %j", (state, wanted) => {
    expect(KINDS.map((kind) => told(operation(state, HELD), kind))).toEqual(wanted);
  });

  test("a change of an operation notes who and when", () => {
    const running = operation("running");
    expect(decideOperation(change("hold"), running, NOW)).toMatchObject({ heldAt: NOW, heldBy: "key:2" });
    expect(decideOperation(change("stop"), running, NOW)).toMatchObject({ stopReason: "BY_HAND", finishedAt: NOW });
    expect(decideOperation(change("undo"), operation("done"), NOW)).toMatchObject({
      finishedAt: null,
      undo: { overdue: "run", at: NOW, by: "key:2", reason: "because" },
    });
  });

  test("an undo takes nothing back of an operation that is forgotten, or is about to be", () => {
    expect(told(operation("done", { forgottenAt: NOW - 5 }), "undo")).toBe("no");
    expect(told(operation("done", { finishedAt: NOW - OPERATION_MEMORY_MS }), "undo")).toBe("no");
    expect(told(operation("done", { finishedAt: NOW - OPERATION_MEMORY_MS + 1 }), "undo")).toBe("undoing");
  });

  test("a change leaves an open operation without an end, and an operation that is over with an end and not on hold", () => {
    for (const state of OPERATION_STATES)
      for (const kind of KINDS) {
        const next = decideOperation(change(kind), operation(state), NOW);
        if (next === null) continue;
        const isOpen = next.state === "running" || next.state === "undoing";
        expect(next.finishedAt === null).toBe(isOpen);
        if (!isOpen) expect(next.heldAt).toBeNull();
      }
  });
});

function told(before: TaskOperation, kind: OperationChange["kind"]): string {
  const next = decideOperation(change(kind), before, NOW);
  if (next === null) return "no";
  if (next === before) return "same";
  return `${next.state}${next.heldAt === null ? "" : " held"}`;
}
