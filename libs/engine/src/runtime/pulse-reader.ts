import type { Clock, Pulse, PulseRequest, PulseStore } from "@tickwheel/core";
import { withinTime } from "./within-time.js";

/** A chore that gets no answer for this long looks by itself. */
const PATIENCE_MS = 1_000;
/** A timer of Node may fire so much early. */
const TIMER_ERROR_MS = 2;

interface Reading {
  askedMonoMs: number;
  /** Null: nobody knows. */
  answer: Promise<Pulse | null>;
}

/**
 * The pulse of a node: one look at the store for all its chores together. The first chore whose turn it is asks; the
 * others take the same answer while it is not older than they allow. So there is no look while no chore wants one, and
 * at most one look is under way for each interval.
 *
 * On failure: the answer is null, and each chore looks by itself, which also tells what fails. It never throws.
 */
export class PulseReader {
  private last: Reading | null = null;
  private asked: () => PulseRequest = () => ({ expiring: [], asksOwners: false });

  constructor(
    private readonly clock: Clock,
    private readonly store: PulseStore,
  ) {}

  /** Says what to ask, at each look anew. Default: of no type, and not for owners. */
  connect(asked: () => PulseRequest): void {
    this.asked = asked;
  }

  /** The last look if it was sent within so many milliseconds, or a new one. */
  read(withinMs: number): Reading {
    const nowMonoMs = this.clock.monotonicMs();
    const freshMs = withinMs - TIMER_ERROR_MS;
    if (this.last === null || nowMonoMs >= this.last.askedMonoMs + freshMs)
      this.last = { askedMonoMs: nowMonoMs, answer: this.ask() };
    return this.last;
  }

  private ask(): Promise<Pulse | null> {
    return withinTime(this.clock, PATIENCE_MS, async () => this.store.pulse(this.asked())).catch(() => null);
  }
}
