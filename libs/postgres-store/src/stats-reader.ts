import type { Clock, EpochMs, TaskStats } from "@tickwheel/core";
import type { ReadPool } from "./read-pool.js";
import { taskStats } from "./statements/task-stats.js";

const STATS_TIMEOUT_MS = 30_000;
/** An answer is kept for so many times what it cost, so counting takes a twentieth of one connection at most. */
const KEEP_FACTOR = 20;
/** Cheaper answers are not kept. */
const CHEAP_MS = 50;

interface KeptStats {
  stats: Promise<TaskStats>;
  /** Infinity while it is being counted: callers at the same time share one answer. */
  untilMonoMs: number;
}

/** Statistics whose cost is bounded however many tasks there are: a dear answer is given again for a while; `countedAt` says how old it is. */
export class StatsReader {
  private readonly kept = new Map<string, KeptStats>();

  constructor(
    private readonly reads: Pick<ReadPool, "run">,
    private readonly clock: Clock,
  ) {}

  async read(namespace: string, asOf: EpochMs | null): Promise<TaskStats> {
    const known = this.kept.get(namespace);
    if (known && this.clock.monotonicMs() < known.untilMonoMs) return copyOf(await known.stats);
    const entry: KeptStats = { stats: this.count(namespace, asOf), untilMonoMs: Infinity };
    this.kept.set(namespace, entry);
    const begunMonoMs = this.clock.monotonicMs();
    try {
      const stats = await entry.stats;
      const costMs = this.clock.monotonicMs() - begunMonoMs;
      entry.untilMonoMs = costMs < CHEAP_MS ? 0 : begunMonoMs + costMs * KEEP_FACTOR;
      return copyOf(stats);
    } finally {
      if (entry.untilMonoMs === Infinity || entry.untilMonoMs === 0) this.kept.delete(namespace);
    }
  }

  private async count(namespace: string, asOf: EpochMs | null): Promise<TaskStats> {
    const statementTimeoutMs = STATS_TIMEOUT_MS;
    return (await this.reads.run(taskStats, { namespace, asOf }, { statementTimeoutMs }))[0]!;
  }
}

function copyOf({ counts, lastMinute, ...rest }: TaskStats): TaskStats {
  const latenessMs = lastMinute.latenessMs && { ...lastMinute.latenessMs };
  return { ...rest, counts: { ...counts }, lastMinute: { ...lastMinute, latenessMs } };
}
