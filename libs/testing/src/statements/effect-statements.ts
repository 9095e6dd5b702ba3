import {
  type CheckpointReply,
  type ExecutionRef,
  type FoundStep,
  type HandlerReport,
  MAX_STEPS,
  type NewCheckpoint,
  type NewProgress,
  type NewStep,
  type NextCheckpoint,
  type StepName,
  type StepReply,
} from "@tickwheel/core";
import { type StepRow, stepPlace } from "../database/effect-rows.js";
import type { CallSession } from "../database/memory-connection.js";
import type { StatementScope } from "../database/statement-scope.js";
import { COMMIT_LIMIT_MS } from "./execution-statements.js";
import { isExecution } from "./row-transitions.js";

export function findStep(scope: StatementScope, { taskId, name }: StepName): FoundStep {
  const steps = stepsOf(scope, taskId);
  const step = steps.find((one) => one.name === name);
  return { stored: step === undefined ? null : { result: step.result }, count: steps.length };
}

/**
 * Two statements of the handler's own transaction: the second sees all steps, since the first holds the task's lock.
 */
export async function storeStep(session: CallSession, step: NewStep): Promise<StepReply> {
  const isMine = await lockToCommit(session, step);
  return isMine ? session.run((scope) => addStep(scope, step)) : "stale";
}

/** The same way. */
export async function storeCheckpoint(session: CallSession, checkpoint: NextCheckpoint): Promise<CheckpointReply> {
  const isMine = await lockToCommit(session, checkpoint);
  return isMine ? session.run((scope) => replaceCheckpoint(scope, checkpoint)) : "stale";
}

export async function saveCheckpoint(scope: StatementScope, checkpoint: NewCheckpoint): Promise<boolean> {
  const { state } = checkpoint;
  return saveReport(scope, checkpoint, (report) => ({ ...report, checkpoint: { state, at: scope.now } }));
}

export async function saveProgress(scope: StatementScope, progress: NewProgress): Promise<boolean> {
  const { value, note } = progress;
  const text = note?.replaceAll("\0", "\uFFFD") ?? null;
  return saveReport(scope, progress, (report) => ({ ...report, progress: { value, note: text, at: scope.now } }));
}

export function readReport(scope: StatementScope, taskId: string): HandlerReport {
  const { checkpoint = null, progress = null } = scope.reports.get(taskId) ?? {};
  return { checkpoint, progress };
}

/** Deletes what is left of tasks that are neither live nor in history. */
export async function forgetEffects(scope: StatementScope): Promise<void> {
  const isGone = (id: string): boolean => scope.tasks.get(id) === undefined && scope.history.get(id) === undefined;
  for (const { place } of await scope.steps.lockFree(({ taskId }) => isGone(taskId))) await scope.steps.delete(place);
  for (const { taskId } of await scope.reports.lockFree((report) => isGone(report.taskId)))
    await scope.reports.delete(taskId);
}

type ReportChange = (before: HandlerReport) => HandlerReport;

function stepsOf(scope: StatementScope, taskId: string): StepRow[] {
  return scope.steps.values().filter((step) => step.taskId === taskId);
}

/** Until the transaction's end, which must come soon. */
function lockToCommit(session: CallSession, ref: ExecutionRef): Promise<boolean> {
  return session.run((scope) => {
    scope.transaction.limitIdleness(COMMIT_LIMIT_MS);
    return lockExecution(scope, ref);
  });
}

async function lockExecution(scope: StatementScope, ref: ExecutionRef): Promise<boolean> {
  const row = await scope.tasks.lock(ref.id, (task) => isExecution(task, ref), { mode: "no-key-update" });
  return row !== null;
}

async function addStep(scope: StatementScope, { id: taskId, name, result }: NewStep): Promise<StepReply> {
  const place = stepPlace({ taskId, name });
  if (scope.steps.get(place) !== undefined) return "present";
  if (stepsOf(scope, taskId).length >= MAX_STEPS) return "full";
  await scope.steps.insertOrLock(place, { place, taskId, name, result, createdAt: scope.now });
  return "stored";
}

async function replaceCheckpoint(scope: StatementScope, next: NextCheckpoint): Promise<CheckpointReply> {
  const { checkpoint } = readReport(scope, next.id);
  if (checkpoint !== null && checkpoint.state !== next.before) return "moved";
  await writeReport(scope, next.id, (report) => ({ ...report, checkpoint: { state: next.state, at: scope.now } }));
  return "stored";
}

async function saveReport(scope: StatementScope, ref: ExecutionRef, change: ReportChange): Promise<boolean> {
  if (!(await lockExecution(scope, ref))) return false;
  await writeReport(scope, ref.id, change);
  return true;
}

async function writeReport(scope: StatementScope, taskId: string, change: ReportChange): Promise<void> {
  const first = { taskId, ...change({ checkpoint: null, progress: null }) };
  const before = await scope.reports.insertOrLock(taskId, first);
  if (before) await scope.reports.write(taskId, { taskId, ...change(before) });
}
