import type { OrderWithinTick } from "./overdue-heap.js";
import { MAX_CAPACITY } from "./timer-records.js";

const MAX_SLOT_BITS = 12;
const MAX_RANGE_BITS = 48;

/** What can be chosen about a wheel; all of it has a default. */
export interface TimingWheelOptions {
  /**
   * How many timers the wheel can hold, 1 … 16,777,216 (default: the most). Address space for all is reserved at once;
   * memory is used only for as many as there ever were at one time.
   */
  capacity?: number;
  /** A level has 2 ** slotBits slots; 1 … 12 (default 12, so 4,096 slots). */
  slotBits?: number;
  /**
   * How many levels; at least 1, and slotBits × levels at most 48 (default 4). Together they span 2 ** (slotBits ×
   * levels) ticks.
   */
  levels?: number;
  /** The tick at which the wheel begins, an integer from 0 (default 0). Best near the caller's present tick. */
  startTick?: number;
  /** How timers of one tick are ordered: `insertion` (default), or `priority`, lowest number first, then insertion. */
  orderWithinTick?: OrderWithinTick;
}

/**
 * Fills in the defaults and checks each option and how they relate.
 * @throws RangeError that names the option and what it may be.
 */
export function resolveOptions(options: TimingWheelOptions): Required<TimingWheelOptions> {
  const { capacity = MAX_CAPACITY, slotBits = 12, levels = 4, startTick = 0, orderWithinTick = "insertion" } = options;
  requireInteger("capacity", capacity, [1, MAX_CAPACITY]);
  requireInteger("slotBits", slotBits, [1, MAX_SLOT_BITS]);
  requireInteger("levels", levels, [1, Math.floor(MAX_RANGE_BITS / slotBits)]);
  requireInteger("startTick", startTick, [0, Number.MAX_SAFE_INTEGER]);
  if (orderWithinTick !== "insertion" && orderWithinTick !== "priority") {
    throw new RangeError(`orderWithinTick must be "insertion" or "priority", not ${String(orderWithinTick)}`);
  }
  return { capacity, slotBits, levels, startTick, orderWithinTick };
}

/** @throws RangeError unless `value` is an integer within the bounds, both included. */
export function requireInteger(name: string, value: number, [least, most]: readonly [number, number]): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} must be an integer from ${least} to ${most}, not ${String(value)}`);
}
