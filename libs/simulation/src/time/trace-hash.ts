const LANE_SEEDS = [0x9e3779b9, 0x7f4a7c15] as const;
const TEXT_MARK = 0x74;
const NUMBER_MARK = 0x6e;

/**
 * A hash of all that was added, in its order: two runs did the same if they have the same digest. Texts and numbers are
 * told apart, and so are `"ab", "c"` and `"a", "bc"`. Two lanes of MurmurHash3's 32-bit mixing (Appleby, public
 * domain), 64 bits together; it guards against chance, not against malice.
 *
 * @example new TraceHash().add("claim").add(12.5).digest() // 16 hex digits
 */
export class TraceHash {
  private first: number = LANE_SEEDS[0];
  private second: number = LANE_SEEDS[1];
  private words = 0;
  private readonly double = new Float64Array(1);
  private readonly halves = new Uint32Array(this.double.buffer);

  add(value: string | number): this {
    if (typeof value === "number") this.addNumber(value);
    else this.addText(value);
    return this;
  }

  /** The hash so far; more may be added afterwards. */
  digest(): string {
    return [this.first, this.second].map((lane) => hex(finish(lane ^ this.words))).join("");
  }

  private addNumber(value: number): void {
    this.double[0] = value;
    this.mix(NUMBER_MARK);
    this.mix(this.halves[0]!);
    this.mix(this.halves[1]!);
  }

  private addText(text: string): void {
    this.mix(TEXT_MARK);
    this.mix(text.length);
    for (let index = 0; index < text.length; index++) this.mix(text.charCodeAt(index));
  }

  private mix(word: number): void {
    this.words++;
    this.first = blend(this.first, word, 0xcc9e2d51);
    this.second = blend(this.second, word, 0x85ebca6b);
  }
}

function blend(lane: number, word: number, factor: number): number {
  const mixed = Math.imul(rotate(Math.imul(word, factor), 15), 0x1b873593);
  return (Math.imul(rotate(lane ^ mixed, 13), 5) + 0xe6546b64) | 0;
}

function finish(lane: number): number {
  let mixed = lane ^ (lane >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function hex(word: number): string {
  return word.toString(16).padStart(8, "0");
}
