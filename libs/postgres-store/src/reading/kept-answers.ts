import type { Clock } from "@tickwheel/core";

/**
 * An answer is kept this many times as long as it took, so counting keeps one connection busy for at most a twentieth
 * of the time.
 */
const KEEP_FACTOR = 20;
/** An answer is kept for so long at least, in milliseconds: it serves all who ask within one second. */
const LEAST_KEPT_MS = 500;
/**
 * And for so long at most. A count that waited for a blocked loop or for a store that was away seems dear, and was not.
 */
const MOST_KEPT_MS = 30_000;
/** An answer that nobody has asked for again within this time is not given any more. */
const TOLD_MS = 60_000;
const MAX_ANSWERS = 1_000;

/** For how long answers are kept, in milliseconds. */
export interface KeptLimits {
  /** An answer that took less time than this to count is not kept. Default 0. */
  readonly cheapMs?: number;
  /** Default 30,000. */
  readonly mostKeptMs?: number;
  /** For how long an answer that was kept is given while it is counted anew. Default 60,000. */
  readonly toldMs?: number;
}

interface Kept<Answer> {
  answer: Answer;
  freshUntilMonoMs: number;
  toldUntilMonoMs: number;
}

/**
 * Answers that are dear to count, at a bounded cost. One that is kept is still given while the next is counted, so
 * nobody waits twice; simultaneous callers share one count. A count that fails leaves the answer that is known, and the
 * next one comes as late as after one that took as long. Answers must not be changed by those who get them.
 */
export class KeptAnswers<Answer> {
  private readonly kept = new Map<string, Kept<Answer>>();
  private readonly counting = new Map<string, Promise<Answer>>();
  private readonly limits: Required<KeptLimits>;

  constructor(
    private readonly clock: Pick<Clock, "monotonicMs">,
    { cheapMs = 0, mostKeptMs = MOST_KEPT_MS, toldMs = TOLD_MS }: KeptLimits = {},
  ) {
    this.limits = { cheapMs, mostKeptMs, toldMs };
  }

  async get(name: string, count: () => Promise<Answer>): Promise<Answer> {
    const known = this.kept.get(name);
    const nowMonoMs = this.clock.monotonicMs();
    if (!known || nowMonoMs >= known.toldUntilMonoMs) return this.count(name, count);
    if (nowMonoMs >= known.freshUntilMonoMs) this.count(name, count).catch(() => undefined);
    return known.answer;
  }

  private count(name: string, count: () => Promise<Answer>): Promise<Answer> {
    const underWay = this.counting.get(name) ?? this.countNow(name, count);
    this.counting.set(name, underWay);
    return underWay;
  }

  private async countNow(name: string, count: () => Promise<Answer>): Promise<Answer> {
    const begunMonoMs = this.clock.monotonicMs();
    try {
      const answer = await count();
      this.keep(name, answer, begunMonoMs);
      return answer;
    } catch (error) {
      const known = this.kept.get(name);
      if (known) this.kept.set(name, { ...known, freshUntilMonoMs: this.nextCountMonoMs(begunMonoMs) });
      throw error;
    } finally {
      this.counting.delete(name);
    }
  }

  private keep(name: string, answer: Answer, begunMonoMs: number): void {
    this.kept.delete(name);
    if (this.clock.monotonicMs() - begunMonoMs < this.limits.cheapMs) return;
    if (this.kept.size >= MAX_ANSWERS) this.kept.clear();
    const freshUntilMonoMs = this.nextCountMonoMs(begunMonoMs);
    this.kept.set(name, { answer, freshUntilMonoMs, toldUntilMonoMs: freshUntilMonoMs + this.limits.toldMs });
  }

  /** For a count that has just ended. */
  private nextCountMonoMs(begunMonoMs: number): number {
    const nowMonoMs = this.clock.monotonicMs();
    const keptMs = Math.max(LEAST_KEPT_MS, (nowMonoMs - begunMonoMs) * KEEP_FACTOR);
    return nowMonoMs + Math.min(this.limits.mostKeptMs, keptMs);
  }
}
