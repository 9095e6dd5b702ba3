import type { Clock, ClockTimer } from "@tickwheel/core";
import type { ExecutionEntry } from "../held/executions.js";

interface TimeOutParts {
  clock: Pick<Clock, "monotonicMs" | "setTimer">;
  timeOut: (entry: ExecutionEntry) => void;
}

/**
 * The time-outs of all executions, by one timer for the one that ends first: a timer for each would cost as much as the
 * rest of a short handler's start. When it fires, all that run are looked at. Bounded by them.
 *
 * It has a list of its own: after a fail-over two executions of one task with one fence may run, and the node holds
 * only the later one.
 */
export class TimeOuts {
  /** Executions whose handlers have not returned, in no order. */
  private readonly called: ExecutionEntry[] = [];
  private timer: ClockTimer | null = null;
  private firesMonoMs = Infinity;

  constructor(private readonly parts: TimeOutParts) {}

  /** A handler is called; its `endsMonoMs` is known. */
  started(entry: ExecutionEntry): void {
    entry.calledPlace = this.called.push(entry) - 1;
    if (entry.endsMonoMs < this.firesMonoMs) this.arm(entry.endsMonoMs);
  }

  /** A handler has returned, whatever became of its execution. */
  returned(entry: ExecutionEntry): void {
    const last = this.called.pop()!;
    if (last !== entry) {
      this.called[entry.calledPlace] = last;
      last.calledPlace = entry.calledPlace;
    }
    if (this.called.length === 0) this.disarm();
  }

  private arm(atMonoMs: number): void {
    const { clock } = this.parts;
    this.timer?.clear();
    this.firesMonoMs = atMonoMs;
    this.timer = clock.setTimer(Math.ceil(atMonoMs - clock.monotonicMs()), () => this.look());
  }

  private disarm(): void {
    this.timer?.clear();
    this.timer = null;
    this.firesMonoMs = Infinity;
  }

  /** A timer may fire early, or have a limit, and what it was set for may have ended. */
  private look(): void {
    const { clock, timeOut } = this.parts;
    this.disarm();
    const nowMonoMs = clock.monotonicMs();
    for (const entry of this.running()) if (isRunning(entry) && entry.endsMonoMs <= nowMonoMs) timeOut(entry);
    const nextMonoMs = this.running().reduce((first, { endsMonoMs }) => Math.min(first, endsMonoMs), Infinity);
    if (nextMonoMs < Infinity) this.arm(nextMonoMs);
  }

  private running(): ExecutionEntry[] {
    return this.called.filter(isRunning);
  }
}

function isRunning({ state }: ExecutionEntry): boolean {
  return state === "running";
}
