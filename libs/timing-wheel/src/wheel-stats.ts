import type { SlotLevels } from "./slot-levels.js";
import type { TimerRecords } from "./timer-records.js";

/** What one level of a wheel holds. */
export interface LevelStats {
  /** 0 is the finest. */
  level: number;
  ticksPerSlot: number;
  /** The level covers the ticks from here … */
  windowStartTick: number;
  /** … up to here, this tick excluded. */
  windowEndTick: number;
  size: number;
  occupiedSlots: number;
  /** Timers per slot, by slot number. */
  sizeBySlot: Uint32Array;
}

/** What a wheel holds: `size` is the sum of `overdue`, `parked` and the `size` of each level. */
export interface TimingWheelStats {
  size: number;
  capacity: number;
  /** The wheel has handed out, or is handing out, everything up to this tick. */
  reachedTick: number;
  /** Timers whose tick was reached and that were not handed out yet. */
  overdue: number;
  /** Timers beyond the range of the levels. */
  parked: number;
  levels: LevelStats[];
}

/**
 * Counts the timers by the slot of their deadline, in one pass over the records. Timers of a cascade that is still open
 * are counted where they are going.
 */
export function collectStats(levels: SlotLevels, records: TimerRecords, reachedTick: number): TimingWheelStats {
  const sizes = Array.from({ length: levels.levelCount }, () => new Uint32Array(levels.slotsPerLevel));
  let overdue = 0;
  let parked = 0;
  records.forEachLive((record) => {
    const tick = records.deadlineTick(record);
    if (tick <= reachedTick) {
      overdue++;
      return;
    }
    const stripe = levels.stripeOf(tick);
    if (stripe >= 0) sizes[levels.levelOf(stripe)]![levels.placeOf(stripe)]!++;
    else parked++;
  });
  const byLevel = sizes.map((sizeBySlot, level) => levelStats(levels, level, sizeBySlot));
  return { size: records.size, capacity: records.capacity, reachedTick, overdue, parked, levels: byLevel };
}

function levelStats(levels: SlotLevels, level: number, sizeBySlot: Uint32Array): LevelStats {
  return {
    level,
    ticksPerSlot: levels.ticksPerSlot(level),
    windowStartTick: levels.windowStartTick(level),
    windowEndTick: levels.windowEndTick(level),
    size: sizeBySlot.reduce((sum, size) => sum + size, 0),
    occupiedSlots: sizeBySlot.reduce((count, size) => count + (size > 0 ? 1 : 0), 0),
    sizeBySlot,
  };
}
