import { Bitmap } from "./bitmap.js";

/** A slot above level 0 has at most 2 ** this stripes. */
const MAX_STRIPE_BITS = 3;

/**
 * Which tick belongs to which slot: the levels of a wheel, where each stands, and what is occupied.
 *
 * A slot of level 0 is one tick wide, a slot of any other level as wide as the whole level below. A level covers a
 * window: the block of its whole width, aligned to that width, in which the wheel stands now. A tick belongs to the
 * lowest level whose window contains it. With four slots a level, at tick 9: level 0 covers 8 … 11 by single
 * ticks, level 1 covers 0 … 15 in slots of four ticks, of which slot 3 (12 … 15) is the only one still ahead.
 *
 * A slot above level 0 is divided into stripes, eighths of its time, and each stripe has a list of its own. For what is
 * due when, that changes nothing: all stripes of a slot cascade together. But who walks one list waits for the memory
 * of each timer before it learns of the next; eight lists walked in step have eight timers on their way at once.
 *
 * Stripes are numbered through: those of level 0 (one a slot), then those of level 1, and so on; the first stripe of a
 * slot names the slot.
 *
 * Invariants: each window lies within a single slot of the window above, and that slot is empty; no slot that lies
 * behind the wheel is occupied. So the first occupied stripe of the lowest level that has one is the earliest.
 * Cost: O(levels) at worst, nothing depends on the number of timers.
 */
export class SlotLevels {
  readonly slotsPerLevel: number;
  readonly stripesPerSlot: number;
  /** How many stripes all levels have together. */
  readonly stripeCount: number;
  private readonly stripeBits: number;
  /** Ticks per slot, by level, and last what the highest level covers. */
  private readonly widthTicks: Float64Array;
  private readonly stripesPerTick: Float64Array;
  private readonly startTick: Float64Array;
  private readonly endTick: Float64Array;
  private readonly occupied: Bitmap;

  constructor(
    private readonly slotBits: number,
    readonly levelCount: number,
  ) {
    this.slotsPerLevel = 1 << slotBits;
    // No stripe is narrower than a tick: the slots of level 1 are 2 ** slotBits wide.
    this.stripeBits = Math.min(slotBits, MAX_STRIPE_BITS);
    this.stripesPerSlot = 1 << this.stripeBits;
    this.stripeCount = this.firstStripeOf(levelCount);
    this.widthTicks = Float64Array.from({ length: levelCount + 1 }, (_, level) => 2 ** (slotBits * level));
    this.stripesPerTick = this.widthTicks.map((ticks, level) => (level === 0 ? 1 : this.stripesPerSlot) / ticks);
    this.startTick = new Float64Array(levelCount);
    this.endTick = new Float64Array(levelCount);
    this.occupied = new Bitmap(this.stripeCount);
  }

  get memoryBytes(): number {
    return this.occupied.memoryBytes;
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

  /** The stripe that a tick not behind the wheel belongs to, or -1 if it lies beyond the highest level. */
  stripeOf(tick: number): number {
    if (tick < this.endTick[0]!) return (tick - this.startTick[0]!) | 0;
    for (let level = 1; level < this.levelCount; level++) {
      if (tick < this.endTick[level]!) {
        // Exact, since widths are powers of two; the quotient is a stripe's number, so it fits 32 bits.
        return this.firstStripeOf(level) + (((tick - this.startTick[level]!) * this.stripesPerTick[level]!) | 0);
      }
    }
    return -1;
  }

  occupy(stripe: number): void {
    this.occupied.set(stripe);
  }

  vacate(stripe: number): void {
    this.occupied.clear(stripe);
  }

  /**
   * Vacates all stripes of a slot above level 0. Returns which were occupied, as bits, its first stripe as the highest.
   */
  vacateSlot(slot: number): number {
    return this.occupied.clearRange(slot, this.stripesPerSlot);
  }

  /** The earliest occupied stripe, or -1. */
  firstOccupied(): number {
    return this.occupied.first();
  }

  levelOf(stripe: number): number {
    return stripe < this.slotsPerLevel ? 0 : 1 + ((stripe - this.slotsPerLevel) >> (this.slotBits + this.stripeBits));
  }

  /** The first stripe of the slot of a stripe. */
  slotOf(stripe: number): number {
    return stripe < this.slotsPerLevel ? stripe : stripe & -this.stripesPerSlot;
  }

  /** The place of a stripe's slot in its level, from 0. */
  placeOf(stripe: number): number {
    const level = this.levelOf(stripe);
    return level === 0 ? stripe : (stripe - this.firstStripeOf(level)) >> this.stripeBits;
  }

  /** The first tick of a stripe. */
  startTickOf(stripe: number): number {
    const level = this.levelOf(stripe);
    return this.startTick[level]! + (stripe - this.firstStripeOf(level)) / this.stripesPerTick[level]!;
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

  private firstStripeOf(level: number): number {
    return level === 0 ? 0 : this.slotsPerLevel + ((level - 1) << (this.slotBits + this.stripeBits));
  }
}

function alignDown(tick: number, widthTicks: number): number {
  return Math.floor(tick / widthTicks) * widthTicks;
}
