import type { Clock, ClockTimer } from "@tickwheel/core";
import type { FoundTask } from "../waiting/found-task.js";

/** Longer than a create of its key holds a row, short beside the sweep's interval. */
const LOOK_AGAIN_MS = 50;

/**
 * Brings tasks that a claim skipped once more. Most of them are gone. But a task may have been locked at that moment,
 * by a create of its key or a refused edit, and only the next sweep would bring it. A task that is skipped twice is
 * left to the sweep. Bounded by what claims take in the meantime.
 */
export class PassedByRetry {
  /** Tasks that have been skipped once. */
  private readonly passedBy = new Set<string>();
  private readonly timers = new Set<ClockTimer>();

  /** @param bring takes a task; false: there is no room for it */
  constructor(
    private readonly clock: Clock,
    private readonly bring: (task: FoundTask) => boolean,
  ) {}

  /** Called for every answered claim: what it claimed, and what it skipped. */
  claimAnswered(claimed: Iterable<string>, passedBy: readonly FoundTask[]): void {
    if (this.passedBy.size > 0) for (const id of claimed) this.passedBy.delete(id);
    const missed = passedBy.filter(({ id }) => !this.passedBy.delete(id));
    if (missed.length === 0) return;
    for (const { id } of missed) this.passedBy.add(id);
    const timer = this.clock.setTimer(LOOK_AGAIN_MS, () => {
      this.timers.delete(timer);
      for (const task of missed) if (!this.bring(task)) this.passedBy.delete(task.id);
    });
    this.timers.add(timer);
  }

  stop(): void {
    for (const timer of this.timers) timer.clear();
    this.timers.clear();
    this.passedBy.clear();
  }
}
