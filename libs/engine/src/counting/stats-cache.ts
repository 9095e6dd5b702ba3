import type { Clock, TaskStats, TaskStore } from "@tickwheel/core";

const KEEP_MS = 1_000;
const MAX_NAMESPACES = 1_000;

/**
 * Counts are expensive, so one answer serves all callers within a second; a failure is not kept. Bounded by its
 * namespaces.
 */
export class StatsCache {
  private readonly answers = new Map<string, { stats: Promise<TaskStats>; untilMonoMs: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly tasks: Pick<TaskStore, "stats">,
  ) {}

  get(namespace: string): Promise<TaskStats> {
    const nowMonoMs = this.clock.monotonicMs();
    const known = this.answers.get(namespace);
    if (known && nowMonoMs < known.untilMonoMs) return known.stats;
    if (this.answers.size >= MAX_NAMESPACES) this.answers.clear();
    const stats = this.tasks.stats(namespace);
    this.answers.set(namespace, { stats, untilMonoMs: nowMonoMs + KEEP_MS });
    stats.catch(() => this.answers.delete(namespace));
    return stats;
  }
}
