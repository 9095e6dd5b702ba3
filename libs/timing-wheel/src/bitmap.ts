/** Bits of a word. */
export const BITS_PER_WORD = 32;
/**
 * The highest bit of a word, which stands for the lowest number, so that the leading zeros of a word count up to its
 * first.
 */
export const FIRST_BIT = 0x80000000;

/**
 * A set of numbers: a bit for each, and above them a bit per word that is not zero.
 *
 * Invariant: a bit of the summary is set exactly if its word is not zero. Cost: `set` and `clear` touch two words;
 * `first` and `wordFrom` read the summary (4 words for 4,096 numbers) and one word. Numbers are the caller's to check:
 * no method tests its argument.
 */
export class Bitmap {
  private readonly words: Int32Array;
  private readonly summary: Int32Array;

  /** @param count for the numbers from 0 to below `count` */
  constructor(count: number) {
    this.words = new Int32Array(Math.ceil(count / BITS_PER_WORD));
    this.summary = new Int32Array(Math.ceil(this.words.length / BITS_PER_WORD));
  }

  get memoryBytes(): number {
    return this.words.byteLength + this.summary.byteLength;
  }

  set(number: number): void {
    const word = number >>> 5;
    this.words[word]! |= FIRST_BIT >>> (number & 31);
    this.summary[word >>> 5]! |= FIRST_BIT >>> (word & 31);
  }

  clear(number: number): void {
    const word = number >>> 5;
    this.words[word]! &= ~(FIRST_BIT >>> (number & 31));
    if (this.words[word] === 0) this.summary[word >>> 5]! &= ~(FIRST_BIT >>> (word & 31));
  }

  /**
   * Clears `count` numbers from `from` on, which lie in one word. Returns those that were set, as bits, `from` as the
   * highest.
   */
  clearRange(from: number, count: number): number {
    const word = from >>> 5;
    const all = this.words[word]!;
    const range = (-1 << (BITS_PER_WORD - count)) >>> (from & 31);
    this.words[word] = all & ~range;
    if ((all & ~range) === 0) this.summary[word >>> 5]! &= ~(FIRST_BIT >>> (word & 31));
    return (all & range) << (from & 31);
  }

  /** The lowest number that is set, or -1 if there is none. */
  first(): number {
    for (let i = 0; i < this.summary.length; i++) {
      const bits = this.summary[i]!;
      if (bits === 0) continue;
      const word = i * BITS_PER_WORD + Math.clz32(bits);
      return word * BITS_PER_WORD + Math.clz32(this.words[word]!);
    }
    return -1;
  }

  /** The first word with a bit from a word on, or from the start. The set must not be empty. */
  wordFrom(start: number): number {
    const { summary } = this;
    let at = start >>> 5;
    let bits = summary[at]! & (-1 >>> (start & 31));
    while (bits === 0) {
      at = at + 1 === summary.length ? 0 : at + 1;
      bits = summary[at]!;
    }
    return at * BITS_PER_WORD + Math.clz32(bits);
  }
}
