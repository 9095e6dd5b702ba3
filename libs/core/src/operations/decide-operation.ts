import type { EpochMs } from "../task/task.js";
import {
  isOpenOperation,
  OPERATION_MEMORY_MS,
  type OperationStopReason,
  type OperationUndo,
  type TaskOperation,
} from "./operation.js";

/** What somebody asks of an operation that there is. */
export type OperationChange =
  | { kind: "hold"; actor: string; reason: string | null }
  | { kind: "resume"; actor: string; reason: string | null }
  | { kind: "stop"; actor: string; reason: string | null }
  | { kind: "undo"; actor: string; reason: string | null; overdue: OperationUndo["overdue"] };

/** What a change sets of an operation. Pages of the act, or of the undo, are due at once. */
export type ChangedOperation = Pick<
  TaskOperation,
  "state" | "heldAt" | "heldBy" | "stopReason" | "finishedAt" | "undo"
>;

/**
 * What becomes of an operation whose row is locked; its own fields: it was so already. Null: its state does not allow
 * the change. An undo is held and resumed like the act, but never stopped; there is one of each operation, as long as
 * what was changed is remembered.
 */
export function decideOperation(
  change: OperationChange,
  operation: TaskOperation,
  now: EpochMs,
): ChangedOperation | null {
  const { state, heldAt } = operation;
  switch (change.kind) {
    case "hold":
      if (!isOpenOperation(operation)) return null;
      return heldAt === null ? { ...operation, heldAt: now, heldBy: change.actor } : operation;
    case "resume":
      if (!isOpenOperation(operation)) return null;
      return heldAt === null ? operation : { ...operation, heldAt: null, heldBy: null };
    case "stop":
      return state === "running" ? stopped(operation, "BY_HAND", now) : null;
    case "undo": {
      if (state === "undoing" || state === "undone" || isForgotten(operation, now)) return null;
      const { overdue, actor: by, reason } = change;
      const undo = { overdue, at: now, by, reason };
      return { ...operation, state: "undoing", heldAt: null, heldBy: null, finishedAt: null, undo };
    }
  }
}

/** Whether what an operation changed is forgotten, or is about to be. */
function isForgotten({ finishedAt, forgottenAt }: TaskOperation, now: EpochMs): boolean {
  return forgottenAt !== null || (finishedAt !== null && now - finishedAt >= OPERATION_MEMORY_MS);
}

/** An operation that ends before all is done. */
export function stopped(operation: TaskOperation, stopReason: OperationStopReason, now: EpochMs): ChangedOperation {
  return { ...operation, state: "stopped", heldAt: null, heldBy: null, stopReason, finishedAt: now };
}
