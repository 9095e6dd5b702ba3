import type { JoinedConditions } from "../filter/task-filter.js";
import type { TaskOutcome, UndoOutcome } from "../reports/task-outcomes.js";
import type { EpochMs, TaskState } from "../task/task.js";

/** What an operation does to each task that its filter means, see `ACTION_RULES`. */
export const OPERATION_ACTIONS = [
  "cancel",
  "retry",
  "restore",
  "reschedule",
  "run_now",
  "pause",
  "resume",
  "discard",
  "add_tag",
  "remove_tag",
] as const;
export type OperationAction = (typeof OPERATION_ACTIONS)[number];

/**
 * `running`: pages are being made. `done`: none is left. `stopped`: it ended before, see {@link OperationStopReason}.
 * `undoing`: what it changed is being put back. `undone`: that is over. An operation that is open may be on hold beside
 * it.
 */
export const OPERATION_STATES = ["running", "done", "stopped", "undoing", "undone"] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

/** The states in which pages are made. */
export const OPEN_OPERATION_STATES = ["running", "undoing"] as const satisfies readonly OperationState[];

export function isOpenOperation({ state }: { state: OperationState }): boolean {
  return (OPEN_OPERATION_STATES as readonly OperationState[]).includes(state);
}

/** `BY_HAND`: somebody stopped it. `LIMIT`: it has changed as many as it may. `FAILING`: too many failed again. */
export const OPERATION_STOP_REASONS = ["BY_HAND", "LIMIT", "FAILING"] as const;
export type OperationStopReason = (typeof OPERATION_STOP_REASONS)[number];

/**
 * Why a task that was found was not changed. `NO_LONGER`: under its lock it fitted no more. `ASKED`: it runs, and was
 * asked to stop. `KEY_TAKEN`: another live task has its key. `OVERDUE`: its time has passed, and such ones were not
 * wanted. `LOCKED`: others held it for six rounds.
 */
export const PASSED_CODES = ["NO_LONGER", "ASKED", "KEY_TAKEN", "OVERDUE", "LOCKED"] as const;
export type PassedCode = (typeof PASSED_CODES)[number];

/**
 * A new due time. `set`: this instant. `shift`: as much later as `byMs`, or earlier. `spread`: anywhere in
 * `[from, to)`, told by the task's id. What would lie in the past is due now.
 */
export type OperationMove =
  | { kind: "set"; at: EpochMs }
  | { kind: "shift"; byMs: number }
  | { kind: "spread"; from: EpochMs; to: EpochMs };

/** How an operation does what it does. */
export interface OperationOptions {
  /** For `restore`: tasks whose time has passed come too, due now. Else they are left. */
  includeOverdue: boolean;
  /** For `reschedule`; null: another action. */
  move: OperationMove | null;
  /** For `add_tag` and `remove_tag`; null: another action. */
  tag: string | null;
  /** Tasks a second, 0.01 to 10,000; null: as fast as it goes beside the rest. */
  rate: number | null;
  /**
   * It stops once so large a share of the tasks changed last has failed again, 0.01 to 1; null: never. Only with a
   * rate.
   */
  stopWhenFailing: number | null;
  /** It stops once it has changed so many, 1 to 1,000,000. */
  atMost: number;
}

/** What is asked to be done to many tasks. */
export interface OperationPlan {
  namespace: string;
  action: OperationAction;
  /** Times from now are instants by now. */
  filter: JoinedConditions;
  options: OperationOptions;
}

/** An operation to be started. */
export interface NewOperation extends OperationPlan {
  /** UUIDv7. */
  id: string;
  actor: string;
  reason: string | null;
  /** How many tasks it will change, as was counted before; null: that is not known. */
  estimate: number | null;
  /** The key under which the call is known, and what it asked for; null: the call has none. */
  idempotency: { key: string; bodyHash: string } | null;
}

/** What was asked of an undo. */
export interface OperationUndo {
  /** What would have come due since: `leave` it, or `run` it now. */
  overdue: "leave" | "run";
  at: EpochMs;
  by: string;
  reason: string | null;
}

/** An operation as it is stored. */
export interface TaskOperation extends OperationPlan {
  id: string;
  state: OperationState;
  /** Since when it is on hold; null: it is not. */
  heldAt: EpochMs | null;
  heldBy: string | null;
  stopReason: OperationStopReason | null;
  /** Only tasks that were created before are changed. */
  createdAt: EpochMs;
  createdBy: string;
  reason: string | null;
  estimate: number | null;
  /** Pages that were made, those of the undo included. */
  pages: number;
  /** Tasks that were found. */
  found: number;
  changed: number;
  passed: Partial<Record<PassedCode, number>>;
  /** The last pages, the oldest first: when each was over, and how many tasks it changed or put back. */
  recent: readonly PagePace[];
  /** The label of the node that made the last page; null: none was made. */
  node: string | null;
  finishedAt: EpochMs | null;
  /** Null: nobody has asked for it. */
  undo: OperationUndo | null;
  undone: number;
  /** What the undo could not put back, and what it put back `WITHOUT_RESULT`, which is counted as undone too. */
  leftBehind: Partial<Record<UndoOutcome, number>>;
  /** When what it changed was forgotten: from then on it cannot be undone. Null: it is remembered. */
  forgottenAt: EpochMs | null;
}

export interface PagePace {
  at: EpochMs;
  changed: number;
}

/** Most pages whose pace is remembered. */
export const PACE_PAGES = 10;

/** A changed task as its operation remembers it. */
export interface ChangedTask {
  id: string;
  /** When it was changed. */
  at: EpochMs;
  /** Its state before, and behind the change. */
  from: TaskState;
  to: TaskState;
  outcome: TaskOutcome;
}

/** For so long after an operation's end what it changed is remembered, in milliseconds. */
export const OPERATION_MEMORY_MS = 86_400_000;

/** A larger result of a task is not remembered, in bytes. */
export const OPERATION_RESULT_BYTES = 65_536;

/** The most tasks that one operation may change. */
export const MAX_OPERATION_TASKS = 1_000_000;

/** The longest reason, in characters. */
export const MAX_OPERATION_REASON = 500;
