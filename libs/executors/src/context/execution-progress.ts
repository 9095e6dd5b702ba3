import {
  type Clock,
  type ClockTimer,
  doneWithin,
  type EffectStore,
  type Execution,
  MAX_PROGRESS_NOTE,
  TickwheelError,
} from "@tickwheel/core";

/** The shortest time between two writes of an execution. */
export const PROGRESS_INTERVAL_MS = 1_000;
/** How long the end of an attempt waits for its last progress to be written. */
export const PROGRESS_END_LIMIT_MS = 1_000;

interface Told {
  value: number;
  note: string | null;
}

/**
 * The progress of one execution. The first is written at once; what is told within a second after a write is written
 * when the second is over, or when the attempt ends, and only the last of it. A write that fails is left out: the next
 * one tells more. One that is refused is the last, since the execution is no longer the task's.
 */
export class ExecutionProgress {
  private told: Told | null = null;
  private writing: Promise<void> | null = null;
  private timer: ClockTimer | null = null;
  private nextMonoMs = -Infinity;
  private isOver = false;

  constructor(
    private readonly execution: Execution,
    private readonly ports: { effects: Pick<EffectStore, "saveProgress">; clock: Clock },
  ) {}

  /** @throws TickwheelError `VALIDATION_FAILED` */
  tell(value: number, note?: string | null): void {
    requireProgress(value, note);
    if (this.isOver || this.execution.signal.aborted) return;
    this.told = { value, note: note ?? null };
    this.writeInTime();
  }

  /** Writes what has not been written yet, within {@link PROGRESS_END_LIMIT_MS}. Never rejects. */
  async flush(): Promise<void> {
    if (this.told === null && this.writing === null) return;
    await doneWithin(this.ports.clock, PROGRESS_END_LIMIT_MS, this.writeAll());
  }

  /** The same, and from now on nothing is written any more. */
  async end(): Promise<void> {
    this.isOver = true;
    await this.flush();
    this.told = null;
  }

  private async writeAll(): Promise<void> {
    this.timer?.clear();
    this.timer = null;
    await this.writing;
    if (this.told !== null) await this.write();
  }

  private writeInTime(): void {
    if (this.told === null || this.writing !== null || this.timer !== null) return;
    const leftMs = this.nextMonoMs - this.ports.clock.monotonicMs();
    if (leftMs <= 0) void this.write();
    else
      this.timer = this.ports.clock.setTimer(leftMs, () => {
        this.timer = null;
        void this.write();
      });
  }

  private write(): Promise<void> {
    const { told } = this;
    if (told === null) return Promise.resolve();
    this.told = null;
    this.nextMonoMs = this.ports.clock.monotonicMs() + PROGRESS_INTERVAL_MS;
    this.writing = this.save(told).then(() => {
      this.writing = null;
      if (!this.isOver) this.writeInTime();
    });
    return this.writing;
  }

  private async save(told: Told): Promise<void> {
    const { id, owner, fence } = this.execution.task;
    try {
      if (!(await this.ports.effects.saveProgress({ id, owner, fence, ...told }))) this.isOver = true;
    } catch {
      // The handler's work does not depend on it, and a later progress tells more.
    }
  }
}

function requireProgress(value: unknown, note: unknown): void {
  const faults = [];
  if (typeof value !== "number" || !(value >= 0 && value <= 1))
    faults.push({ path: "value", message: "must be a number from 0 to 1" });
  if (note !== undefined && note !== null && (typeof note !== "string" || note.length > MAX_PROGRESS_NOTE))
    faults.push({ path: "note", message: `must be a text of at most ${MAX_PROGRESS_NOTE} characters` });
  if (faults.length === 0) return;
  const list = faults.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new TickwheelError("VALIDATION_FAILED", `ctx.progress: ${list}.`, { faults });
}
