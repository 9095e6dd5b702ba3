import {
  CONSUMER,
  type EndedLease,
  type EpochMs,
  type ExtendReply,
  type HeldLease,
  type LeaseRef,
  type PulledTask,
  type PullReply,
  type PullRequest,
  type TypeId,
} from "@tickwheel/core";
import type { CallSession } from "../database/memory-connection.js";
import { CONSUMER_LABEL, type StatementScope } from "../database/statement-scope.js";
import type { BucketRow, FlowLimitRow, LeaseRow, TypeRow } from "../database/tables.js";
import { hintOf, type TaskRow } from "../database/task-row.js";
import { claimedTask, endNote, runOf } from "./execution-statements.js";
import { keepPlaces, occupants, tokensAt, wholeTokens } from "./limit-rows.js";
import { claimedRow, isExecution, leaseEndedRow, pausedRow } from "./row-transitions.js";
import { isTypePaused, pausedKeysOf } from "./setting-statements.js";
import { writeTask } from "./write-task.js";

const NOTHING: PullReply = { tasks: [], isPaused: false, mayBeMore: false, isFull: false, nextDueAt: null };
const PULLER = { owner: CONSUMER, claimAheadMs: 0 };

/** What limits a type: its own limits and those of its namespace, in the order in which all lock them. */
interface Bounds {
  /** Those with places. */
  limits: FlowLimitRow[];
  /** The tokens of those with a rate, by the limits' numbers. */
  buckets: [name: string, BucketRow][];
}

/**
 * Locks first and then looks by a second statement: its snapshot shows every change of the settings, and every claim
 * within the limits, before it. Limits that came while the first waited are locked by a second round; then there is no
 * third, since the type's row is held against changes.
 */
export function pull(session: CallSession, request: PullRequest): Promise<PullReply> {
  return session.transaction(null, async (within) => {
    for (;;) {
      const locked = await within.run((scope) => lockBounds(scope, request.typeId));
      if (locked === null) return NOTHING;
      const reply = await within.run((scope) => pullWithin(scope, request, locked));
      if (reply !== "limited anew") return reply;
    }
  });
}

/** The names of what was locked. Null: there is no such type. */
async function lockBounds(scope: StatementScope, typeId: TypeId): Promise<ReadonlySet<string> | null> {
  const { types, flowLimits, buckets } = scope;
  const type = await types.lock(String(typeId), undefined, { mode: "key-share" });
  if (type === null) return null;
  const bounds = boundsOf(scope, type);
  for (const { id } of bounds.limits) await flowLimits.lock(String(id));
  for (const [name] of bounds.buckets) await buckets.lock(name);
  return new Set(namesOf(bounds));
}

function boundsOf({ flowLimits, buckets }: StatementScope, type: TypeRow): Bounds {
  const isMeant = ({ namespace, typeId }: FlowLimitRow): boolean =>
    namespace === type.namespace && (typeId === null || typeId === type.id);
  const all = flowLimits.values().filter(isMeant);
  all.sort((one, other) => one.id - other.id);
  const names = all.filter(({ rate }) => rate !== null).map(({ id }) => String(id));
  return {
    limits: all.filter(({ maxRunning }) => maxRunning !== null),
    buckets: names.map((name) => [name, buckets.get(name)!]),
  };
}

function namesOf({ limits, buckets }: Bounds): string[] {
  return [...limits.map(({ id }) => `limit ${id}`), ...buckets.map(([name]) => `bucket ${name}`)];
}

/** The one instant of a pull: while it waits, the server's clock may be set back. */
interface At {
  now: EpochMs;
}
type BoundsAt = Bounds & At;
type PullAt = PullRequest & At;

/** The pull, once the type's row is locked, and its limits, unless there are new ones. */
async function pullWithin(
  scope: StatementScope,
  request: PullRequest,
  locked: ReadonlySet<string>,
): Promise<PullReply | "limited anew"> {
  const { now } = scope;
  const type = scope.types.get(String(request.typeId))!;
  const bounds = { ...boundsOf(scope, type), now };
  if (namesOf(bounds).some((name) => !locked.has(name))) return "limited anew";
  if (isTypePaused(scope, type)) return { ...NOTHING, isPaused: true };
  const rooms = roomsOf(scope, bounds);
  const room = Math.max(0, Math.min(request.places.length, ...rooms));
  const found = await lockCandidates(scope, { ...request, now }, room);
  const tasks = await takeAll(scope, { ...request, now }, found);
  if (tasks.length > 0) await useUp(scope, bounds, tasks);
  const later = scope.tasks.values().filter((row) => isScheduled(row, type.id) && row.dueAt > now);
  return {
    tasks,
    isPaused: false,
    mayBeMore: found.length >= request.places.length || found.length > tasks.length,
    isFull: rooms.some((room) => room - tasks.length <= 0),
    nextDueAt: later.length === 0 ? null : Math.min(...later.map(({ dueAt }) => dueAt)),
  };
}

/** The free places of each limit, and the whole tokens of each bucket. */
function roomsOf(scope: StatementScope, { limits, buckets, now }: BoundsAt): number[] {
  return [
    ...limits.map((limit) => limit.maxRunning! - occupants(scope, limit).length),
    ...buckets.map(([, bucket]) => wholeTokens(tokensAt(bucket, now))),
  ];
}

async function useUp(scope: StatementScope, bounds: BoundsAt, tasks: readonly PulledTask[]): Promise<void> {
  const { buckets } = scope;
  const { now } = bounds;
  const ids = tasks.map(({ id }) => id);
  for (const limit of bounds.limits) await keepPlaces(scope, limit, [...occupants(scope, limit), ...ids]);
  for (const [name, bucket] of bounds.buckets)
    await buckets.write(name, { ...bucket, tokens: tokensAt(bucket, now) - ids.length, refilledAt: now });
}

/** The oldest due tasks that nobody else holds. */
async function lockCandidates(
  { tasks }: StatementScope,
  { typeId, notBefore, now }: PullAt,
  room: number,
): Promise<TaskRow[]> {
  const isCandidate = (row: TaskRow): boolean =>
    isScheduled(row, typeId) && row.dueAt >= (notBefore ?? -Infinity) && claimedRow(row, PULLER, now) !== null;
  const found: TaskRow[] = [];
  for (const { id } of tasks.values().filter(isCandidate).sort(byDue)) {
    if (found.length === room) break;
    const row = await tasks.lock(id, isCandidate, { locked: "skip" });
    if (row) found.push(row);
  }
  return found.sort(byDue);
}

/** Tasks of paused keys become paused, the others run. */
async function takeAll(
  scope: StatementScope,
  { typeId, places, now }: PullAt,
  found: readonly TaskRow[],
): Promise<PulledTask[]> {
  const pauseOf = pausedKeysOf(scope, typeId);
  const taken: PulledTask[] = [];
  for (const before of found) {
    const pause = pauseOf(before);
    if (pause !== null) {
      await writeTask(scope, { before, after: pausedRow(before, now)! }, { reason: "PAUSED", actor: pause.pausedBy });
      continue;
    }
    const after = claimedRow(before, PULLER, now)!;
    const { leaseMs, consumer } = places[taken.length]!;
    const lease = { taskId: after.id, fence: after.fence, untilAt: now + leaseMs, consumer };
    await writeTask(scope, { before, after }, {});
    await putLease(scope, lease);
    taken.push({ ...claimedTask(after, CONSUMER), leaseUntil: lease.untilAt });
  }
  return taken;
}

/** The task's row is locked first, as everybody does but the ends of leases. */
export async function extend(
  scope: StatementScope,
  { id, fence, leaseMs }: LeaseRef & { leaseMs: number },
): Promise<ExtendReply> {
  const isMine = (row: TaskRow): boolean => isExecution(row, { id, fence, owner: CONSUMER });
  const row = await scope.tasks.lock(id, isMine, { mode: "no-key-update" });
  if (row === null) return { outcome: "lost" };
  if (row.cancelRequestedAt !== null) return { outcome: "cancel_requested" };
  const leaseUntil = scope.now + leaseMs;
  const consumer = scope.leases.newest(id)?.consumer ?? CONSUMER_LABEL;
  await putLease(scope, { taskId: id, fence, untilAt: leaseUntil, consumer });
  return { outcome: "extended", leaseUntil };
}

/** Waits for nobody: everybody else locks a task before its lease. */
export async function endLeases(scope: StatementScope, limit: number): Promise<EndedLease[]> {
  const { tasks, leases } = scope;
  const ended: EndedLease[] = [];
  for (const lease of await lockLate(scope, limit)) {
    const { taskId: id, fence } = lease;
    const isMeant = (row: TaskRow): boolean => isExecution(row, { id, fence, owner: CONSUMER });
    const before = await tasks.lock(id, isMeant, { locked: "skip" });
    if (before) ended.push(await endLease(scope, before, lease));
    const seen = tasks.get(id);
    const isLeft = before === null && seen?.state === "running" && seen.fence === fence;
    if (!isLeft) await leases.delete(id);
  }
  return ended;
}

/** The leases that are over and that nobody else holds, the oldest ends first. */
async function lockLate({ leases, now }: StatementScope, limit: number): Promise<LeaseRow[]> {
  const isLate = ({ untilAt }: LeaseRow): boolean => untilAt < now;
  const late: LeaseRow[] = [];
  const inOrder = leases.values().filter(isLate);
  inOrder.sort((one, other) => one.untilAt - other.untilAt);
  for (const { taskId } of inOrder) {
    if (late.length === limit) break;
    const lease = await leases.lock(taskId, isLate, { locked: "skip" });
    if (lease) late.push(lease);
  }
  return late;
}

async function endLease(scope: StatementScope, before: TaskRow, { consumer }: LeaseRow): Promise<EndedLease> {
  const { id, fence, owner, typeId } = before;
  const after = leaseEndedRow(before, consumer, scope.now);
  const run = runOf({ id, fence, owner: owner!, startedAt: before.claimedAt!, error: after.lastError! });
  await writeTask(scope, { before, after }, endNote(after, "LEASE_ENDED", run));
  return { id, fence, typeId, consumer, state: after.state, hint: after.state === "scheduled" ? hintOf(after) : null };
}

export function heldLeases(
  { tasks, leases }: StatementScope,
  { typeId, limit }: { typeId: TypeId; limit: number },
): HeldLease[] {
  const held = leases.values().flatMap(({ taskId, fence, consumer, untilAt }) => {
    const row = tasks.get(taskId);
    if (!row || row.typeId !== typeId || row.state !== "running" || row.fence !== fence) return [];
    return [{ id: taskId, fence, consumer, claimedAt: row.claimedAt!, leaseUntil: untilAt }];
  });
  held.sort((one, other) => one.claimedAt - other.claimedAt || (one.id < other.id ? -1 : 1));
  return held.slice(0, limit);
}

/** Also in place of a lease of an older fence. */
async function putLease({ leases }: StatementScope, lease: LeaseRow): Promise<void> {
  if (await leases.insertOrLock(lease.taskId, lease)) await leases.write(lease.taskId, lease);
}

function isScheduled(row: TaskRow, typeId: TypeId): boolean {
  return row.state === "scheduled" && row.typeId === typeId;
}

function byDue(one: TaskRow, other: TaskRow): number {
  return one.dueAt - other.dueAt || (one.id < other.id ? -1 : 1);
}
