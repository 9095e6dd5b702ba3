import type { Finder, TaskHint } from "@tickwheel/core";

/**
 * A task on its way to a claim of this node: its hint, and when it passed the points of that way, in whole monotonic
 * milliseconds. One object for all of it, since there are thousands a second; whole, since a number with a fraction
 * would be an object of its own.
 */
export interface FoundTask extends TaskHint {
  /** Which layer brought it. */
  foundBy: Finder;
  /** Since when this node has known of it, with this due time. */
  knownMonoMs: number;
  /** When it left the wheel for the ready queue; `NEVER`: it has not. */
  readyMonoMs: number;
  /**
   * When a claim could first have taken it, if it had had a place; `NEVER`: no claim has been sent since it is ready.
   */
  offeredMonoMs: number;
}

/** Stands for an instant that has not come. */
export const NEVER = -1;

/** A task that a layer has just brought. */
export function foundTask(hint: TaskHint, foundBy: Finder, knownMonoMs: number): FoundTask {
  const { id, typeId, version, dueAt, priority } = hint;
  return { id, typeId, version, dueAt, priority, foundBy, knownMonoMs, readyMonoMs: NEVER, offeredMonoMs: NEVER };
}
