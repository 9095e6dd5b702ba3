/**
 * The one clock of a benchmark. All processes of a host read the same monotonic clock; the parent, which chooses the due times, relates
 * it to the wall clock. Both run at the same pace, so the relation holds until somebody sets the wall clock.
 */
export class HostClock {
  private constructor(
    /** What added to a monotonic reading gives epoch milliseconds. */
    readonly offsetMs: number,
  ) {}

  /** Waits, less than 2 ms, for the wall clock's next millisecond, which tells its time to some microseconds. */
  static read(): HostClock {
    const before = Date.now();
    let now = Date.now();
    while (now === before) now = Date.now();
    return new HostClock(now - monoMs());
  }

  /** Epoch milliseconds, with fractions. */
  now(): number {
    return monoMs() + this.offsetMs;
  }

  /** How far the wall clock was set since this clock was read. */
  driftMs(): number {
    return HostClock.read().offsetMs - this.offsetMs;
  }
}

/** The host's monotonic clock, the same in all processes. */
export function monoMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
