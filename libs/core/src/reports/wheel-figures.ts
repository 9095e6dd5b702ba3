import type { EpochMs, TypeId } from "../task/task.js";

/** The wheel of all nodes looks ahead so far. */
export const WHEEL_SECONDS = 60;
/** How many of the tasks that are due within that time are looked at, at most. */
export const MAX_WHEEL_TASKS = 500_000;
/** How many types of a second are told by name. */
export const MAX_TYPES_OF_SECOND = 3;

/** How the slots of each type fall to the nodes of one view. */
export interface SlotOwners {
  /** 0: there is no view yet. */
  viewNumber: number;
  /** Types that nodes run, each with its place in `divisions`. */
  types: readonly { typeId: TypeId; division: number }[];
  /** By slot, the owner's place among the view's nodes. Types that the same nodes run share one. */
  divisions: readonly Uint16Array[];
  /** False: there are more divisions than are told; types of the others are counted as if they had no owner. */
  isWhole: boolean;
}

/** The minute to come, of all namespaces: by second, and by who owns it. */
export interface WheelReading {
  countedAt: EpochMs;
  /** Not all tasks were looked at: the figures are the least there is. */
  incomplete: boolean;
  /** {@link WHEEL_SECONDS} of them, from now on. */
  seconds: WheelSecond[];
  /** The shares of the owners that have something to come or overdue. */
  shares: WheelShare[];
}

export interface WheelSecond {
  due: number;
  /** Most first, {@link MAX_TYPES_OF_SECOND} at most. */
  types: { type: string; due: number }[];
}

export interface WheelShare {
  /** Its place among the view's nodes; null: no node owns these. */
  owner: number | null;
  /** By second. */
  dues: number[];
  /** How many are overdue; `MAX_COUNTED_OVERDUE` + 1 of all owners together are counted at most. */
  overdue: number;
  /** Null: nothing is due within this time. */
  nextDueAt: EpochMs | null;
}
