import {
  type ChangedTask,
  type DryRun,
  endsAbout,
  type EpochMs,
  formatLine,
  isOpenOperation,
  type JoinedConditions,
  OPERATION_MEMORY_MS,
  type OperationPlan,
  paceOf,
  type TaskOperation,
  TASK_STATES,
  type UndoReach,
} from "@tickwheel/core";
import type { ChangedTaskFields, DryRunFields, OperationFields, UndoReachFields } from "./operation-view.generated.js";
import type { InstantForm } from "../requests/task-view.js";

/** An operation in code. */
export type OperationView = OperationFields<Date>;
/** The same with what its undo would find now. */
export type OperationDetailsView = OperationView & UndoReachFields;
/** A task that an operation has changed, in code. */
export type ChangedTaskView = ChangedTaskFields<Date>;
/** What an operation would do now, in code. */
export type DryRunView = DryRunFields<Date>;

export function toOperationView<Instant>(
  operation: TaskOperation,
  now: EpochMs,
  instantOf: InstantForm<Instant>,
): OperationFields<Instant> {
  const orNull = (at: EpochMs | null): Instant | null => (at === null ? null : instantOf(at));
  const { undo } = operation;
  return {
    id: operation.id,
    action: operation.action,
    filter: lineOf(operation.filter),
    options: toOptionsView(operation.options, instantOf),
    state: operation.state,
    heldAt: orNull(operation.heldAt),
    heldBy: operation.heldBy,
    stopReason: operation.stopReason,
    createdAt: instantOf(operation.createdAt),
    createdBy: operation.createdBy,
    reason: operation.reason,
    estimate: operation.estimate,
    found: operation.found,
    changed: operation.changed,
    passed: countsOf(operation.passed),
    pages: operation.pages,
    pace: isOpenOperation(operation) ? paceOf(operation) : null,
    endsAbout: orNull(endsAbout(operation, now)),
    node: operation.node,
    finishedAt: orNull(operation.finishedAt),
    undo: undo && { ...undo, at: instantOf(undo.at) },
    undone: operation.undone,
    leftBehind: countsOf(operation.leftBehind),
    undoUntil: orNull(undoUntilOf(operation)),
  };
}

function toOptionsView<Instant>(
  { move, ...options }: OperationPlan["options"],
  instantOf: InstantForm<Instant>,
): OperationFields<Instant>["options"] {
  const { includeOverdue, tag, rate, stopWhenFailing, atMost } = options;
  return {
    includeOverdue,
    set: move?.kind === "set" ? instantOf(move.at) : null,
    shiftMs: move?.kind === "shift" ? move.byMs : null,
    spread: move?.kind === "spread" ? { from: instantOf(move.from), to: instantOf(move.to) } : null,
    tag,
    rate,
    stopWhenFailing,
    atMost,
  };
}

/** Until when an operation that is over can be undone; null: it cannot. */
function undoUntilOf({ state, finishedAt, forgottenAt, changed }: TaskOperation): EpochMs | null {
  if ((state !== "done" && state !== "stopped") || forgottenAt !== null || changed === 0) return null;
  return finishedAt! + OPERATION_MEMORY_MS;
}

/** A filter as a line; what was said twice over stands twice. */
export function lineOf({ also, ...filter }: JoinedConditions): string {
  return [formatLine(filter), ...(also === undefined ? [] : [formatLine(also)])].filter(Boolean).join(" ");
}

function countsOf<Code extends string>(counts: Partial<Record<Code, number>>): { code: Code; count: number }[] {
  return (Object.entries(counts) as [Code, number][]).map(([code, count]) => ({ code, count }));
}

export function toChangedTaskView<Instant>(
  task: ChangedTask,
  instantOf: InstantForm<Instant>,
): ChangedTaskFields<Instant> {
  return { ...task, at: instantOf(task.at) };
}

export function toReachView(reach: UndoReach | null): UndoReachFields {
  return { undoReach: reach };
}

export function toDryRunView<Instant>(
  dryRun: DryRun,
  { action, filter }: Pick<OperationPlan, "action" | "filter">,
  instantOf: InstantForm<Instant>,
): DryRunFields<Instant> {
  const { count, isAtLeast, incomplete, lookedAt, states, types, running, occurrences, members } = dryRun;
  const orNull = (at: EpochMs | null): Instant | null => (at === null ? null : instantOf(at));
  return {
    count,
    isAtLeast,
    incomplete,
    lookedAt,
    filter: lineOf(filter),
    createdBefore: instantOf(dryRun.createdBefore),
    states: TASK_STATES.flatMap((state) => (states[state] ? [{ state, count: states[state] }] : [])),
    types,
    dueFrom: orNull(dryRun.dueFrom),
    dueTo: orNull(dryRun.dueTo),
    running,
    occurrences,
    members,
    keysTaken: dryRun.keysTaken,
    overdue: dryRun.overdue,
    dueSoon: dryRun.dueSoon,
    undo: undoOf(action, dryRun),
    sample: dryRun.sample.map(({ id, type, key, state, dueAt, createdAt, createdBy }) => ({
      id,
      type,
      key,
      state,
      createdBy,
      dueAt: instantOf(dueAt),
      createdAt: instantOf(createdAt),
    })),
  };
}

/** What runs meanwhile, or was asked to stop, is not put back. */
function undoOf(action: OperationPlan["action"], { count, running, dueSoon }: DryRun): "FULL" | "PARTLY" | "NONE" {
  if (count > 0 && running === count) return "NONE";
  const runs = action === "retry" || action === "run_now";
  return running > 0 || dueSoon > 0 || runs ? "PARTLY" : "FULL";
}
