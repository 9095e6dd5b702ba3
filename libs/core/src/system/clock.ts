/** A timer that has been set. Clearing it twice, or after it fired, does nothing. */
export interface ClockTimer {
  clear(): void;
}

/** Node fires a timer beyond this at once, so no raw timer is ever longer. */
export const MAX_TIMER_MS = 2_147_483_647;

/**
 * Time as a node feels it: a monotonic reading, timers, the end of the present step, and the next turn of the event
 * loop. There is no wall clock here:
 * what is due is decided by the database's clock, and ages are measured monotonically. Implemented by `SystemClock` and
 * by the manual clock of the testing library.
 *
 * Work that is put off here is the node's own from then on: it runs in the context of the node, not in that of the
 * caller who caused it.
 */
export interface Clock {
  /** Milliseconds since an arbitrary origin, with fractions; never goes back. */
  monotonicMs(): number;
  /**
   * Calls `callback` once, `delayMs` from now at the earliest; longer waits than {@link MAX_TIMER_MS} are cut to it, so
   * callers re-check.
   */
  setTimer(delayMs: number, callback: () => void): ClockTimer;
  /** Calls `callback` once the present step is over, before any timer: a microtask. */
  soon(callback: () => void): void;
  /**
   * Calls `callback` in a later turn of the event loop, after what else waits for one. It is no instant of the clock: a
   * clock that stands still gives turns all the same.
   */
  nextTurn(callback: () => void): void;
}

/** Waits on a clock. Resolves early (without an error) when `signal` aborts; look at `signal.aborted`. */
export function wait(clock: Pick<Clock, "setTimer">, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      timer.clear();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.setTimer(delayMs, done);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Gives up the present turn of the event loop. For long work, so that others get on in between. */
export function giveTurn(clock: Pick<Clock, "nextTurn">): Promise<void> {
  return new Promise((resolve) => clock.nextTurn(resolve));
}

/**
 * Waits for work for a bounded time. The work itself goes on after that.
 *
 * @returns whether the work was done in time
 * @throws what the work throws in time
 */
export async function doneWithin(
  clock: Pick<Clock, "setTimer">,
  limitMs: number,
  work: Promise<unknown>,
): Promise<boolean> {
  let timer: ClockTimer | undefined;
  const timeIsUp = new Promise<false>((resolve) => {
    timer = clock.setTimer(limitMs, () => resolve(false));
  });
  try {
    return await Promise.race([work.then(() => true as const), timeIsUp]);
  } finally {
    timer?.clear();
  }
}

/**
 * A pause that its owner can end early; one at a time, as often as wanted. For loops: a signal for each of their waits
 * would cost more than all else that an idle one does.
 *
 * @example
 * while (isWanted()) await rest.take(1_000); // elsewhere: rest.end()
 */
export class Rest {
  private timer: ClockTimer | null = null;
  private resume: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  /** Resolves after `delayMs`, or when it is ended. */
  take(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.timer = this.clock.setTimer(delayMs, () => this.end());
      this.resume = resolve;
    });
  }

  /** Ends the pause under way, if there is one. */
  end(): void {
    const { timer, resume } = this;
    this.timer = this.resume = null;
    timer?.clear();
    resume?.();
  }
}
