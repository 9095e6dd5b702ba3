import {
  type ExecutionRef,
  GIVEN,
  MAX_COUNTED_STALLED,
  MAX_STALLED_KINDS,
  MAX_STALLED_NAMES,
  type StalledSchedules,
  type StallReason,
  type Task,
  TickwheelError,
  type TypeId,
} from "@tickwheel/core";
import {
  actorOf,
  type ChangeOptions,
  changedSchedule,
  liveEffect,
  type OccurrenceTask,
  type PlannedSchedule,
  type PlanSchedule,
  RUNS_KEPT,
  type ScheduleChange,
  type ScheduleScene,
  type StoredSchedule,
} from "@tickwheel/schedules";
import type { MemorySession } from "../database/memory-connection.js";
import { type OccurrenceRow, placeOf, type ScheduleRunRow } from "../database/schedule-run-row.js";
import type { StatementScope } from "../database/statement-scope.js";
import type { ScheduleRow } from "../database/tables.js";
import type { TaskRow } from "../database/task-row.js";
import { copyOf } from "../system/copy-of.js";
import { cancelledRow } from "./row-transitions.js";
import { isOccurrence, occurrenceNow, runsOf, sceneOf } from "./schedule-scene.js";
import { writeTasks } from "./write-keyed-tasks.js";
import { writeTask } from "./write-task.js";

/** Another task holds the key of an occurrence: the transaction is rolled back. */
export class KeyHeld extends Error {
  constructor(
    readonly scheduleId: string,
    readonly holderId: string,
  ) {
    super("Another task holds the key of an occurrence");
  }
}

type Verdict = ScheduleChange["live"][number];

/** How often a decision is asked for whose tasks have changed since it saw them. */
const MAX_ATTEMPTS = 3;

/**
 * Decides about a schedule whose row the transaction holds, and writes the decision. Null: nothing was written.
 *
 * @param how.waits whether tasks that others hold are waited for; else nothing is written
 * @throws KeyHeld
 */
export async function planRow(
  session: MemorySession,
  { row, waits, ...options }: { row: ScheduleRow; waits: boolean } & ChangeOptions,
  plan: PlanSchedule,
): Promise<PlannedSchedule | null> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const scene = await session.run((scope) => sceneOf(scope, row, options));
    const change = plan(scene);
    if (!change) return null;
    if (await session.run((scope) => lockTasks(scope, { scene, change, waits })))
      return writeDecision(session, row, { scene, change });
  }
  if (!waits) return null;
  throw new TickwheelError("STORE_UNAVAILABLE", "The schedule's task changed each time that it was looked at");
}

/** Locks the tasks that are to be changed. False: one is not as the decision saw it. */
async function lockTasks(
  { tasks }: StatementScope,
  { scene, change, waits }: Decision & { waits: boolean },
): Promise<boolean> {
  for (const { taskId, verdict } of change.live) {
    const seen = scene.open.find((each) => each.taskId === taskId);
    if (!seen || !liveEffect(verdict, seen)) continue;
    const isAsSeen = ({ state, attempt, cancelRequestedAt }: TaskRow): boolean =>
      state === seen.state && attempt === seen.attempt && (cancelRequestedAt !== null) === seen.isCancelRequested;
    if (!(await tasks.lock(taskId, isAsSeen, { locked: waits ? "wait" : "skip" }))) return false;
  }
  return true;
}

interface Decision {
  scene: ScheduleScene;
  change: ScheduleChange;
}

async function writeDecision(
  session: MemorySession,
  row: ScheduleRow,
  { scene, change }: Decision,
): Promise<PlannedSchedule> {
  const [asked, cancelled]: [ExecutionRef[], string[]] = [[], []];
  /** Their instants are open again: their runs are no more. */
  const withdrawn = new Set<string>();
  for (const verdict of change.live) {
    const after = await session.run((scope) => carryOut(scope, { scene, change, verdict }));
    if (after?.state === "cancelled" && verdict.verdict === "withdraw") withdrawn.add(after.id);
    if (after?.state === "cancelled") cancelled.push(after.id);
    else if (after?.cancelRequestedAt) asked.push({ id: after.id, owner: after.owner!, fence: after.fence });
  }
  const created = await createOccurrences(session, scene, change);
  const schedule = changedSchedule(row.schedule, copyOf(change), scene.now);
  const lastSeq = row.lastSeq + change.skips.length + change.insert.length;
  await session.run(async (scope) => {
    for (const each of change.concluded) conclude(scope, schedule.id, each);
    for (const run of scope.scheduleRuns.values())
      if (isOccurrence(run) && withdrawn.has(run.occurrence.taskId)) scope.scheduleRuns.put(run.place, undefined);
    for (const run of newRuns(row, change, created)) scope.scheduleRuns.put(run.place, run);
    await scope.schedules.write(schedule.id, { schedule, lastSeq, isDeleted: change.isDeleted ?? row.isDeleted });
  });
  await session.run((scope) => trim(scope, schedule.id, lastSeq));
  return copyOf({ schedule, created, asked, cancelled });
}

/** Null: nothing is to be done. */
async function carryOut(
  scope: StatementScope,
  {
    scene,
    change,
    verdict: { taskId, verdict, reason },
  }: { scene: ScheduleScene; change: ScheduleChange; verdict: Verdict },
): Promise<TaskRow | null> {
  const seen = scene.open.find((each) => each.taskId === taskId);
  const effect = seen ? liveEffect(verdict, seen) : null;
  const before = effect && (await scope.tasks.lock(taskId, ({ state }) => state === seen!.state));
  if (!before) return null;
  if (effect === "lower") {
    const after = {
      ...before,
      maxAttempts: before.attempt,
      given: before.given | GIVEN.maxAttempts,
      version: before.version + 1,
    };
    await writeTask(scope, { before, after }, null);
    return after;
  }
  const actor = actorOf(scene.schedule, change);
  const after = cancelledRow(before, { actor, reason }, scope.now);
  if (after)
    await writeTask(scope, { before, after }, { reason: effect === "ask" ? "CANCEL_REQUESTED" : reason, actor });
  return after;
}

async function createOccurrences(
  session: MemorySession,
  { schedule: { id, namespace } }: ScheduleScene,
  { insert }: ScheduleChange,
): Promise<Task[]> {
  if (insert.length === 0) return [];
  const tasks = insert.map(({ task }) => ({ ...task, onConflict: "reject" as const }));
  const results = await writeTasks(session, { namespace, tasks });
  return results.map((result) => {
    if (result.outcome === "rejected") throw new KeyHeld(id, result.existingId);
    return result.task;
  });
}

/** One that still lives only gets what it stood in for. */
function conclude(scope: StatementScope, scheduleId: string, end: ScheduleChange["concluded"][number]): void {
  const run = runsOf(scope, scheduleId).find((each) => isOccurrence(each) && each.occurrence.taskId === end.taskId);
  if (!run || !isOccurrence(run) || run.endedAt !== null) return;
  const { missed, hasMissedMore } = end;
  const now = occurrenceNow(scope, run);
  const told = { ...run, stoodFor: end.stoodFor ?? run.stoodFor };
  const isLive = now.state === "scheduled" || now.state === "running";
  const occurrence: OccurrenceTask = { ...(isLive ? run.occurrence : now), missed, hasMissedMore };
  const endedAt = isLive ? null : (now.finishedAt ?? scope.now);
  scope.scheduleRuns.put(run.place, { ...told, occurrence, endedAt });
}

function newRuns({ schedule: { id: scheduleId }, lastSeq }: ScheduleRow, change: ScheduleChange, created: Task[]) {
  const added: ScheduleRunRow[] = [];
  const next = () => {
    const seq = lastSeq + added.length + 1;
    return { scheduleId, seq, place: placeOf({ scheduleId, seq }) };
  };
  for (const skipped of change.skips) added.push({ ...next(), kind: "skip", skipped: { ...skipped } });
  for (const [index, { kind, at, missed, hasMissedMore }] of change.insert.entries()) {
    const { id: taskId, dueAt, maxAttempts } = created[index]!;
    const made = { taskId, kind, at, missed, hasMissedMore, dueAt, maxAttempts, attempt: 0 };
    const unknown = { startedAt: null, reason: null, attemptEndedAt: null, finishedAt: null, isCancelRequested: false };
    const occurrence: OccurrenceTask = { ...made, ...unknown, state: "scheduled" };
    added.push({ ...next(), kind, occurrence, stoodFor: null, endedAt: null });
  }
  return added;
}

async function trim(scope: StatementScope, scheduleId: string, lastSeq: number): Promise<void> {
  const isOpen = (run: ScheduleRunRow): boolean => isOccurrence(run) && (run satisfies OccurrenceRow).endedAt === null;
  for (const run of runsOf(scope, scheduleId))
    if (run.seq <= lastSeq - RUNS_KEPT && !isOpen(run)) await scope.scheduleRuns.delete(run.place);
}

/** Schedules that do not run although nobody asked for that, by reason and type. */
export function stalledSchedules({ schedules }: StatementScope, servedTypeIds: readonly TypeId[]): StalledSchedules[] {
  const served = new Set(servedTypeIds);
  const kinds = new Map<string, { reason: StallReason; all: StoredSchedule[] }>();
  for (const { schedule, isDeleted } of schedules.values()) {
    const reason = isDeleted ? null : reasonOf(schedule, served);
    if (reason === null) continue;
    const place = `${reason} ${schedule.typeId}`;
    const kind = kinds.get(place);
    if (kind) kind.all.push(schedule);
    else kinds.set(place, { reason, all: [schedule] });
  }
  const told = [...kinds.values()].map(({ reason, all }) => toldOf(reason, all));
  return told.sort(byReasonAndType).slice(0, MAX_STALLED_KINDS);
}

function reasonOf({ planning: { pause, isFinished }, typeId }: StoredSchedule, served: ReadonlySet<TypeId>) {
  if (pause !== null) return pause.reason === "REQUESTED" ? null : pause.reason;
  return isFinished || served.has(typeId) ? null : "NO_NODE";
}

function toldOf(reason: StallReason, all: readonly StoredSchedule[]): StalledSchedules {
  const counted = [...all].sort((one, other) => (one.name < other.name ? -1 : 1)).slice(0, MAX_COUNTED_STALLED + 1);
  const { typeId, namespace, type } = counted[0]!;
  return {
    typeId,
    namespace,
    type,
    reason,
    count: counted.length,
    names: counted.slice(0, MAX_STALLED_NAMES).map(({ name }) => name),
    failures: Math.max(...counted.map(({ planning }) => planning.failures)),
    since: Math.min(...counted.map(({ planning, changedAt }) => planning.pause?.since ?? changedAt)),
  };
}

const REASONS: readonly StallReason[] = ["FAILURES", "NO_NODE", "UNANNOUNCED"];

function byReasonAndType(one: StalledSchedules, other: StalledSchedules): number {
  return REASONS.indexOf(one.reason) - REASONS.indexOf(other.reason) || one.typeId - other.typeId;
}
