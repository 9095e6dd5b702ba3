import type { Clock } from "@tickwheel/core";
import { LinkedList, type ListEntry } from "./linked-list.js";

/** How often it is looked who is too late, in milliseconds. */
const LOOK_MS = 1_000;

/** Something that must be over in time, or `onLate` is called. */
export type Deadline = ListEntry<{ readonly startMonoMs: number; readonly onLate: () => void }>;

/**
 * Many deadlines of one length with one timer between them: each is kept to within a second, and costs next to nothing
 * while it is not missed.
 */
export class Deadlines {
  private readonly open = new LinkedList<Deadline["value"]>();
  private isLooking = false;

  constructor(
    private readonly clock: Pick<Clock, "monotonicMs" | "setTimer">,
    private readonly withinMs: number,
  ) {}

  start(onLate: () => void): Deadline {
    const deadline = this.open.add({ startMonoMs: this.clock.monotonicMs(), onLate });
    if (!this.isLooking) this.lookLater();
    return deadline;
  }

  end(deadline: Deadline): void {
    this.open.remove(deadline);
  }

  private lookLater(): void {
    this.isLooking = true;
    this.clock.setTimer(LOOK_MS, () => this.look());
  }

  private look(): void {
    const lastMonoMs = this.clock.monotonicMs() - this.withinMs;
    for (const { onLate } of this.open.takeWhile(({ startMonoMs }) => startMonoMs <= lastMonoMs)) onLate();
    this.isLooking = false;
    if (!this.open.isEmpty) this.lookLater();
  }
}
