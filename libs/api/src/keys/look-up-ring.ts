import type { Clock } from "@tickwheel/core";
import { type Look, LookUps } from "./look-ups.js";

/** How long a look-up is believed, in milliseconds: what is revoked works no longer than this. */
export const BELIEVED_MS = 5_000;
/** Texts that are remembered for what they are, and as many that are nothing: made-up ones push no other out. */
const MAX_REMEMBERED = 10_000;

/** What a ring has done, and what it holds. */
export interface LookUpCounts {
  looked: number;
  waiting: number;
  believed: number;
}

/** A look-up, under way or over. */
interface LookUp<Found> {
  found: Promise<Found | null>;
  untilMonoMs: number;
  isForgotten: boolean;
}

/**
 * Texts that were looked up, and how such texts are looked up again: those that are known never wait behind those that
 * are nothing.
 */
interface Remembered<Found> {
  readonly lookUps: Map<string, LookUp<Found>>;
  readonly ask: LookUps<Found>;
}

/**
 * Finds what belongs to hashes, remembering each look-up for a few seconds. The same hash is asked for once, however
 * many requests bear it, and hashes that are asked for at once are looked up together. So a caller who tries texts
 * keeps nobody waiting: neither callers whose text is known, nor those whose text is new here.
 */
export class LookUpRing<Found> {
  private readonly known: Remembered<Found>;
  private readonly strangers: Remembered<Found>;

  constructor(
    look: Look<Found>,
    private readonly clock: Pick<Clock, "monotonicMs">,
  ) {
    this.known = { lookUps: new Map(), ask: new LookUps(look) };
    this.strangers = { lookUps: new Map(), ask: new LookUps(look) };
  }

  /** @throws TickwheelError `RATE_LIMITED` for a hash that is not known yet, where thousands of them wait */
  async find(hash: string): Promise<Found | null> {
    const known = this.known.lookUps.get(hash) ?? this.strangers.lookUps.get(hash);
    if (known && known.untilMonoMs > this.clock.monotonicMs()) return known.found;
    return this.ask(hash, this.known.lookUps.has(hash) ? this.known : this.strangers);
  }

  /** How many hashes were looked up since this was made, how many wait, and how many are believed to be something. */
  get counts(): LookUpCounts {
    const nowMonoMs = this.clock.monotonicMs();
    const asks = [this.known.ask, this.strangers.ask];
    const believed = [...this.known.lookUps.values()].filter(({ untilMonoMs }) => untilMonoMs > nowMonoMs);
    return {
      looked: asks.reduce((sum, { looked }) => sum + looked, 0),
      waiting: asks.reduce((sum, { waitingCount }) => sum + waitingCount, 0),
      believed: believed.length,
    };
  }

  /** What is remembered of a hash is believed no more, nor is a look-up that is under way. */
  forget(hash: string): void {
    for (const { lookUps } of [this.known, this.strangers]) {
      const lookUp = lookUps.get(hash);
      if (lookUp) lookUp.isForgotten = true;
      lookUps.delete(hash);
    }
  }

  /**
   * Looks a hash up, and remembers it from now on for what it turns out to be; a look-up that fails only ends what was
   * believed.
   */
  private ask(hash: string, believedAs: Remembered<Found>): Promise<Found | null> {
    const untilMonoMs = this.clock.monotonicMs() + BELIEVED_MS;
    const lookUp: LookUp<Found> = { found: believedAs.ask.find(hash), untilMonoMs, isForgotten: false };
    remember(believedAs, hash, lookUp);
    const settle = (found: Found | null): void => {
      if (lookUp.isForgotten) return;
      believedAs.lookUps.delete(hash);
      remember(found === null ? this.strangers : this.known, hash, lookUp);
    };
    lookUp.found.then(settle, () => (lookUp.untilMonoMs = Number.NEGATIVE_INFINITY));
    return lookUp.found;
  }
}

/** What was remembered first goes first. */
function remember<Found>({ lookUps }: Remembered<Found>, hash: string, lookUp: LookUp<Found>): void {
  lookUps.delete(hash);
  if (lookUps.size >= MAX_REMEMBERED) lookUps.delete(lookUps.keys().next().value!);
  lookUps.set(hash, lookUp);
}
