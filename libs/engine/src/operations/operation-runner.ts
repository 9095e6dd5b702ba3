import {
  type ClockTimer,
  type MadeOperationPage,
  type OperationStore,
  type PageTask,
  type Pulse,
  PULSE_AHEAD_MS,
  type TaskOperation,
  type TelemetryEvent,
  TERMINAL_STATES,
} from "@tickwheel/core";
import type { Announcer } from "../requests/announcer.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { PulsedService } from "../runtime/pulsed-service.js";

/** A page that is due before the next look has a timer, so the pulse must tell of it. */
const INTERVAL_MS = PULSE_AHEAD_MS;
/** Pages of one run; then the loop has its turn, and a stop its chance. */
const MOST_PAGES = 1_000;

export interface RunnerParts {
  store: OperationStore;
  announcer: Announcer;
  /** The node's `ip:pid`. */
  label: string;
  pageSize: number;
  /** A task of a batch has ended, or waits again. */
  batchTouched(batchId: string): void;
}

/**
 * Makes the pages of operations that are due, one at a time on each node, of each operation in turn: each second, when
 * one is started or changed on this node, and when the next page is due. Any number of nodes may do so: who locks an
 * operation's row makes its page, and a node that dies leaves its page as if never begun.
 *
 * Cost while no operation is open: its part of the pulse.
 */
export class OperationRunner extends PulsedService {
  private timer: ClockTimer | null = null;

  constructor(
    private readonly context: Pick<
      EngineContext,
      "clock" | "health" | "telemetry" | "tallies" | "dbClock" | "meters" | "pulse"
    >,
    private readonly parts: RunnerParts,
  ) {
    super("operations", context);
  }

  async runOnce(): Promise<void> {
    this.timer?.clear();
    const failures: unknown[] = [];
    for (let pages = 0; pages < MOST_PAGES && !this.shouldEnd && failures.length === 0;) {
      const { ids, nextAt } = await this.parts.store.due();
      if (ids.length === 0) {
        this.wakeAt(nextAt);
        break;
      }
      for (const id of ids) {
        if (this.shouldEnd) break;
        // One that cannot go on holds up no other.
        await this.makePage(id).catch((error: unknown) => failures.push(error));
        pages++;
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  protected everyMs(): number {
    return INTERVAL_MS;
  }

  protected mayFind({ dueOperations }: Pulse): boolean {
    return dueOperations;
  }

  override async stop(): Promise<void> {
    this.timer?.clear();
    await super.stop();
  }

  /** A page that is due before the next look. */
  private wakeAt(at: number | null): void {
    const { clock, dbClock } = this.context;
    if (at === null) return;
    const delayMs = at - dbClock.nowMs();
    if (delayMs >= INTERVAL_MS) return;
    this.timer = clock.setTimer(Math.max(1, delayMs), () => this.wake());
  }

  private async makePage(id: string): Promise<void> {
    const { store, label, pageSize } = this.parts;
    const { tallies, dbClock } = this.context;
    const sentAt = dbClock.nowMs();
    const made = await store.makePage(id, { label, pageSize }).catch((error: unknown) => {
      // What it has ended may be counted or not.
      tallies.doubt(sentAt, dbClock.nowMs());
      throw error;
    });
    if (made !== null) this.tell(made);
  }

  /** Behind the commit: hints, on which nothing depends. */
  private tell({ operation, tasks, asked }: MadeOperationPage): void {
    const { announcer } = this.parts;
    const { meters, telemetry } = this.context;
    const isUndo = operation.undo !== null;
    for (const task of tasks) this.tellEnd(task, isUndo);
    const waiting = tasks.filter(({ to }) => to === "scheduled").map(({ hint }) => hint);
    if (waiting.length > 0) announcer.publish(waiting);
    for (const execution of asked) announcer.cancelRunning(execution);
    meters.operated(operation.action, isUndo ? "undone" : "changed", tasks.length);
    if (operation.finishedAt !== null) telemetry.emit(endOf(operation));
  }

  private tellEnd({ hint, from, to, finishedAt, batchId }: PageTask, isUndo: boolean): void {
    const { announcer } = this.parts;
    if (to !== "scheduled") announcer.forget(hint.id);
    // An undo counts in its own statement what it takes back, and what ends again.
    if (to === "cancelled" && !isUndo)
      this.context.tallies.cancelled(hint.typeId, finishedAt ?? this.context.dbClock.nowMs());
    if (batchId !== null && TERMINAL_STATES.includes(to) !== TERMINAL_STATES.includes(from))
      this.parts.batchTouched(batchId);
  }
}

/** What is told of an operation that has ended, or whose undo has. */
function endOf(operation: TaskOperation): TelemetryEvent {
  const { id, namespace, action, state, changed, undone, stopReason } = operation;
  const facts = { id, namespace, action, changed, undone };
  const called = `the operation ${id} (${action})`;
  if (state === "stopped")
    return {
      name: "operation.stopped",
      level: "warn",
      message: `${called} has stopped (${stopReason}): ${changed} tasks were changed`,
      facts: { ...facts, reason: stopReason ?? "" },
    };
  if (state === "undone")
    return {
      name: "operation.undone",
      level: "info",
      message: `${called} is undone: ${undone} of ${changed} tasks are as they were`,
      facts,
    };
  return { name: "operation.done", level: "info", message: `${called} is done: ${changed} tasks were changed`, facts };
}
