/** A node that takes calls. */
export interface Target {
  url: string;
  /** On the monotonic clock, in milliseconds. */
  joinedMonoMs: number;
}

const SLOW_START_MS = 10_000;
const FIRST_SHARE = 0.1;

/**
 * Gives calls to nodes by turns. A node that has just joined gets a tenth of its share at first and all of it after 10 s, as load balancers
 * do it: its code is not compiled yet and costs several times as much to run.
 */
export class Balancer {
  private turn = 0;
  private readonly credits = new Map<string, number>();

  constructor(
    private readonly targets: () => readonly Target[],
    private readonly monoNow: () => number = () => performance.now(),
  ) {}

  /** Where the next call goes; after a failed call this is another node, if there is one. Undefined when there is none. */
  next(): string | undefined {
    const targets = this.targets();
    for (const nowMs = this.monoNow(); targets.length > 0;) {
      this.turn += 1;
      const target = targets[this.turn % targets.length]!;
      const credit = (this.credits.get(target.url) ?? 0) + shareOf(target, nowMs);
      const isItsTurn = credit >= 1;
      this.credits.set(target.url, isItsTurn ? credit - 1 : credit);
      if (isItsTurn) return target.url;
    }
    return undefined;
  }
}

function shareOf({ joinedMonoMs }: Target, nowMs: number): number {
  return Math.min(1, Math.max(FIRST_SHARE, (nowMs - joinedMonoMs) / SLOW_START_MS));
}
