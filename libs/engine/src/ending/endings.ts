import {
  errorText,
  type ExecutionResult,
  type HostRest,
  MAX_DELAY_MS,
  type Settlement,
  type TaskType,
  type TypeDeferral,
} from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { abortReason } from "../held/abort-reasons.js";
import type { ExecutionEntry } from "../held/executions.js";
import type { TasksForOthers } from "../held/tasks-for-others.js";
import { failureOf, type Outcome, outcomeOf, WAITED_FOR_ITSELF } from "./outcome.js";
import { RetryPace } from "./retry-pace.js";
import type { Settler } from "./settler.js";

/** The wait before the next attempt if not even the task's backoff can be computed. */
const AFTER_FAULT_MS = 10_000;

type Snooze = Extract<ExecutionResult, { kind: "snoozed" }>;

interface EndingParts {
  settler: Settler;
  left: Pick<TasksForOthers, "leave">;
  /** A handler asks that nothing of its type starts for a while. */
  deferType?: ((type: TaskType, deferral: TypeDeferral) => void) | undefined;
  /** A host asks to be left alone for a while. */
  restHost?: ((type: TaskType, rest: HostRest) => void) | undefined;
}

/**
 * Ends executions: computes what a result or a time-out means and hands it to the settler. If our own code fails there,
 * the attempt still counts as failed: no execution stays open, and nothing is thrown.
 *
 * A repeated execution may time out while an earlier one's open transaction blocks it. It is then given back uncharged,
 * after both transactions have ended, so the next one waits for neither. At least every second attempt is charged.
 */
export class Endings {
  private readonly pace: RetryPace;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: EndingParts,
  ) {
    const { minBackoffMs: leastMs, retriesPerSecondPerNamespace: perSecond } = context.options;
    this.pace = new RetryPace(context.clock, { leastMs, perSecond });
  }

  /** Ends it with its handler's result. Does nothing if it has already ended. */
  end(entry: ExecutionEntry, result: ExecutionResult): void {
    if (entry.state === "ended") return;
    entry.state = "ended";
    try {
      const { random, options } = this.context;
      const outcome = this.paced(outcomeOf(result, entry, { random, maxSnoozes: options.maxSnoozes }), entry);
      if ("forOthers" in result && result.forOthers !== undefined) this.leave(entry, outcome, result.forOthers);
      if (result.kind === "failed" && result.thrown !== undefined)
        this.parts.settler.failures.remember(entry, result.thrown);
      this.parts.settler.write(entry, outcome);
      if (result.kind === "snoozed") this.tellSnooze(entry, result);
    } catch (error) {
      this.tellBroken(entry, error);
      this.fail(entry, errorText(error));
    }
  }

  /** Called before the write: tasks that are due again are also put into this node's wheel. */
  private leave({ task: { id, fence }, type: { type } }: ExecutionEntry, outcome: Outcome, reason: string): void {
    const delayMs = delayOf(outcome);
    if (delayMs === null) return;
    this.parts.left.leave(id, delayMs);
    this.context.telemetry.emit({
      name: "engine.task.left",
      level: "warn",
      message: `task ${id} of ${type} is left to other nodes: ${reason}`,
      facts: { id, fence, type },
    });
  }

  /** What an execution asks for beside its own delay. */
  private tellSnooze({ type }: ExecutionEntry, { defersType, restsHost }: Snooze): void {
    if (defersType) this.parts.deferType?.(type, defersType);
    if (restsHost) this.parts.restHost?.(type, restsHost);
  }

  /** Ends it at its time-out. */
  timeOut(entry: ExecutionEntry): void {
    entry.state = "ended";
    // Only a repeated execution has an earlier one that may block it.
    if (entry.task.fence > 1) this.endRepeated(entry).catch((error: unknown) => this.tellBroken(entry, error));
    else this.failTimedOut(entry);
  }

  /** A fault of ours: nothing that a handler does may lead here. */
  tellBroken({ task: { id, fence }, type }: ExecutionEntry, error: unknown): void {
    this.context.telemetry.emit({
      name: "engine.execution.broken",
      level: "error",
      message: `the end of an execution of ${type.type} could not be worked out`,
      facts: { id, fence, type: type.type },
      error,
    });
  }

  private async endRepeated(entry: ExecutionEntry): Promise<void> {
    const { id, owner, fence } = entry.task;
    const waited = await this.context.tasks.endBlockers({ id, owner, fence }).catch(() => false);
    if (!waited) return this.failTimedOut(entry);
    this.parts.settler.write(entry, { write: "release", reason: WAITED_FOR_ITSELF, ...startOf(entry) });
  }

  private failTimedOut(entry: ExecutionEntry): void {
    const reason = abortReason("timeout", entry.task.timeoutMs);
    this.parts.settler.failures.remember(entry, reason);
    this.fail(entry, reason.message);
  }

  private fail(entry: ExecutionEntry, error: string): void {
    const settlement = this.failureOf(entry, error);
    this.parts.settler.write(entry, this.paced({ write: "settle", settlement }, entry));
  }

  private paced(outcome: Outcome, { type }: ExecutionEntry): Outcome {
    if (outcome.write !== "settle") return outcome;
    if (outcome.settlement.kind !== "retry" && outcome.settlement.kind !== "snoozed") return outcome;
    const { settlement } = outcome;
    const delayMs = Math.min(this.pace.delayMs(type.namespace, settlement.delayMs), MAX_DELAY_MS);
    return { write: "settle", settlement: { ...settlement, delayMs } };
  }

  private failureOf(entry: ExecutionEntry, text: string): Settlement {
    const { random } = this.context;
    const failure = { error: text, retryable: true };
    try {
      return failureOf(failure, entry, random);
    } catch (error) {
      this.tellBroken(entry, error);
      return failureOf({ ...failure, retryAfterMs: AFTER_FAULT_MS }, entry, random);
    }
  }
}

/** What is told of the start of an execution whose handler was called. */
function startOf({ startedAt, latenessParts }: ExecutionEntry): Pick<ExecutionEntry, "startedAt" | "latenessParts"> {
  return { startedAt, latenessParts };
}

/** When a task that has not ended is due again. */
function delayOf(outcome: Outcome): number | null {
  if (outcome.write === "defer") return outcome.delayMs;
  return outcome.write === "settle" && outcome.settlement.kind === "retry" ? outcome.settlement.delayMs : null;
}
