const LOOKS = 20;

/**
 * The one clock of a benchmark. All processes of a host read the same monotonic clock; the parent, which chooses the
 * due times, relates it to the wall clock. Both run at the same pace, so the relation holds until somebody sets the
 * wall clock.
 */
export class HostClock {
  private constructor(
    /** What added to a monotonic reading gives epoch milliseconds. */
    readonly offsetMs: number,
  ) {}

  /**
   * Looks at the start of some milliseconds of the wall clock. A look that is interrupted comes too late, so what it
   * gives is too small, never too great: the greatest is right to some microseconds. Takes up to 40 ms.
   */
  static read(): HostClock {
    return new HostClock(Math.max(...Array.from({ length: LOOKS }, lookAtOffsetMs)));
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

/** Waits for the wall clock's next millisecond. */
function lookAtOffsetMs(): number {
  const before = Date.now();
  let now = Date.now();
  while (now === before) now = Date.now();
  return now - monoMs();
}

/** The host's monotonic clock, the same in all processes. */
export function monoMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
