import { SlotBitmap } from "./slot-bitmap.js";

/**
 * Which tick belongs to which slot: the levels of a wheel, where each stands, and which of their slots are occupied.
 *
 * A slot of level 0 is one tick wide, a slot of any other level as wide as the whole level below. A level covers a
 * window: the block of its whole width, aligned to that width, in which the wheel stands now. A tick belongs to the
 * lowest level whose window contains it. With four slots a level, at tick 9: level 0 covers 8 … 11 by single
 * ticks, level 1 covers 0 … 15 in slots of four ticks, of which slot 3 (12 … 15) is the only one still ahead.
 *
 * Slots are numbered through: level × slots per level + slot.
 *
 * Invariants: each window lies within a single slot of the window above, and that slot is empty; no slot that lies
 * behind the wheel is occupied. So the first occupied slot of the lowest level that has one is the earliest.
 * Cost: O(levels) at worst, nothing depends on the number of timers.
 */
export class SlotLevels {
  readonly slotsPerLevel: number;
  /** How many slots all levels have together. */
  readonly slotCount: number;
  /** Ticks per slot, by level, and last what the highest level covers. */
  private readonly widthTicks: Float64Array;
  private readonly slotsPerTick: Float64Array;
  private readonly startTick: Float64Array;
  private readonly endTick: Float64Array;
  private readonly occupied: SlotBitmap[];

  constructor(
    private readonly slotBits: number,
    readonly levelCount: number,
  ) {
    this.slotsPerLevel = 2 ** slotBits;
    this.slotCount = levelCount * this.slotsPerLevel;
    this.widthTicks = Float64Array.from({ length: levelCount + 1 }, (_, level) => 2 ** (slotBits * level));
    this.slotsPerTick = this.widthTicks.map((ticks) => 1 / ticks);
    this.startTick = new Float64Array(levelCount);
    this.endTick = new Float64Array(levelCount);
    this.occupied = Array.from({ length: levelCount }, () => new SlotBitmap(this.slotsPerLevel));
  }

  ticksPerSlot(level: number): number {
    return this.widthTicks[level]!;
  }

  /** First tick of the window of a level. */
  windowStartTick(level: number): number {
    return this.startTick[level]!;
  }

  /** First tick after the window of a level. */
  windowEndTick(level: number): number {
    return this.endTick[level]!;
  }

  /** The slot that a tick not behind the wheel belongs to, or -1 if it lies beyond the highest level. */
  slotOf(tick: number): number {
    for (let level = 0; level < this.levelCount; level++) {
      if (tick < this.endTick[level]!) {
        // Exact, since widths are powers of two; the quotient is a slot's number, so it fits 32 bits.
        return (level << this.slotBits) + (((tick - this.startTick[level]!) * this.slotsPerTick[level]!) | 0);
      }
    }
    return -1;
  }

  occupy(slot: number): void {
    this.occupied[slot >> this.slotBits]!.set(slot & (this.slotsPerLevel - 1));
  }

  vacate(slot: number): void {
    this.occupied[slot >> this.slotBits]!.clear(slot & (this.slotsPerLevel - 1));
  }

  /** The earliest occupied slot, or -1. */
  firstOccupied(): number {
    for (let level = 0; level < this.levelCount; level++) {
      const slot = this.occupied[level]!.first();
      if (slot >= 0) return (level << this.slotBits) + slot;
    }
    return -1;
  }

  levelOf(slot: number): number {
    return slot >> this.slotBits;
  }

  /** The first tick of a slot. */
  startTickOf(slot: number): number {
    const level = this.levelOf(slot);
    return this.startTick[level]! + (slot & (this.slotsPerLevel - 1)) * this.widthTicks[level]!;
  }

  /** Where the window of the highest level will begin when the wheel stands at `tick`. */
  rangeStartTick(tick: number): number {
    return alignDown(tick, this.widthTicks[this.levelCount]!);
  }

  /** Moves the windows that do not contain `tick`; they must be empty, and everything occupied must lie ahead of it. */
  standAt(tick: number): void {
    for (let level = 0; level < this.levelCount && tick >= this.endTick[level]!; level++) {
      const windowTicks = this.widthTicks[level + 1]!;
      this.startTick[level] = alignDown(tick, windowTicks);
      this.endTick[level] = this.startTick[level]! + windowTicks;
    }
  }
}

function alignDown(tick: number, widthTicks: number): number {
  return Math.floor(tick / widthTicks) * widthTicks;
}
