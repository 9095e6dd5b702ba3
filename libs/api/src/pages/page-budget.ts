import { type Clock, TickwheelError } from "@tickwheel/core";
import { UsageByCaller } from "../limits/usage-by-caller.js";

const MEBIBYTE = 1024 * 1024;
/** Bytes are counted anew after so long, in milliseconds. */
const PERIOD_MS = 10_000;
/** An answer counts as so many bytes at least: it costs more than what it holds. */
const LEAST_BYTES = 16 * 1024;

export interface PageShares {
  /** The budget of all addresses together. */
  node: number;
  /** The budget of one address. */
  address: number;
}

/** A page that is loaded anew is five answers and half a mebibyte at most. */
const BYTES: PageShares = { node: 80 * MEBIBYTE, address: 20 * MEBIBYTE };
/** A browser has six connections. */
const IN_PROGRESS: PageShares = { node: 128, address: 16 };

/**
 * How much of the public files a node gives, and of that to each address: answers at once, and bytes in ten seconds.
 * Callers without a key read them, so they must not take what those with a key need. It remembers an address for ten
 * seconds at most.
 */
export class PageBudget {
  private readonly inProgress = new UsageByCaller();
  private given = new UsageByCaller();
  private endsMonoMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  /** Takes an answer of so many bytes; `done` is to be called when it is over. @throws TickwheelError `RATE_LIMITED` */
  take(address: string, bytes: number): void {
    this.turn();
    if (isOver(this.inProgress, address, IN_PROGRESS) || isOver(this.given, address, BYTES))
      throw new TickwheelError("RATE_LIMITED", "The files of this node's pages are read by too many just now.");
    this.inProgress.add(address);
    this.given.add(address, Math.max(bytes, LEAST_BYTES));
  }

  done(address: string): void {
    this.inProgress.remove(address);
  }

  private turn(): void {
    const now = this.clock.monotonicMs();
    if (now < this.endsMonoMs) return;
    this.endsMonoMs = now + PERIOD_MS;
    this.given = new UsageByCaller();
  }
}

function isOver(shares: UsageByCaller, address: string, { node, address: most }: PageShares): boolean {
  return shares.total >= node || shares.of(address) >= most;
}
