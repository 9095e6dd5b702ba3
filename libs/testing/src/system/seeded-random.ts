import type { Random } from "@tickwheel/core";

const TWO_TO_32 = 4_294_967_296;

/**
 * Repeatable random numbers: the same seed gives the same numbers. Mulberry32 (public domain), 32 bits of state. It is
 * good enough for tests, but not for secrets.
 *
 * @example new SeededRandom(7).next() === new SeededRandom(7).next() // true
 */
export class SeededRandom implements Random {
  private state: number;

  /** @param seed an integer; its lower 32 bits count */
  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  next(): number {
    return this.nextUint32() / TWO_TO_32;
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.nextUint32() >>> 24);
  }

  private nextUint32(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }
}
