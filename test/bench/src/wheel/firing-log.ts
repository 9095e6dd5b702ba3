import { NEVER } from "./workload.js";

/** A queue that has lost or doubled a timer, or fired it early or late: its figures mean nothing. */
export class BrokenQueueError extends Error {
  override readonly name = "BrokenQueueError";
}

/**
 * Who fired when, in the order of firing. It is written while the time is taken, two stores next to each other for a
 * timer, and judged afterwards.
 */
export class FiringLog {
  private readonly values: Int32Array;
  private readonly ticks: Float64Array;
  private count = 0;

  /** All memory is touched here, so that it is not counted as the queue's. */
  constructor(capacity: number) {
    this.values = new Int32Array(capacity).fill(NEVER);
    this.ticks = new Float64Array(capacity).fill(NEVER);
  }

  get size(): number {
    return this.count;
  }

  /** Notes the first `count` of `out`. */
  append(out: Float64Array, count: number, nowTick: number): void {
    const { values, ticks } = this;
    let end = this.count;
    for (let i = 0; i < count; i++) {
      values[end] = out[i]!;
      ticks[end++] = nowTick;
    }
    this.count = end;
  }

  /**
   * Every timer that was not cancelled must have fired once and at its very tick, because the time went from expiry to
   * expiry: so none early, none late, all in order.
   * @param expectedTicks by timer number
   * @throws BrokenQueueError
   */
  check(expectedTicks: Float64Array): void {
    const waiting = expectedTicks.slice();
    for (let i = 0; i < this.count; i++) {
      const value = this.values[i]!;
      const expected = waiting[value];
      const actual = this.ticks[i]!;
      if (expected === undefined) throw new BrokenQueueError(`value ${value} was never inserted, but fired`);
      if (expected === NEVER) throw new BrokenQueueError(`timer ${value} fired twice, or though it was cancelled`);
      if (actual !== expected) throw new BrokenQueueError(`timer ${value} fired at tick ${actual}, due at ${expected}`);
      waiting[value] = NEVER;
    }
    const lost = waiting.findIndex((tick) => tick !== NEVER);
    if (lost >= 0) throw new BrokenQueueError(`timer ${lost} never fired, due at tick ${waiting[lost]}`);
  }
}
