import { monoMs } from "./host-clock.js";

/** Which tasks started, and when by the host's monotonic clock: two columns of equal length. */
export interface Runs {
  readonly numbers: Int32Array;
  readonly atMonoMs: Float64Array;
}

const FIRST_CAPACITY = 65_536;

/** Takes down each start: two writes into arrays that double when they are full. */
export class RunLog {
  private numbers = new Int32Array(FIRST_CAPACITY);
  private atMonoMs = new Float64Array(FIRST_CAPACITY);
  private length = 0;

  /** Starts so far, or since the last `take`. */
  get count(): number {
    return this.length;
  }

  add(n: number): void {
    if (this.length === this.numbers.length) this.grow();
    this.numbers[this.length] = n;
    this.atMonoMs[this.length++] = monoMs();
  }

  /** All starts, oldest first. */
  runs(): Runs {
    return { numbers: this.numbers.slice(0, this.length), atMonoMs: this.atMonoMs.slice(0, this.length) };
  }

  /** All starts since the last call of this, oldest first. */
  take(): Runs {
    const runs = this.runs();
    this.length = 0;
    return runs;
  }

  private grow(): void {
    const { numbers, atMonoMs } = this;
    this.numbers = new Int32Array(numbers.length * 2);
    this.atMonoMs = new Float64Array(numbers.length * 2);
    this.numbers.set(numbers);
    this.atMonoMs.set(atMonoMs);
  }
}
