import { TickwheelError } from "@tickwheel/core";

/**
 * Hashes of one look, and hashes that wait, at most: a bound on memory, far beyond what is asked for between two looks.
 */
const DEFAULT_LIMITS = { batch: 1_000, waiting: 10_000 };

/** Looks hashes up: answers those that belong to something, with what they belong to. */
export type Look<Found> = (hashes: readonly string[]) => Promise<ReadonlyMap<string, Found>>;

interface Waiting<Found> {
  readonly found: Promise<Found | null>;
  resolve(key: Found | null): void;
  reject(error: unknown): void;
}

/**
 * Looks up hashes, one look at a time: what is asked for meanwhile is looked up together by the next one. So a caller
 * waits for two looks, however many others ask. A look that fails fails for those in it.
 */
export class LookUps<Found> {
  private readonly waiting = new Map<string, Waiting<Found>>();
  private isLooking = false;
  /** Hashes that were looked up since this was made. */
  looked = 0;

  constructor(
    private readonly look: Look<Found>,
    private readonly limits = DEFAULT_LIMITS,
  ) {}

  /** Hashes that wait for a look. */
  get waitingCount(): number {
    return this.waiting.size;
  }

  /** @throws TickwheelError `RATE_LIMITED` where too many wait already */
  async find(hash: string): Promise<Found | null> {
    const known = this.waiting.get(hash);
    if (known) return known.found;
    if (this.waiting.size >= this.limits.waiting)
      throw new TickwheelError(
        "RATE_LIMITED",
        "Too many keys or sessions that this node has not seen are tried just now.",
      );
    const one = waiting<Found>();
    this.waiting.set(hash, one);
    if (!this.isLooking) void this.lookOn();
    return one.found;
  }

  private async lookOn(): Promise<void> {
    this.isLooking = true;
    while (this.waiting.size > 0) await this.lookOnce(this.next());
    this.isLooking = false;
  }

  /** Those who have waited longest. */
  private next(): Map<string, Waiting<Found>> {
    const batch = new Map<string, Waiting<Found>>();
    for (const [hash, one] of this.waiting) {
      if (batch.size === this.limits.batch) break;
      batch.set(hash, one);
      this.waiting.delete(hash);
    }
    return batch;
  }

  private async lookOnce(batch: Map<string, Waiting<Found>>): Promise<void> {
    this.looked += batch.size;
    try {
      const found = await this.look([...batch.keys()]);
      for (const [hash, one] of batch) one.resolve(found.get(hash) ?? null);
    } catch (error) {
      for (const one of batch.values()) one.reject(error);
    }
  }
}

function waiting<Found>(): Waiting<Found> {
  let settle!: Pick<Waiting<Found>, "resolve" | "reject">;
  const found = new Promise<Found | null>((resolve, reject) => (settle = { resolve, reject }));
  return { found, ...settle };
}
