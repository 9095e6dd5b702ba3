/** So many of the records that were released last are kept at hand; when there are more, the older half goes to the bitmap. */
export const AT_HAND = 1_024;
const BITS_PER_WORD = 32;
const FIRST_BIT = 0x80000000;

/**
 * The records that were released, in the order in which they are best taken again.
 *
 * The few that were released last are taken first: they are still in the processor's cache. All others are kept as bits and taken in
 * the order of memory, from a cursor that goes round: then the processor sees what comes next and has it near in time. A free list
 * through the records themselves would hand them out in the order in which their timers ended, which is any, and each
 * would be found only by way of the one before it, a cache miss that nothing can overlap: an insert took three times as long.
 *
 * Invariant: a free record is at hand, or has its bit set, in `words` or in `bits`; a bit of the summary is set exactly if its word is
 * not zero. Cost: `put` and `take` O(1) without allocation, on average: the cursor passes over the whole summary
 * (16,384 words with 2 ** 24 records) at most once per 512 records. Memory: one bit per record.
 */
export class FreeRecords {
  private readonly atHand = new Int32Array(AT_HAND);
  private atHandCount = 0;
  private readonly words: Int32Array;
  private readonly summary: Int32Array;
  /** Free records that are not at hand. */
  private asBits = 0;
  /** The word whose records are taken now, and what is left of it; in `words` it is 0, or holds what came back since. */
  private cursor = 0;
  private bits = 0;

  /** @param end records are numbered from 0 to below `end` */
  constructor(end: number) {
    this.words = new Int32Array(Math.ceil(end / BITS_PER_WORD));
    this.summary = new Int32Array(Math.ceil(this.words.length / BITS_PER_WORD));
  }

  get memoryBytes(): number {
    return this.atHand.byteLength + this.words.byteLength + this.summary.byteLength;
  }

  put(record: number): void {
    if (this.atHandCount === AT_HAND) this.putAway();
    this.atHand[this.atHandCount++] = record;
  }

  /** One of those that were put; -1 if there is none. */
  take(): number {
    if (this.atHandCount > 0) return this.atHand[--this.atHandCount]!;
    return this.asBits > 0 ? this.takeNext() : -1;
  }

  private putAway(): void {
    const half = AT_HAND / 2;
    for (let i = 0; i < half; i++) this.mark(this.atHand[i]!);
    this.atHand.copyWithin(0, half);
    this.atHandCount = AT_HAND - half;
    this.asBits += half;
  }

  private mark(record: number): void {
    const word = record >>> 5;
    this.words[word]! |= FIRST_BIT >>> (record & 31);
    this.summary[word >>> 5]! |= FIRST_BIT >>> (word & 31);
  }

  private takeNext(): number {
    if (this.bits === 0) this.takeUp(this.nextWord());
    const bit = Math.clz32(this.bits);
    this.bits &= ~(FIRST_BIT >>> bit);
    this.asBits--;
    return this.cursor * BITS_PER_WORD + bit;
  }

  private takeUp(word: number): void {
    this.cursor = word;
    this.bits = this.words[word]!;
    this.words[word] = 0;
    this.summary[word >>> 5]! &= ~(FIRST_BIT >>> (word & 31));
  }

  /** The first word with a bit from the cursor on, or from the start: there is one. */
  private nextWord(): number {
    const { summary } = this;
    let at = this.cursor >>> 5;
    let bits = summary[at]! & (-1 >>> (this.cursor & 31));
    while (bits === 0) {
      at = at + 1 === summary.length ? 0 : at + 1;
      bits = summary[at]!;
    }
    return at * BITS_PER_WORD + Math.clz32(bits);
  }
}
