const BITS_PER_WORD = 32;
const FIRST_BIT = 0x80000000;

/**
 * Which slots of one level are occupied: a bit per slot, and above them a bit per word that is not zero.
 *
 * Invariant: a bit of the summary is set exactly if its word is not zero.
 * Cost: `set` and `clear` touch two words; `first` reads the summary (4 words for 4,096 slots) and one word.
 * Slot 0 is the highest bit of its word, so that the number of leading zeros is the number of the first slot.
 * Slot numbers are the caller's to check: no method tests its argument.
 */
export class SlotBitmap {
  private readonly words: Int32Array;
  private readonly summary: Int32Array;

  constructor(slotCount: number) {
    this.words = new Int32Array(Math.ceil(slotCount / BITS_PER_WORD));
    this.summary = new Int32Array(Math.ceil(this.words.length / BITS_PER_WORD));
  }

  get memoryBytes(): number {
    return this.words.byteLength + this.summary.byteLength;
  }

  set(slot: number): void {
    const word = slot >>> 5;
    this.words[word]! |= FIRST_BIT >>> (slot & 31);
    this.summary[word >>> 5]! |= FIRST_BIT >>> (word & 31);
  }

  clear(slot: number): void {
    const word = slot >>> 5;
    this.words[word]! &= ~(FIRST_BIT >>> (slot & 31));
    if (this.words[word] === 0) this.summary[word >>> 5]! &= ~(FIRST_BIT >>> (word & 31));
  }

  /** Clears the bits of `count` slots from `slot` on, which lie in one word. Returns those that were set, `slot` as the highest bit. */
  clearRange(slot: number, count: number): number {
    const word = slot >>> 5;
    const all = this.words[word]!;
    const range = (-1 << (BITS_PER_WORD - count)) >>> (slot & 31);
    this.words[word] = all & ~range;
    if ((all & ~range) === 0) this.summary[word >>> 5]! &= ~(FIRST_BIT >>> (word & 31));
    return (all & range) << (slot & 31);
  }

  /** The lowest occupied slot, or -1 if there is none. */
  first(): number {
    for (let i = 0; i < this.summary.length; i++) {
      const bits = this.summary[i]!;
      if (bits === 0) continue;
      const word = i * BITS_PER_WORD + Math.clz32(bits);
      return word * BITS_PER_WORD + Math.clz32(this.words[word]!);
    }
    return -1;
  }
}
