import type { Clock, EpochMs, TaskStats } from "@tickwheel/core";
import type { ReadPool } from "../connection/read-pool.js";
import { taskStats } from "../statements/read/task-stats.js";

const STATS_TIMEOUT_MS = 30_000;
/**
 * An answer is kept this many times as long as it took, so counting keeps one connection busy for at most a twentieth
 * of the time.
 */
const KEEP_FACTOR = 20;
/** An answer that took less time than this is not kept. */
const CHEAP_MS = 50;
/** An answer that nobody has asked for again within this time is not given any more. */
const TOLD_MS = 60_000;
const MAX_NAMESPACES = 1_000;

interface KeptStats {
  stats: TaskStats;
  freshUntilMonoMs: number;
  toldUntilMonoMs: number;
}

/**
 * Reads statistics at a bounded cost, however many tasks there are. An expensive answer is kept for a while, and it is
 * still given while the next one is counted, so nobody waits twice. `countedAt` tells how old an answer is.
 * Simultaneous callers share one count.
 */
export class StatsReader {
  private readonly kept = new Map<string, KeptStats>();
  private readonly counting = new Map<string, Promise<TaskStats>>();

  constructor(
    private readonly reads: Pick<ReadPool, "of">,
    private readonly clock: Pick<Clock, "monotonicMs">,
  ) {}

  async read(namespace: string, asOf: EpochMs | null): Promise<TaskStats> {
    // No kept answer was counted at a test's own instant, so a test gets a count of its own.
    const known = asOf === null ? this.kept.get(namespace) : undefined;
    const nowMonoMs = this.clock.monotonicMs();
    if (!known || nowMonoMs >= known.toldUntilMonoMs) return copyOf(await this.count(namespace, asOf));
    if (nowMonoMs >= known.freshUntilMonoMs) this.count(namespace, asOf).catch(() => undefined);
    return copyOf(known.stats);
  }

  private count(namespace: string, asOf: EpochMs | null): Promise<TaskStats> {
    const underWay = this.counting.get(namespace) ?? this.countNow(namespace, asOf);
    this.counting.set(namespace, underWay);
    return underWay;
  }

  private async countNow(namespace: string, asOf: EpochMs | null): Promise<TaskStats> {
    const begunMonoMs = this.clock.monotonicMs();
    try {
      const reads = this.reads.of(namespace);
      const [stats] = await reads.run(taskStats, { namespace, asOf }, { statementTimeoutMs: STATS_TIMEOUT_MS });
      this.keep(namespace, stats!, this.clock.monotonicMs() - begunMonoMs);
      return stats!;
    } finally {
      this.counting.delete(namespace);
    }
  }

  private keep(namespace: string, stats: TaskStats, costMs: number): void {
    this.kept.delete(namespace);
    if (costMs < CHEAP_MS) return;
    if (this.kept.size >= MAX_NAMESPACES) this.kept.clear();
    const freshUntilMonoMs = this.clock.monotonicMs() + costMs * KEEP_FACTOR;
    this.kept.set(namespace, { stats, freshUntilMonoMs, toldUntilMonoMs: freshUntilMonoMs + TOLD_MS });
  }
}

function copyOf({ counts, lastMinute, ...rest }: TaskStats): TaskStats {
  const latenessMs = lastMinute.latenessMs && { ...lastMinute.latenessMs };
  return { ...rest, counts: { ...counts }, lastMinute: { ...lastMinute, latenessMs } };
}
