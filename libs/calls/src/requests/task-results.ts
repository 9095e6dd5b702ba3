import type { CreateOutcome } from "@tickwheel/core";
import type { TaskView } from "./task-view.js";

/** What became of a call for one task. */
export interface TaskResult<View = TaskView> {
  outcome: CreateOutcome;
  /** As it is now. */
  task: View;
  /** The idempotency key had been used for the same call: nothing was written, and this is its first answer again. */
  replayed: boolean;
}

/** What became of a cancel. `cancel_requested`: it runs, and its handler is told; `too_late`: it has ended. */
export interface CancelledTask<View = TaskView> {
  outcome: "cancelled" | "cancel_requested" | "not_found" | "too_late";
  task?: View;
}

/** What became of one of many ids. */
export interface CancelledItem<View = TaskView> extends CancelledTask<View> {
  id: string;
}

/** What became of one of many ids. `state_conflict`: it has not finished; `key_conflict`: a live task has its key. */
export interface RetriedItem<View = TaskView> {
  id: string;
  outcome: "scheduled" | "not_found" | "state_conflict" | "key_conflict";
  /** As it is now. */
  task?: View;
}
