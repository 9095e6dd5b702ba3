/** Values that one poll may hand out: what the engine takes in one step. */
export const POLL_VALUES = 1_024;

/** Times that one poll of a wheel may move or hand out a timer: what the engine allows in one step. */
export const POLL_MOVES = 2_048;

/**
 * What every implementation under test can do. A tick is a millisecond; the queue reads no clock, it is told the time.
 *
 * The callers keep to this: a deadline is a whole number ahead of the last poll's `nowTick`, a handle is used only as
 * long as its timer waits, the time never goes back. A value is a whole number from 0.
 */
export interface TimerQueue<Handle> {
  /** Timers that wait, without cancelled ones that are still stored. */
  readonly size: number;

  /** Whether the last poll stopped at its limit with more that may be due. */
  readonly hasMore: boolean;

  /** Adds a timer. @returns what names it to `cancel` and `reschedule` */
  insert(deadlineTick: number, value: number): Handle;

  cancel(handle: Handle): void;

  /** Moves a timer. @returns what names it from now on */
  reschedule(handle: Handle, deadlineTick: number): Handle;

  /** One bounded step: writes values that are due to `out`, the oldest first. @returns how many */
  poll(nowTick: number, out: Float64Array): number;

  /** A lower bound of all deadlines; -1: nothing waits. A queue that cannot look ahead returns the next tick. */
  nextExpiryTick(): number;
}
