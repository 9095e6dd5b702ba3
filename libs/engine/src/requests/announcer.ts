import type { BootId, TaskHint } from "@tickwheel/core";

/** Tells nodes behind a commit what concerns them. */
export interface Announcer {
  /** Sends hints about tasks whose due time was set by a write that is committed. */
  publish(hints: TaskHint[]): void;
  /** A task was cancelled or paused before it ran. */
  forget(id: string): void;
  /** A running task should get the cancel request. */
  cancelRunning(execution: { id: string; owner: BootId | null; fence: number }): void;
}
