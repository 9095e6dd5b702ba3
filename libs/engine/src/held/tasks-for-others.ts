import type { Clock } from "@tickwheel/core";

/** A task is left to the other nodes for this long after it is due again, in milliseconds. */
export const OTHERS_TURN_MS = 5_000;
/** At most this many tasks are remembered; beyond that the one that was left first may come back sooner. */
const MAX_REMEMBERED = 10_000;

/**
 * Tasks that this node has left to others, because it cannot run them as they ask. For a while it takes none of them,
 * whichever layer finds them, so that another node does. This is only a preference: a task that arrives all the same is
 * left once more.
 */
export class TasksForOthers {
  private readonly untilMonoMs = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, "monotonicMs">) {}

  /** @param delayMs when it is due again */
  leave(id: string, delayMs: number): void {
    this.untilMonoMs.delete(id);
    if (this.untilMonoMs.size >= MAX_REMEMBERED) this.untilMonoMs.delete(this.untilMonoMs.keys().next().value!);
    this.untilMonoMs.set(id, this.clock.monotonicMs() + delayMs + OTHERS_TURN_MS);
  }

  has(id: string): boolean {
    const untilMonoMs = this.untilMonoMs.get(id);
    if (untilMonoMs === undefined) return false;
    if (this.clock.monotonicMs() < untilMonoMs) return true;
    this.untilMonoMs.delete(id);
    return false;
  }
}
