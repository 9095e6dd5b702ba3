import { type Clock, type ClockTimer, SystemClock, TickwheelError } from "@tickwheel/core";

interface Waiter {
  admit: () => void;
  timer: ClockTimer;
}

/**
 * A share of a pool. One kind of work uses at most this many of the pool's connections at once, so that other kinds of
 * work always find one. Further callers wait in line, first come first served.
 *
 * On failure: `STORE_UNAVAILABLE` after `patienceMs` in line; nothing was sent then. The callers bound the length of
 * the line.
 */
export class ConnectionShare {
  private inUse = 0;
  private readonly line = new Set<Waiter>();

  constructor(
    private readonly limits: { connections: number; patienceMs: number },
    private readonly clock: Clock = new SystemClock(),
  ) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.inUse < this.limits.connections) this.inUse++;
    else await this.turn();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Resolves when another caller leaves and its place is free. */
  private turn(): Promise<void> {
    const { patienceMs } = this.limits;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: resolve,
        timer: this.clock.setTimer(patienceMs, () => {
          this.line.delete(waiter);
          const message = `No connection to Postgres was free within ${patienceMs} ms, nothing was sent`;
          reject(new TickwheelError("STORE_UNAVAILABLE", message));
        }),
      };
      this.line.add(waiter);
    });
  }

  private leave(): void {
    for (const waiter of this.line) {
      this.line.delete(waiter);
      waiter.timer.clear();
      return waiter.admit();
    }
    this.inUse--;
  }
}
