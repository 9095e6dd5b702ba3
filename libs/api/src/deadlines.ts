import type { Clock } from "@tickwheel/core";

/** How often it is looked who is too late, in milliseconds. */
const LOOK_MS = 1_000;

/** Something that must be over in time, or `onLate` is called. */
export interface Deadline {
  readonly startMonoMs: number;
  readonly onLate: () => void;
}

/** Many deadlines of one length with one timer between them: each is kept to within a second, and costs next to nothing while it is not missed. */
export class Deadlines {
  /** The oldest first. */
  private readonly open = new Set<Deadline>();
  private isLooking = false;

  constructor(
    private readonly clock: Pick<Clock, "monotonicMs" | "setTimer">,
    private readonly withinMs: number,
  ) {}

  start(onLate: () => void): Deadline {
    const deadline = { startMonoMs: this.clock.monotonicMs(), onLate };
    this.open.add(deadline);
    if (!this.isLooking) this.lookLater();
    return deadline;
  }

  end(deadline: Deadline): void {
    this.open.delete(deadline);
  }

  private lookLater(): void {
    this.isLooking = true;
    this.clock.setTimer(LOOK_MS, () => this.look());
  }

  private look(): void {
    const lastMonoMs = this.clock.monotonicMs() - this.withinMs;
    for (const deadline of this.open) {
      if (deadline.startMonoMs > lastMonoMs) break;
      this.open.delete(deadline);
      deadline.onLate();
    }
    this.isLooking = false;
    if (this.open.size > 0) this.lookLater();
  }
}
