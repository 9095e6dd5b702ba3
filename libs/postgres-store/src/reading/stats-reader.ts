import type { Clock, EpochMs, TaskStats } from "@tickwheel/core";
import type { ReadPool } from "../connection/read-pool.js";
import { taskStats } from "../statements/read/task-stats.js";
import { KeptAnswers } from "./kept-answers.js";

const STATS_TIMEOUT_MS = 30_000;
/** Statistics that take less time than this are counted for every caller, so they are never old. */
const CHEAP_MS = 50;
/** As long as a count that took all its time is kept. */
const MOST_KEPT_MS = 600_000;

/**
 * Reads statistics at a bounded cost, however many tasks there are. `countedAt` tells how old an answer is, which may
 * be twenty times as long as it took.
 */
export class StatsReader {
  private readonly kept: KeptAnswers<TaskStats>;

  constructor(
    private readonly reads: Pick<ReadPool, "of">,
    clock: Pick<Clock, "monotonicMs">,
  ) {
    this.kept = new KeptAnswers(clock, { cheapMs: CHEAP_MS, mostKeptMs: MOST_KEPT_MS });
  }

  /** @param asOf an instant of a test: none of the kept answers was counted at it, so it gets a count of its own */
  async read(namespace: string, asOf: EpochMs | null): Promise<TaskStats> {
    const count = (): Promise<TaskStats> => this.count(namespace, asOf);
    return copyOf(asOf === null ? await this.kept.get(namespace, count) : await count());
  }

  private async count(namespace: string, asOf: EpochMs | null): Promise<TaskStats> {
    const reads = this.reads.of(namespace);
    const [stats] = await reads.run(taskStats, { namespace, asOf }, { statementTimeoutMs: STATS_TIMEOUT_MS });
    return stats!;
  }
}

function copyOf({ counts, lastMinute, ...rest }: TaskStats): TaskStats {
  const latenessMs = lastMinute.latenessMs && { ...lastMinute.latenessMs };
  return { ...rest, counts: { ...counts }, lastMinute: { ...lastMinute, latenessMs } };
}
