import {
  type BootId,
  type ClaimedTask,
  type ClaimReply,
  type ClaimRequest,
  type Completion,
  CONSUMER,
  type Deferral,
  type EpochMs,
  type ExecutionRef,
  type ExpireRequest,
  JOURNAL_ERROR_LENGTH,
  leavesNoRow,
  nextOfSeries,
  type Release,
  RowsLockedError,
  type Settlement,
  type SettleReply,
  type Task,
  type TypeId,
} from "@tickwheel/core";
import { copyOf } from "../system/copy-of.js";
import type { CallSession } from "../database/memory-connection.js";
import {
  claimedRow,
  createdRow,
  deferredRow,
  expiredRow,
  isExecution,
  keylessRow,
  pausedRow,
  releasedRow,
  settledRow,
} from "./row-transitions.js";
import { StatementFailure } from "../database/statement-failure.js";
import type { StatementScope } from "../database/statement-scope.js";
import { hintOf, type JournalRun, type TaskRow, taskOf } from "../database/task-row.js";
import { lockPausedKeys } from "./setting-statements.js";
import { finishTask, forgetTask, type JournalNote, tellPutOff, writeTask } from "./write-task.js";

/**
 * Claims due tasks, if the owner's node row is live. The node's row is locked first, after a wait for a transaction
 * that ends its right to claim. Tasks that another transaction has locked are left out, those of paused keys are
 * paused.
 */
export async function claim(scope: StatementScope, request: ClaimRequest): Promise<ClaimReply> {
  if (!(await lockOwner(scope, request.owner))) return { fenced: true, tasks: [] };
  return claimAmong(scope, request, Infinity);
}

/** Locks the node's row if it is live. */
export async function lockOwner({ nodes }: StatementScope, owner: BootId): Promise<boolean> {
  return (await nodes.lock(owner, ({ state }) => state === "live", { mode: "key-share" })) !== null;
}

/**
 * The claim of a node whose row is locked: at most `most` tasks, the first in the order of the ids. One that is gone,
 * locked or of a paused key leaves its place to the next.
 */
export async function claimAmong(scope: StatementScope, request: ClaimRequest, most: number): Promise<ClaimReply> {
  const pauseOf = await lockPausedKeys(scope, request.pausedKeys ?? []);
  const { now } = scope;
  const isClaimable = (row: TaskRow): boolean => claimedRow(row, request, now) !== null;
  const [picked, stopped]: [TaskRow[], TaskRow[]] = [[], []];
  const isPicked = (row: TaskRow): boolean => isClaimable(row) && (picked.length < most || pauseOf(row) !== null);
  for (const id of new Set(request.ids)) {
    const row = await scope.tasks.lock(id, isPicked, { locked: "skip" });
    if (row) (pauseOf(row) ? stopped : picked).push(row);
  }
  for (const before of stopped) {
    const note = { reason: "PAUSED", actor: pauseOf(before)!.pausedBy };
    await writeTask(scope, { before, after: pausedRow(before, now)! }, note);
  }
  const tasks: ClaimedTask[] = [];
  for (const before of picked) {
    const after = claimedRow(before, request, now)!;
    await writeTask(scope, { before, after }, {});
    tasks.push(claimedTask(after, request.owner));
  }
  return { fenced: false, tasks };
}

export function verifyStart(scope: StatementScope, refs: readonly ExecutionRef[]): ExecutionRef[] {
  return refs.filter((ref) => {
    const row = scope.tasks.get(ref.id);
    return isExecution(row, ref) && row.cancelRequestedAt === null;
  });
}

/** The end of one execution. */
export interface End {
  ref: ExecutionRef & Partial<Pick<Completion, "startedAt" | "latenessParts" | "spawned">> & { error?: string };
  next: (row: TaskRow, now: number) => TaskRow;
  reason: string;
  /** True: the row of a success is not kept. Default: it is. */
  isForgotten?: boolean;
  /** A deferral is told as a change of a task that has gone on waiting: the claim before it leaves the journal. */
  isDeferral?: boolean;
}

export function endOfSettlement(settlement: Settlement): End {
  const isForgotten = (settlement.kind === "succeeded" || settlement.kind === "skipped") && leavesNoRow(settlement);
  const next = (row: TaskRow, now: number): TaskRow => settledRow(row, settlement, now);
  return { ref: settlement, next, reason: reasonOf(settlement), isForgotten };
}

function reasonOf({ kind }: Settlement): string {
  return kind === "snoozed" ? "SNOOZED" : "FAILED";
}

export function endOfRelease(asked: Release): End {
  return { ref: asked, next: (row, now) => releasedRow(row, asked, now), reason: asked.reason };
}

export function endOfDeferral(deferral: Deferral): End {
  return {
    ref: deferral,
    next: (row, now) => deferredRow(row, deferral, now),
    reason: deferral.reason ?? "BREAKER",
    isDeferral: true,
  };
}

/**
 * Ends executions, each only while it is running under its owner and fence. All are ended in one statement. If a row is
 * locked for too long, the others are ended without it, and the locked ones one by one. @throws RowsLockedError
 */
export async function endExecutions(session: CallSession, ends: readonly End[]): Promise<SettleReply[]> {
  const completions = ends.filter(isCompletion);
  const failures = ends.filter((end) => !isCompletion(end));
  const batches = [completions, failures].filter((batch) => batch.length > 0);
  const replies = new Map((await Promise.all(batches.map((batch) => endBatch(session, batch)))).flat());
  const answers = ends.map((end) => replies.get(end));
  if (answers.includes(undefined)) throw new RowsLockedError(answers);
  return answers as SettleReply[];
}

/**
 * A handler's transaction may be idle for its task's time-out and this much longer, in milliseconds, as in the Postgres
 * store.
 */
const IDLE_GRACE_MS = 5_000;

/** Marks a handler's own transaction, and limits how long it may be idle. */
export function begin(
  { transaction }: StatementScope,
  { timeoutMs, ...execution }: ExecutionRef & { timeoutMs: number },
): void {
  transaction.handlerOf = execution;
  transaction.limitIdleness(
    Math.min(Math.ceil(timeoutMs) + IDLE_GRACE_MS, transaction.limits.idleTimeoutMs ?? Infinity),
  );
}

/** Ends the transactions of the task's earlier executions that somebody waits for, and this execution's with them. */
export function endBlockers({ host }: StatementScope, { id, fence }: ExecutionRef): boolean {
  const earlier = host.blockingHandlers().filter((other) => other.id === id && other.fence < fence);
  if (earlier.length === 0) return false;
  const fences = new Set([fence, ...earlier.map((other) => other.fence)]);
  host.endHandlers((other) => other.id === id && fences.has(other.fence));
  return true;
}

/**
 * How long a handler's transaction may be idle once it has completed its task, in milliseconds, as in the Postgres
 * store.
 */
export const COMMIT_LIMIT_MS = 5_000;

/** Completes an execution inside its handler's own transaction. */
export async function complete(scope: StatementScope, completion: Completion): Promise<EpochMs | null> {
  scope.transaction.limitIdleness(COMMIT_LIMIT_MS);
  const end = endOfSettlement({ ...completion, kind: "succeeded" });
  return (await endOne(scope, end, "wait"))?.finishedAt ?? null;
}

/** Ends tasks that have never started and are past their start deadline. Locked tasks are left for the next time. */
export async function expire(scope: StatementScope, { typeIds, limit }: ExpireRequest): Promise<number> {
  const { now } = scope;
  const late = await scope.tasks.lockFree((row) => isLate(row, { typeIds, now }), limit);
  for (const before of late) await writeTask(scope, { before, after: expiredRow(before, now)! }, {});
  return late.length;
}

/** Whether `expire` would end it. */
export function isLate(row: TaskRow, { typeIds, now }: { typeIds: readonly TypeId[]; now: EpochMs }): boolean {
  return typeIds.includes(row.typeId) && expiredRow(row, now) !== null;
}

function isCompletion({ ref }: End): boolean {
  const { kind } = ref as Partial<Settlement>;
  return kind === "succeeded" || kind === "skipped";
}

type EndReply = [End, SettleReply];

/** The replies for the executions whose rows were not locked by others. */
async function endBatch(session: CallSession, given: readonly End[]): Promise<EndReply[]> {
  const ends = inLockOrder(given);
  const stale = given.filter((end) => !ends.includes(end)).map((end): EndReply => [end, null]);
  const { lockTimeoutMs } = session;
  const whole = await unlessLocked(session.run((scope) => endAll(scope, ends, "wait"), lockTimeoutMs));
  if (whole !== "locked") return [...whole, ...stale];
  const replies = await session.run((scope) => endAll(scope, ends, "skip"), lockTimeoutMs);
  const done = new Set(replies.filter(([, reply]) => reply !== null).map(([end]) => end));
  const settled = replies.filter(([end]) => done.has(end));
  for (const end of ends.filter((one) => !done.has(one))) {
    const alone = await unlessLocked(session.run((scope) => endAll(scope, [end], "wait"), lockTimeoutMs));
    if (alone !== "locked") settled.push(...alone);
  }
  return [...settled, ...stale];
}

async function endAll(scope: StatementScope, ends: readonly End[], locked: "wait" | "skip"): Promise<EndReply[]> {
  const replies: EndReply[] = [];
  for (const end of ends) {
    const reply = await endOne(scope, end, locked);
    if (reply !== null && end.ref.owner === CONSUMER) await deleteLease(scope, end.ref);
    replies.push([end, reply]);
  }
  return replies;
}

async function deleteLease({ leases }: StatementScope, { id, fence }: ExecutionRef): Promise<void> {
  if (await leases.lock(id, (lease) => lease.fence === fence)) await leases.delete(id);
}

async function endOne(scope: StatementScope, end: End, locked: "wait" | "skip"): Promise<SettleReply> {
  const before = await scope.tasks.lock(end.ref.id, (row) => isExecution(row, end.ref), { locked });
  if (!before) return null;
  const after = end.next(before, scope.now);
  const wasPutOff = end.isDeferral === true && after.state === "scheduled";
  const note = endNote(after, end.reason, runOf(end.ref));
  if (after.state === "succeeded") {
    if (end.isForgotten) await forgetTask(scope, after.id);
    else await finishTask(scope, { before, after }, note);
    await writeSpawned(scope, end.ref);
  }
  if (after.state !== "succeeded") await writeTask(scope, { before, after }, wasPutOff ? null : note);
  if (wasPutOff) tellPutOff(scope, after, end.reason);
  return {
    state: after.state,
    hint: after.state === "scheduled" ? hintOf(after) : null,
    finishedAt: after.state === "succeeded" ? after.finishedAt : null,
  };
}

/** Writes what an execution has spawned, in the statement that ended it. */
async function writeSpawned(scope: StatementScope, { spawned = [] }: End["ref"]): Promise<void> {
  for (const task of spawned) {
    const after = createdRow(task, scope.types.get(String(task.typeId))!, scope.now);
    await writeTask(scope, { before: null, after }, { actor: task.actor });
  }
}

async function unlessLocked<T>(work: Promise<T>): Promise<T | "locked"> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StatementFailure && error.isLockConflict) return "locked";
    throw error;
  }
}

/** Each execution once, ordered by id: every statement that ends executions locks in this order. */
function inLockOrder(ends: readonly End[]): End[] {
  const byName = new Map<string, End>();
  for (const end of ends) {
    const name = `${end.ref.id}/${end.ref.owner}/${end.ref.fence}`;
    if (!byName.has(name)) byName.set(name, end);
  }
  return [...byName.values()].sort((one, other) => (one.ref.id < other.ref.id ? -1 : 1));
}

/**
 * The journal's facts about an execution that ended. A terminal row has its own reason; a way back to `scheduled` gets
 * `otherwise`. The actor is the one that asked for a cancel.
 */
export function endNote(
  after: TaskRow,
  otherwise: string | null,
  run: JournalRun | null = null,
): NonNullable<JournalNote> {
  return {
    run: after.state === "scheduled" ? run : endedRun(after),
    reason: after.reason ?? (after.state === "scheduled" ? otherwise : null),
    actor: after.state === "cancelled" ? after.cancelledBy : null,
  };
}

/** What a settlement or a release tells of its run; null: the handler was not called. */
export function runOf({ startedAt, latenessParts = null, error }: End["ref"]): JournalRun | null {
  if (startedAt === undefined) return null;
  return copyOf({ startedAt, latenessParts, error: error === undefined ? null : shortError(error) });
}

/** A start is cut to milliseconds, and so is a claim: it may seem to be a little before its claim. */
const CUT_MS = 5;

/** The run of a row that has ended, as the Postgres store reads it from the row. */
function endedRun({
  owner,
  state,
  reason,
  claimedAt,
  startedAt,
  latenessParts,
  lastError,
}: TaskRow): JournalRun | null {
  if (owner === null || reason === "CRASHES") return null;
  const hasStarted = startedAt !== null && startedAt >= claimedAt! - CUT_MS;
  const error = state === "dead" && lastError !== null ? shortError(lastError) : null;
  return copyOf({ startedAt: hasStarted ? startedAt : null, latenessParts: hasStarted ? latenessParts : null, error });
}

function shortError(error: string): string {
  return Array.from(error).slice(0, JOURNAL_ERROR_LENGTH).join("");
}

export function claimedTask(row: TaskRow, owner: string): ClaimedTask {
  return copyOf({
    id: row.id,
    owner,
    fence: row.fence,
    typeId: row.typeId,
    key: row.key,
    payload: row.payload,
    scheduledAt: row.scheduledAt,
    dueAt: row.dueAt,
    createdAt: row.createdAt,
    claimedAt: row.claimedAt!,
    attempt: row.attempt,
    maxAttempts: row.maxAttempts,
    crashCount: row.crashCount,
    snoozeCount: row.snoozeCount,
    priority: row.priority,
    backoff: row.backoff,
    timeoutMs: row.timeoutMs,
    given: row.given,
    delivery: row.delivery,
  });
}

/** Takes the key from a task that runs, and writes the next one with it. Null: the series goes on no more. */
export async function continueSeries(scope: StatementScope, started: ExecutionRef, id: string): Promise<Task | null> {
  const goesOn = (row: TaskRow): boolean => isExecution(row, started) && mayGoOn(row);
  const before = await scope.tasks.lock(started.id, goesOn);
  if (!before) return null;
  const next = nextOfSeries(taskOf(before, scope), id);
  await writeTask(scope, { before, after: keylessRow(before, id) }, null);
  const type = scope.types.get(String(before.typeId))!;
  const after = { ...createdRow(next, type, scope.now), continues: before.id };
  await writeTask(scope, { before: null, after }, { actor: next.actor });
  return taskOf(after, scope);
}

function mayGoOn({ laterMs, keyLive, cancelRequestedAt, continuedBy }: TaskRow): boolean {
  return laterMs.length > 0 && keyLive && cancelRequestedAt === null && continuedBy === null;
}
