import type { JsonText } from "../task/json-text.js";
import type { Due, Task, TypeId } from "../task/task.js";

/** What people and programs ask of a task that exists, and what a store answers. */

export type TaskTarget = { namespace: string; id: string } | { namespace: string; type: string; key: string };
export interface CancelRequest {
  target: TaskTarget;
  actor: string;
}

/** Cancels one task by its id, where it waits. */
export interface ScheduledCancel {
  namespace: string;
  id: string;
  actor: string;
}
/** What tasks a call cancels, if they wait. */
export interface CancelTogether {
  requests: readonly ScheduledCancel[];
  /** Types of which nobody keeps cancelled tasks: their rows only go, but for members of batches. Default: none. */
  forgotten?: readonly TypeId[];
}
/** A cancelled task, told briefly. */
export type CancelledRef = Pick<Task, "id" | "namespace" | "typeId" | "finishedAt">;
export type CancelReply =
  /** `cancelled` also where it already was. `cancel_requested`: `task.owner` runs it and should be told. */
  { outcome: "cancelled" | "cancel_requested" | "too_late"; task: Task } | { outcome: "not_found" };
/** The same, with no more than the id of a task that is cancelled. */
export type BriefCancelReply =
  | { outcome: "cancelled"; id: string }
  | { outcome: "cancel_requested" | "too_late"; task: Task }
  | { outcome: "not_found" };

export interface EditRequest {
  namespace: string;
  id: string;
  /** `payloadVersion`: of a handler task's new payload; absent or null: it has none. */
  changes: { due?: Due; payload?: JsonText; payloadVersion?: number | null; priority?: number; maxAttempts?: number };
  /** Refuse unless the task has this version. */
  expectedVersion?: number | null;
  /** Refuse a paused task, too. Default false. */
  isForScheduledOnly?: boolean;
  actor: string;
}
export type EditReply =
  | { outcome: "changed" | "state_conflict" | "version_mismatch"; task: Task }
  | { outcome: "not_found" };

/** Pauses or resumes a task. */
export interface PauseRequest {
  target: TaskTarget;
  actor: string;
}
export type PauseReply =
  /**
   * `unchanged`: it was paused, or scheduled, already. `state_conflict`: it runs or has ended. `occurrence`: it belongs
   * to a schedule, which can be paused instead.
   */
  { outcome: "changed" | "unchanged" | "state_conflict" | "occurrence"; task: Task } | { outcome: "not_found" };

export interface RetryRequest {
  namespace: string;
  id: string;
  actor: string;
}
export type RetryReply =
  | { outcome: "scheduled" | "state_conflict" | "key_conflict"; task: Task }
  | { outcome: "not_found" };
