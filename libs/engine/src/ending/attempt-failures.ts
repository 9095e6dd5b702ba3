import type { Deferral, Release, Settlement, TaskState, Telemetry } from "@tickwheel/core";
import type { ExecutionEntry } from "../held/executions.js";
import { cureOfDead, cureOfFailed, shownTask } from "./failure-lines.js";

/** How many attempts failed. */
export interface FailedAttempts {
  /** Failures of tasks that are tried again. */
  readonly failed: number;
  /** Failures of tasks that ended dead. */
  readonly dead: number;
}

export const NO_FAILURES: FailedAttempts = { failed: 0, dead: 0 };

/**
 * Reports failed attempts once the store has acknowledged them: `task.failed` if the task is tried again, `task.dead`
 * if that was the end. Counts both. Emits one event per attempt, from values at hand; the listener must limit what it
 * does with thousands a second.
 */
export class AttemptFailures implements FailedAttempts {
  failed = 0;
  dead = 0;
  private readonly thrown = new WeakMap<ExecutionEntry, unknown>();

  constructor(private readonly telemetry: Telemetry) {}

  /** Keeps what an execution's handler threw, for the event. */
  remember(entry: ExecutionEntry, thrown: unknown): void {
    this.thrown.set(entry, thrown);
  }

  note(entry: ExecutionEntry, write: Settlement | Release | Deferral, state: TaskState): void {
    if (!("kind" in write) || (write.kind !== "retry" && write.kind !== "dead")) return;
    if (state !== "scheduled" && state !== "dead") return;
    const { task, type } = entry;
    const { id, key, attempt, maxAttempts, fence, owner } = task;
    const facts = { id, namespace: type.namespace, type: type.type, key, attempt, maxAttempts, fence, owner };
    const what = `attempt ${attempt} of ${maxAttempts} of ${type.type} ${shownTask(id, key)} failed`;
    const error = this.thrown.get(entry) ?? write.error;
    const told = { error, errorText: write.error };
    if (write.kind === "dead") {
      this.dead++;
      const { reason } = write;
      const cure = cureOfDead(id, reason);
      const message = `${what}, and the task is dead (${reason}): ${cure}`;
      this.telemetry.emit({ name: "task.dead", level: "error", message, facts: { ...facts, reason, cure }, ...told });
    } else {
      this.failed++;
      const { delayMs } = write;
      const cure = cureOfFailed(delayMs);
      const message = `${what}; it is tried again in ${delayMs} ms`;
      this.telemetry.emit({ name: "task.failed", level: "warn", message, facts: { ...facts, delayMs, cure }, ...told });
    }
  }
}
