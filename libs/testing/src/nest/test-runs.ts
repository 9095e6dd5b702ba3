import type { DelayTask, DelayTaskAround } from "@tickwheel/nestjs";

/** A call of a handler, as a test sees it. */
export interface HandlerRun {
  task: DelayTask;
  /** What the handler threw; absent: it returned. */
  error?: unknown;
}

/** Default of `maxRunsAtOnce`. */
export const MAX_RUNS_AT_ONCE = 10_000;

/**
 * Notes each call of a handler, in the order in which they ended. Where more of them begin at one instant than may, no
 * further one does until the test has been told by {@link takeFault}: the time of the test would never move again.
 */
export class TestRuns {
  private readonly runs: HandlerRun[] = [];
  private readonly open = new Set<DelayTask>();
  private instantMs = NaN;
  private readonly begunByType = new Map<string, number>();
  private begun = 0;
  private fault: Error | null = null;
  private readonly paused: (() => void)[] = [];

  /**
   * @param nowMs the test's time
   * @param maxAtOnce how many calls may begin at one instant of it
   */
  constructor(
    private readonly nowMs: () => number,
    private readonly maxAtOnce = MAX_RUNS_AT_ONCE,
  ) {}

  /** Lies around every handler, outermost. */
  readonly around: DelayTaskAround = async (task, _context, next) => {
    this.open.add(task);
    try {
      await this.begin(task);
      const result = await next();
      this.runs.push({ task });
      return result;
    } catch (error) {
      this.runs.push({ task, error });
      throw error;
    } finally {
      this.open.delete(task);
    }
  };

  /** Why the test's time cannot go on, once; null: it can. Calls that were held back fail by it. */
  takeFault(): Error | null {
    const { fault } = this;
    this.fault = null;
    this.begun = 0;
    for (const fail of this.paused.splice(0)) fail();
    return fault;
  }

  get isFaulty(): boolean {
    return this.fault !== null;
  }

  /** The handlers that have not returned, in words. */
  get underWay(): string[] {
    return [...this.open].map(({ type, id, key }) => `${type} ${key === null ? id : `"${key}"`}`);
  }

  /** How many have ended so far. */
  get count(): number {
    return this.runs.length;
  }

  /** Those that ended since so many had ended. */
  since(count: number): HandlerRun[] {
    return this.runs.slice(count);
  }

  private async begin({ type }: DelayTask): Promise<void> {
    const nowMs = this.nowMs();
    if (nowMs !== this.instantMs) {
      [this.instantMs, this.begun] = [nowMs, 0];
      this.begunByType.clear();
    }
    this.begun++;
    this.begunByType.set(type, (this.begunByType.get(type) ?? 0) + 1);
    if (this.begun <= this.maxAtOnce) return;
    const fault = (this.fault ??= this.endless());
    return new Promise((_, reject) => this.paused.push(() => reject(fault)));
  }

  private endless(): Error {
    const [most] = [...this.begunByType].sort(([, one], [, other]) => other - one);
    return new Error(
      `At one instant of the test's time ${this.maxAtOnce} runs have begun, most of the type "${most![0]}", and more are due: a handler makes a new task at once each time, it seems. A test that needs more says { maxRunsAtOnce }.`,
    );
  }
}
