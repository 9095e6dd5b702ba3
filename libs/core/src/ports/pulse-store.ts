import type { TypeId } from "../task/task.js";

/** What a pulse is asked beside what it always tells. */
export interface PulseRequest {
  /** The types among whose tasks some may be past their start deadline. */
  expiring: readonly TypeId[];
  /** Whether to look for dead owners of running tasks, which only the leader takes back. */
  asksOwners: boolean;
}

/**
 * Whether there is anything to do for the chores that look each second. True may say too much, never too little: what
 * was committed before the pulse was asked and is to be done is told.
 */
export interface Pulse {
  /** As {@link TaskStore.timeline}. */
  timeline: string | null;
  /** Ended tasks that `archive` would move. */
  endedTasks: boolean;
  /** Tasks of the types asked for that `expire` would end. */
  lateTasks: boolean;
  /** Owners that `deadOwners` would find. Null: it was not asked. */
  deadOwners: boolean | null;
  /** Deaths that are tallied and not counted in a group. */
  deadTallies: boolean;
  /** Ends of members that are tallied and not counted in their batches. */
  batchTallies: boolean;
  /** Batches that a review may still change: they are open, stop, have a deadline to come or a follow-up to make. */
  openBatches: boolean;
  /** Operations of which a page is due now or within {@link PULSE_AHEAD_MS}. */
  dueOperations: boolean;
  /** Schedules whose look has come. */
  dueSchedules: boolean;
}

/** How far ahead a pulse tells of operations, in milliseconds: their runner sets a timer for the next page. */
export const PULSE_AHEAD_MS = 1_000;

/** One look for many chores, so that an idle node does not send a statement for each. */
export interface PulseStore {
  /** @throws TickwheelError `STORE_UNAVAILABLE` */
  pulse(asked: PulseRequest): Promise<Pulse>;
}
