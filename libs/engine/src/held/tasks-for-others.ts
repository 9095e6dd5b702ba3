import type { Clock } from "@tickwheel/core";

/** For so long after it is due again a task is left to the other nodes, in milliseconds. */
export const OTHERS_TURN_MS = 5_000;
/** Tasks that are remembered at most; beyond that the one that was left first may come back sooner. */
const MAX_REMEMBERED = 10_000;

/**
 * Tasks that this node has left to others, since it may not do what they ask for: for a while it takes none of them,
 * whoever finds them, so that another node does. Only a preference: a task that comes all the same is left once more.
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
