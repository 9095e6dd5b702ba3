import { randomBytes } from "node:crypto";
import type { Random } from "./random.js";

/** The operating system's random source, in blocks, since ids are made at high rates. */
export class SystemRandom implements Random {
  private block: Buffer = Buffer.alloc(0);
  private used = 0;

  next(): number {
    return Math.random();
  }

  bytes(count: number): Uint8Array {
    if (count > BLOCK_BYTES) return randomBytes(count);
    if (this.used + count > this.block.length) {
      this.block = randomBytes(BLOCK_BYTES);
      this.used = 0;
    }
    this.used += count;
    return this.block.subarray(this.used - count, this.used);
  }
}

const BLOCK_BYTES = 4_096;
