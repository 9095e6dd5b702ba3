import {
  type BootId,
  type EpochMs,
  type JournalEntry,
  type Task,
  type TaskHint,
  type TaskState,
  TERMINAL_STATES,
} from "@tickwheel/core";
import { copyOf } from "../system/copy-of.js";

/** A task as the memory store keeps it: never changed in place, so a row that was read is a snapshot. */
export type TaskRow = Readonly<Omit<Task, "node">>;

/** What the journal tells of an execution that ended. */
export type JournalRun = Pick<JournalEntry, "startedAt" | "latenessParts" | "error">;

/** The facts that a transition may use besides its row. */
export interface Moment {
  /** The store's clock, whole milliseconds. */
  now: EpochMs;
  /** A node's `ip:pid`, where its row still exists. */
  label(owner: BootId | null): string | null;
}

export function isTerminal(state: TaskState): boolean {
  return TERMINAL_STATES.includes(state);
}

export function hintOf(row: TaskRow): TaskHint {
  return { id: row.id, typeId: row.typeId, version: row.version, dueAt: row.dueAt, priority: row.priority };
}

/** The row as the port gives it: a copy that the caller may change. */
export function taskOf(row: TaskRow, moment: Moment): Task {
  return { ...copyOf(row), node: moment.label(row.owner) };
}

/**
 * The journal's entry of a transition. If an execution ends, fence, attempt and node are those of that execution, not
 * those of the row after it.
 */
export function journalEntry(
  before: TaskRow | null,
  after: TaskRow,
  moment: Moment & Pick<JournalEntry, "reason" | "actor" | "count"> & { run: JournalRun | null },
): JournalEntry {
  const execution = before?.state === "running" ? before : after;
  const ran = execution.state === "running";
  return {
    at: moment.now,
    from: before?.state ?? null,
    to: after.state,
    node: ran ? moment.label(execution.owner) : null,
    fence: execution.fence,
    attempt: execution.attempt,
    reason: moment.reason,
    actor: moment.actor,
    count: moment.count,
    ...(moment.run ?? { startedAt: null, latenessParts: null, error: null }),
  };
}
