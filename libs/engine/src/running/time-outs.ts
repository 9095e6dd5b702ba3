import type { Clock, ClockTimer } from "@tickwheel/core";
import type { ExecutionEntry } from "../held/executions.js";

interface TimeOutParts {
  clock: Pick<Clock, "monotonicMs" | "setTimer">;
  /** All whose state is `running`, in a list of its own. */
  running: () => readonly ExecutionEntry[];
  timeOut: (entry: ExecutionEntry) => void;
}

/**
 * The time-outs of all executions, by one timer for the one that ends first: a timer for each would cost as much as the
 * rest of a short handler's start. When it fires, all that run are looked at. Bounded by them.
 */
export class TimeOuts {
  /** Executions whose handlers have not returned. */
  private count = 0;
  private timer: ClockTimer | null = null;
  private firesMonoMs = Infinity;

  constructor(private readonly parts: TimeOutParts) {}

  /** A handler is called; its `endsMonoMs` is known. */
  started({ endsMonoMs }: ExecutionEntry): void {
    this.count++;
    if (endsMonoMs < this.firesMonoMs) this.arm(endsMonoMs);
  }

  /** A handler has returned, whatever became of its execution. */
  returned(): void {
    if (--this.count === 0) this.disarm();
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
    const { clock, running, timeOut } = this.parts;
    this.disarm();
    const nowMonoMs = clock.monotonicMs();
    for (const entry of running()) if (entry.state === "running" && entry.endsMonoMs <= nowMonoMs) timeOut(entry);
    const nextMonoMs = running().reduce((first, { endsMonoMs }) => Math.min(first, endsMonoMs), Infinity);
    if (nextMonoMs < Infinity) this.arm(nextMonoMs);
  }
}
