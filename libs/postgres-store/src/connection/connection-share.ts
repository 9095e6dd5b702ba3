import { type Clock, type ClockTimer, SystemClock, TickwheelError } from "@tickwheel/core";
import { FairLine, type LinePlace } from "./fair-line.js";

/** Who wants a connection. */
export interface ShareCaller extends LinePlace {
  /** Whether the work may take many statements. */
  isLong: boolean;
}

interface Waiter {
  admit: () => void;
  timer: ClockTimer;
}

const ANYBODY: ShareCaller = { namespace: "", isLong: false };

/**
 * A share of a pool. One kind of work uses at most this many of the pool's connections at once, so that other kinds of
 * work always find one. Further callers wait in line, in the turns of a {@link FairLine}: of namespaces, and within a
 * namespace of its callers. Long work leaves one connection of several to the rest; where both wait, they take turns.
 *
 * On failure: `STORE_UNAVAILABLE` after `patienceMs` in line, of long work after `longPatienceMs` (default: the same);
 * nothing was sent then. The callers bound the length of the line.
 */
export class ConnectionShare {
  private readonly inUse = { short: 0, long: 0 };
  private readonly lines = { short: new FairLine<Waiter>(), long: new FairLine<Waiter>() };
  private readonly mostLong: number;
  private isLongNext = false;

  constructor(
    private readonly limits: { connections: number; patienceMs: number; longPatienceMs?: number },
    private readonly clock: Clock = new SystemClock(),
  ) {
    this.mostLong = Math.max(1, limits.connections - 1);
  }

  async run<Result>(work: () => Promise<Result>, caller: ShareCaller = ANYBODY): Promise<Result> {
    const kind = caller.isLong ? "long" : "short";
    if (this.hasRoom(kind)) this.inUse[kind]++;
    else await this.turn(caller, kind);
    try {
      return await work();
    } finally {
      this.inUse[kind]--;
      this.admitNext();
    }
  }

  private hasRoom(kind: "short" | "long"): boolean {
    const { short, long } = this.inUse;
    return short + long < this.limits.connections && (kind === "short" || long < this.mostLong);
  }

  /** Resolves when another caller has left and its place is this one's. */
  private turn(caller: ShareCaller, kind: "short" | "long"): Promise<void> {
    const { patienceMs: shortMs, longPatienceMs = shortMs } = this.limits;
    const patienceMs = kind === "long" ? longPatienceMs : shortMs;
    const line = this.lines[kind];
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        admit: resolve,
        timer: this.clock.setTimer(patienceMs, () => {
          line.remove(caller, waiter);
          const message = `No connection to Postgres was free within ${patienceMs} ms, nothing was sent`;
          reject(new TickwheelError("STORE_UNAVAILABLE", message));
        }),
      };
      line.add(caller, waiter);
    });
  }

  private admitNext(): void {
    const kinds = this.isLongNext ? (["long", "short"] as const) : (["short", "long"] as const);
    for (const kind of kinds) {
      const waiter = this.hasRoom(kind) ? this.lines[kind].take() : undefined;
      if (!waiter) continue;
      this.inUse[kind]++;
      this.isLongNext = kind === "short";
      waiter.timer.clear();
      return waiter.admit();
    }
  }
}
