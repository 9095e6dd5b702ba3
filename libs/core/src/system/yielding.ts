import type { Clock } from "./clock.js";
import { SystemClock } from "./system-clock.js";

/** How long a turn is, in milliseconds. */
const TURN_MS = 5;

/**
 * Long work in turns, so that nobody's request keeps the loop from all others: after some milliseconds of it the loop
 * goes on, and between two of its rounds one turn is given, however much work waits.
 *
 * @example
 * for (const item of items) {
 *   if (turns.isOver()) await turns.next();
 *   work(item);
 * }
 */
export class Turns {
  private readonly waiting: (() => void)[] = [];
  private endsMonoMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Pick<Clock, "monotonicMs" | "setTimer">) {}

  /** Whether the work should wait for the next turn. */
  isOver(): boolean {
    return this.clock.monotonicMs() >= this.endsMonoMs;
  }

  /** Resolves at the beginning of a turn; who has waited longest comes first. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.waiting.push(resolve) === 1) this.clock.setTimer(0, this.give);
    });
  }

  private readonly give = (): void => {
    this.endsMonoMs = this.clock.monotonicMs() + TURN_MS;
    this.waiting.shift()!();
    if (this.waiting.length > 0) this.clock.setTimer(0, this.give);
  };
}

/** Those of the process: it has one loop. */
export const turns = new Turns(new SystemClock());

/** What `work` makes of each item, in their order, worked on in turns. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (turns.isOver()) await turns.next();
    results.push(work(item, results.length));
  }
  return results;
}
