import { type BootId, rescheduledBy, type RunningRow, type TaskHint } from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { Dispatcher } from "../running/dispatcher.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { ExecutionEntry, Executions } from "../held/executions.js";
import { inDoubt } from "./in-doubt.js";
import { lostExecutions } from "./lost-executions.js";
import { type Failed, pauseAfterFailedLook, pauseAfterLook, PeriodicService } from "../runtime/periodic-service.js";

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
 */
export class Reconciler extends PeriodicService {
  private missingBefore: ReadonlySet<ExecutionEntry> = new Set();
  /** How long the last look took, in milliseconds. */
  private tookMs = 0;

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
    const startMonoMs = this.context.clock.monotonicMs();
    const watch = this.parts.executions.watch();
    let rows: RunningRow[];
    try {
      rows = await this.context.tasks.runningUnder(owner);
    } finally {
      watch.close();
      this.tookMs = this.context.clock.monotonicMs() - startMonoMs;
    }
    if (this.parts.membership.bootId !== owner) return;
    for (const row of rows) if (row.cancelRequested) this.parts.dispatcher.cancel(row);
    const { lost, missing } = lostExecutions(unfinished, rows, this.missingBefore);
    this.missingBefore = missing;
    for (const entry of lost) this.parts.dispatcher.lose(entry);
    await this.release(owner, inDoubt(rows, watch));
    this.parts.executions.doubtOver(claimsLost);
  }

  protected intervalMs(): number {
    return pauseAfterLook(this.context.options.reconcileIntervalMs, this.tookMs);
  }

  protected override retryAfterMs(_error: unknown, failed: Failed): number {
    return pauseAfterFailedLook(failed, this.context.health);
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
