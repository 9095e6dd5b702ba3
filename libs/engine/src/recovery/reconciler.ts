import { type BootId, rescheduledBy, type RunningRow, type TaskHint } from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { Dispatcher } from "../running/dispatcher.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { ExecutionEntry, Executions } from "../held/executions.js";
import { inDoubt } from "./in-doubt.js";
import { lostExecutions } from "./lost-executions.js";
import { pauseAfterLook, PeriodicService } from "../runtime/periodic-service.js";

/**
 * For so long a look by id asks for the tasks of a lost claim. Its effect may come after a look has answered: the
 * network may deliver it late, and its commit may wait for a standby.
 */
const DOUBT_MS = 60_000;

interface ReconcilerParts {
  membership: Pick<Membership, "bootId">;
  executions: Executions;
  dispatcher: Dispatcher;
  /** Receives tasks that are scheduled again. */
  publish: (hints: TaskHint[]) => void;
}

/**
 * [no-in-doubt-leak]: compares, both ways, the rows that run under this node in the store with the executions in
 * memory; each `reconcileIntervalMs`, and at once after a claim whose reply was lost. Rows that memory did not hold at
 * any time from the sending of the query to its answer are released. An execution that the store does not know twice in
 * a row is aborted. Also brings cancel requests whose message was lost.
 *
 * Where all rows under this node cannot be read fast, because a held snapshot keeps an entry of the index for each task
 * that has run since, it asks by id: for the executions in memory, for the tasks of lost claims and for what the look
 * before could not explain. It then asks for all rows as seldom as that takes long; after a look that failed, once in
 * the interval of the full sweep.
 */
export class Reconciler extends PeriodicService {
  private missingBefore: ReadonlySet<ExecutionEntry> = new Set();
  /** Until then looks go by id. */
  private wholeLookMonoMs = -Infinity;
  /** The rows of the last look that no execution in memory explained: a claim in flight may have held them. */
  private unexplained: readonly string[] = [];
  /** The tasks of lost claims, and until when looks by id ask for them. */
  private readonly doubtedUntilMonoMs = new Map<string, number>();

  constructor(
    private readonly context: EngineContext,
    private readonly parts: ReconcilerParts,
  ) {
    super("reconcile", context);
  }

  async runOnce(): Promise<void> {
    const owner = this.parts.membership.bootId;
    if (owner === null) return;
    const unfinished = [...this.parts.executions.unfinished()];
    const { claimsLost } = this.parts.executions;
    const isWhole = this.isWholeNext();
    const ids = this.idsToAskFor(unfinished);
    const watch = this.parts.executions.watch();
    let rows: RunningRow[];
    try {
      rows = await (isWhole ? this.allUnder(owner) : this.context.tasks.runningUnder(owner, ids));
    } finally {
      watch.close();
    }
    if (this.parts.membership.bootId !== owner) return;
    for (const row of rows) if (row.cancelRequested) this.parts.dispatcher.cancel(row);
    const { lost, missing } = lostExecutions(unfinished, rows, this.missingBefore);
    this.missingBefore = missing;
    for (const entry of lost) this.parts.dispatcher.lose(entry);
    this.unexplained = rows.filter((row) => !this.parts.executions.get(row)).map(({ id }) => id);
    await this.release(owner, inDoubt(rows, watch));
    this.parts.executions.doubtOver(claimsLost);
  }

  protected intervalMs(): number {
    return this.context.options.reconcileIntervalMs;
  }

  private isWholeNext(): boolean {
    // In an outage a look fails for other reasons than what it reads.
    return this.context.clock.monotonicMs() >= this.wholeLookMonoMs || this.context.health.isPostgresAway;
  }

  private idsToAskFor(unfinished: readonly ExecutionEntry[]): string[] {
    const nowMonoMs = this.context.clock.monotonicMs();
    for (const [id, untilMonoMs] of this.doubtedUntilMonoMs)
      if (untilMonoMs <= nowMonoMs) this.doubtedUntilMonoMs.delete(id);
    for (const id of this.parts.executions.inDoubt()) this.doubtedUntilMonoMs.set(id, nowMonoMs + DOUBT_MS);
    const ids = unfinished.map(({ task }) => task.id);
    return [...new Set([...ids, ...this.doubtedUntilMonoMs.keys(), ...this.unexplained])];
  }

  private async allUnder(owner: BootId): Promise<RunningRow[]> {
    const { clock, options, tasks } = this.context;
    const startMonoMs = clock.monotonicMs();
    let leastMs = options.fullSweepIntervalMs;
    try {
      const rows = await tasks.runningUnder(owner);
      leastMs = 0;
      return rows;
    } finally {
      const nowMonoMs = clock.monotonicMs();
      this.wholeLookMonoMs = nowMonoMs + pauseAfterLook(leastMs, nowMonoMs - startMonoMs);
    }
  }

  private async release(owner: BootId, rows: readonly RunningRow[]): Promise<void> {
    if (rows.length === 0) return;
    const releases = rows.map(({ id, fence }) => ({ id, owner, fence, reason: "LOST_REPLY" }));
    const replies = await this.context.tasks.release(releases);
    this.parts.publish(rescheduledBy(replies));
    this.context.telemetry.emit({
      name: "engine.reconcile.released",
      level: "info",
      message: `${rows.length} claimed tasks whose claim got no answer were given back`,
      facts: { count: rows.length },
    });
  }
}
