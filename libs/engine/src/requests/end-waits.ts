import { type Clock, type ClockTimer, type EpochMs, type TaskStore, TickwheelError } from "@tickwheel/core";

/** The first look at a task is so long after it is due; each further one comes after half as long again. */
const FIRST_LOOK_MS = 20;
const GROWTH = 1.5;
/** The longest time between two looks, also before a task is due: it may be moved or cancelled. */
const LONGEST_REST_MS = 1_000;
/** Looks that are due within so long of each other are one. */
const TOGETHER_MS = 10;
/** [all-bounded]: the most calls of a node that wait at once. */
const MOST_WAITS = 10_000;

/** A task whose end is waited for. */
export interface AwaitedTask {
  id: string;
  dueAt: EpochMs;
}

export interface WaitBounds {
  timeoutMs: number;
  /** Fires when the caller has gone. Default: it stays. */
  signal?: AbortSignal | undefined;
}

export interface EndWaitParts {
  clock: Pick<Clock, "monotonicMs" | "setTimer">;
  tasks: Pick<TaskStore, "liveAmong">;
  /** The database's time as this node estimates it. */
  nowMs(): EpochMs;
}

/** One call that waits. */
interface EndWait {
  readonly id: string;
  nextMonoMs: number;
  restMs: number;
  /** Lets the call go. */
  readonly over: () => void;
}

/**
 * Calls that wait until tasks have ended, wherever these run. An end on this node is told at once. Others are found by
 * looks, one for all tasks that are waited for: 20 ms after a task is due, then ever more seldom, at least once a
 * second. Nothing is written, and no other node is told who waits.
 *
 * On failure: a look that fails is made again; a call waits no longer than it meant to.
 */
export class EndWaits {
  private readonly waits = new Map<string, Set<EndWait>>();
  private count = 0;
  private timer: ClockTimer | null = null;
  /** When the next look is. */
  private nextMonoMs = Infinity;
  private isLooking = false;
  private isStopped = false;

  constructor(private readonly parts: EndWaitParts) {}

  /** How many calls wait. */
  get size(): number {
    return this.count;
  }

  /**
   * Resolves when the task has ended or is not there, the time is over, the caller has gone, or the node stops. A
   * caller who wants to know which of these it was reads the task. @throws TickwheelError `RATE_LIMITED`: 10,000 calls
   * wait on this node
   */
  async untilEnded({ id, dueAt }: AwaitedTask, { timeoutMs, signal }: WaitBounds): Promise<void> {
    if (this.isStopped || signal?.aborted === true || timeoutMs <= 0) return;
    if (this.count >= MOST_WAITS) throw tooMany();
    const { clock } = this.parts;
    const untilDueMs = Math.min(Math.max(0, dueAt - this.parts.nowMs()), LONGEST_REST_MS);
    await new Promise<void>((resolve) => {
      const over = (): void => {
        if (!this.remove(wait)) return;
        timeout.clear();
        signal?.removeEventListener("abort", over);
        resolve();
      };
      const nextMonoMs = clock.monotonicMs() + untilDueMs + FIRST_LOOK_MS;
      const wait: EndWait = { id, nextMonoMs, restMs: FIRST_LOOK_MS, over };
      const timeout = clock.setTimer(timeoutMs, over);
      signal?.addEventListener("abort", over);
      this.add(wait);
    });
  }

  /** A task has ended on this node. */
  ended(id: string): void {
    if (this.count > 0) for (const wait of this.waits.get(id) ?? []) wait.over();
  }

  start(): void {
    this.isStopped = false;
  }

  /** Lets all calls go; until it starts again no call waits. */
  stop(): void {
    this.isStopped = true;
    for (const wait of this.all()) wait.over();
  }

  private all(): EndWait[] {
    return [...this.waits.values()].flatMap((waits) => [...waits]);
  }

  private add(wait: EndWait): void {
    const waits = this.waits.get(wait.id) ?? new Set();
    this.waits.set(wait.id, waits.add(wait));
    this.count++;
    this.lookBy(wait.nextMonoMs);
  }

  /** False: it is over already. */
  private remove(wait: EndWait): boolean {
    const waits = this.waits.get(wait.id);
    if (waits?.delete(wait) !== true) return false;
    if (waits.size === 0) this.waits.delete(wait.id);
    if (--this.count === 0) this.restForEver();
    return true;
  }

  /** The next look is at this instant at the latest. */
  private lookBy(monoMs: number): void {
    if (this.isLooking || monoMs >= this.nextMonoMs) return;
    const { clock } = this.parts;
    this.timer?.clear();
    this.nextMonoMs = monoMs;
    this.timer = clock.setTimer(Math.max(0, monoMs - clock.monotonicMs()), () => void this.look());
  }

  private restForEver(): void {
    this.timer?.clear();
    this.nextMonoMs = Infinity;
  }

  /** Lets go whose tasks are not live any more; the others are looked at again later. */
  private async look(): Promise<void> {
    const { clock, tasks } = this.parts;
    const untilMonoMs = clock.monotonicMs() + TOGETHER_MS;
    const asked = this.all().filter(({ nextMonoMs }) => nextMonoMs <= untilMonoMs);
    const ids = [...new Set(asked.map(({ id }) => id))];
    this.restForEver();
    this.isLooking = true;
    const live = new Set(await tasks.liveAmong(ids).catch(() => ids));
    this.isLooking = false;
    const nowMonoMs = clock.monotonicMs();
    for (const wait of asked) {
      if (!live.has(wait.id)) wait.over();
      wait.restMs = Math.min(wait.restMs * GROWTH, LONGEST_REST_MS);
      wait.nextMonoMs = nowMonoMs + wait.restMs;
    }
    this.lookBy(this.all().reduce((least, { nextMonoMs }) => Math.min(least, nextMonoMs), Infinity));
  }
}

function tooMany(): TickwheelError {
  return new TickwheelError("RATE_LIMITED", `${MOST_WAITS} calls wait on this node already for tasks to end.`);
}
