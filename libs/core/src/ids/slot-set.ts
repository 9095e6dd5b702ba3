import { SLOT_COUNT } from "./task-id.js";

/**
 * A set of slots as 512 bytes; slot n is bit n % 8 (from the right) of byte n / 8, which is how Postgres'
 * `get_bit(bytea, n)` counts. Cheap to hand to a statement.
 */
export class SlotSet {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array = new Uint8Array(SLOT_COUNT / 8)) {
    this.bytes = bytes;
  }

  static all(): SlotSet {
    return new SlotSet(new Uint8Array(SLOT_COUNT / 8).fill(0xff));
  }

  add(slot: number): void {
    this.bytes[slot >> 3]! |= 1 << (slot & 7);
  }

  has(slot: number): boolean {
    return (this.bytes[slot >> 3]! & (1 << (slot & 7))) !== 0;
  }

  /** A new set of what is in either. */
  union(other: SlotSet): SlotSet {
    return new SlotSet(this.bytes.map((byte, index) => byte | other.bytes[index]!));
  }

  /** How many slots are in the set. */
  get size(): number {
    let count = 0;
    for (const byte of this.bytes) for (let rest = byte; rest !== 0; rest &= rest - 1) count++;
    return count;
  }

  /** The slots, ascending. */
  *[Symbol.iterator](): Iterator<number> {
    for (let slot = 0; slot < SLOT_COUNT; slot++) if (this.has(slot)) yield slot;
  }
}
