import { type EpochMs, type ExecutionRef, type NewTask, type Task, TickwheelError } from "@tickwheel/core";
import {
  actorOf,
  changedSchedule,
  type KeptRuns,
  type LiveEffect,
  liveEffect,
  type OccurrenceTask,
  type PlannedSchedule,
  type PlanSchedule,
  RUNS_KEPT,
  type ScheduleChange,
  type ScheduleScene,
} from "@tickwheel/schedules";
import type { Session } from "../connection/session.js";
import type { ScheduleRow } from "../sql/schedule-rows.js";
import { endOccurrences } from "../statements/schedules/end-occurrences.js";
import {
  type LockedOccurrence,
  lockFreeOccurrences,
  lockOccurrences,
} from "../statements/schedules/lock-occurrences.js";
import { readRuns } from "../statements/schedules/read-runs.js";
import { type SceneRow, scheduleScene } from "../statements/schedules/schedule-scene.js";
import {
  addRuns,
  type ConcludedRun,
  concludeRuns,
  dropRuns,
  type NewRun,
  trimRuns,
} from "../statements/schedules/write-runs.js";
import { type WrittenSchedule, writeSchedules } from "../statements/schedules/write-schedules.js";
import { readNow } from "../statements/server/now.js";
import { type Naming, writeTasks } from "./write-tasks.js";

export interface PlanningContext {
  session: Session;
  /** The types of new tasks. */
  namesOf: (tasks: readonly { namespace: string; task: NewTask }[]) => Promise<Naming>;
  asOf: EpochMs | null;
  /** Whether tasks that others have locked are waited for; else their schedules are left as they are. */
  waits: boolean;
  /** Whether decisions see what is kept of runs that have ended. Default false. */
  withPast?: boolean;
}

/** Another task holds the key of an occurrence: the transaction is rolled back. */
export class KeysHeld extends Error {
  /** @param holders by the ids of the schedules, the tasks that hold the keys */
  constructor(readonly holders: ReadonlyMap<string, string>) {
    super("Another task holds the key of an occurrence");
  }
}

const MAX_ATTEMPTS = 3;

/**
 * Decides about schedules that the session's transaction has locked, and writes the decisions. Lock first, look second:
 * the clock and the occurrences are read by statements that were sent after the lock. How many statements there are
 * does not depend on the number of schedules.
 *
 * Tasks are locked only where a verdict changes them. One that was claimed or has ended since it was read makes the
 * decision stale: then it is asked for again. Schedules whose tasks change each time are not in the answer and are left
 * unchanged.
 *
 * @throws KeysHeld
 */
export async function planLocked(
  context: PlanningContext,
  locked: readonly ScheduleRow[],
  plan: PlanSchedule,
): Promise<PlannedSchedule[]> {
  const planned: PlannedSchedule[] = [];
  let left = locked;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS && left.length > 0; attempt++) {
    const decisions = (await readScenes(context, left)).flatMap((read) => decided(read, plan));
    const stale = await lockTasks(context, decisions);
    const settled = decisions.filter((decision) => !stale.has(decision));
    planned.push(...(await writeDecisions(context, settled)));
    left = [...stale].map(({ row }) => row);
  }
  if (left.length > 0 && context.waits)
    throw new TickwheelError("STORE_UNAVAILABLE", "The schedule's task changed each time that it was looked at");
  return planned;
}

interface ReadScene {
  row: ScheduleRow;
  scene: ScheduleScene;
  /** By task id. */
  open: ReadonlyMap<string, SceneRow>;
}

/** What is to be done to a task, and its row as the decision saw it. */
interface Effect {
  taskId: string;
  effect: LiveEffect;
  reason: ScheduleChange["live"][number]["reason"];
  actor: string;
  /** Its instant is open again: its run is no more. */
  isWithdrawn: boolean;
  seen: SceneRow;
  /** Once its task is locked. */
  locked?: LockedOccurrence;
}

interface Decision extends ReadScene {
  change: ScheduleChange;
  effects: Effect[];
}

async function readScenes(context: PlanningContext, rows: readonly ScheduleRow[]): Promise<ReadScene[]> {
  const { session, asOf } = context;
  const [now] = await session.run(readNow, { asOf });
  const past = context.withPast ? await readPast(session, rows) : null;
  const read = await session.run(scheduleScene, { ids: rows.map(({ schedule }) => schedule.id) });
  const bySchedule = new Map(rows.map((row): [string, SceneRow[]] => [row.schedule.id, []]));
  for (const each of read) bySchedule.get(each.scheduleId)!.push(each);
  return rows.map((row) => {
    const occurrences = bySchedule.get(row.schedule.id)!;
    const open = occurrences.filter(({ isOpen }) => isOpen);
    const last = occurrences.find(({ isOpen }) => !isOpen)?.occurrence ?? null;
    const scene: ScheduleScene = {
      schedule: row.schedule,
      now: now!,
      open: open.map(({ occurrence }) => occurrence),
      last,
    };
    if (past) scene.past = past.get(row)!;
    return { row, scene, open: new Map(open.map((each) => [each.occurrence.taskId, each])) };
  });
}

/** Open runs are kept beyond the bound, so there may be more than it says. */
async function readPast(session: Session, rows: readonly ScheduleRow[]): Promise<Map<ScheduleRow, KeptRuns>> {
  const past = new Map<ScheduleRow, KeptRuns>();
  for (const row of rows) {
    const { namespace, id } = row.schedule;
    const runs = await session.run(readRuns, { namespace, id, limit: 2 * RUNS_KEPT, before: null });
    past.set(row, { runs, areAll: row.lastSeq <= RUNS_KEPT });
  }
  return past;
}

function decided(read: ReadScene, plan: PlanSchedule): Decision[] {
  const change = plan(read.scene);
  if (!change) return [];
  const actor = actorOf(read.scene.schedule, change);
  const effects = change.live.flatMap(({ taskId, verdict, reason }): Effect[] => {
    const seen = read.open.get(taskId);
    const effect = seen ? liveEffect(verdict, seen.occurrence) : null;
    return effect ? [{ taskId, effect, reason, actor, isWithdrawn: verdict === "withdraw", seen: seen! }] : [];
  });
  return [{ ...read, change, effects }];
}

/** Locks the tasks that are to be changed. Answers the decisions one of whose tasks is not as they saw it. */
async function lockTasks(
  { session, waits }: PlanningContext,
  decisions: readonly Decision[],
): Promise<ReadonlySet<Decision>> {
  const ids = decisions.flatMap(({ effects }) => effects.map(({ taskId }) => taskId));
  if (ids.length === 0) return new Set();
  const found = await session.run(waits ? lockOccurrences : lockFreeOccurrences, { ids });
  const byId = new Map(found.map((task) => [task.id, task]));
  const stale = new Set<Decision>();
  for (const decision of decisions) {
    for (const effect of decision.effects) {
      effect.locked = byId.get(effect.taskId);
      if (!isAsSeen(effect)) stale.add(decision);
    }
  }
  return stale;
}

function isAsSeen({ seen: { occurrence, fence }, locked }: Effect): boolean {
  if (locked?.state !== occurrence.state || locked.fence !== fence) return false;
  return locked.isCancelRequested === occurrence.isCancelRequested;
}

async function writeDecisions(context: PlanningContext, decisions: readonly Decision[]): Promise<PlannedSchedule[]> {
  if (decisions.length === 0) return [];
  const { session, asOf } = context;
  const effects = decisions.flatMap((decision) => decision.effects);
  const [endedAt] = effects.length > 0 ? await session.run(endOccurrences, { effects, asOf }) : [];
  const created = await createOccurrences(context, decisions);
  const concluded = decisions.flatMap((decision) => concludedRuns(decision, endedAt ?? decision.scene.now));
  if (concluded.length > 0) await session.run(concludeRuns, { runs: concluded });
  const withdrawn = effects.filter(({ isWithdrawn }) => isWithdrawn).map(({ taskId }) => taskId);
  if (withdrawn.length > 0) await session.run(dropRuns, { taskIds: withdrawn });
  const runs = decisions.flatMap((decision) => newRuns(decision, created.get(decision)!));
  if (runs.length > 0) await session.run(addRuns, { runs });
  const written = decisions.map(writtenSchedule);
  if (runs.length + concluded.length > 0)
    await session.run(trimRuns, { schedules: written.map(({ schedule: { id }, lastSeq }) => ({ id, lastSeq })) });
  await session.run(writeSchedules, { written, now: decisions[0]!.scene.now });
  return decisions.map((decision, index) => ({
    schedule: written[index]!.schedule,
    created: created.get(decision)!,
    asked: askedOf(decision),
    cancelled: decision.effects.filter(({ effect }) => effect === "end").map(({ taskId }) => taskId),
  }));
}

/** The created tasks of each decision, in the order given. @throws KeysHeld */
async function createOccurrences(
  { session, namesOf, asOf }: PlanningContext,
  decisions: readonly Decision[],
): Promise<Map<Decision, Task[]>> {
  const created = new Map(decisions.map((decision): [Decision, Task[]] => [decision, []]));
  const wanted = decisions.flatMap((decision) =>
    decision.change.insert.map(({ task }) => ({ decision, task: { ...task, onConflict: "reject" as const } })),
  );
  if (wanted.length === 0) return created;
  const types = await namesOf(
    wanted.map(({ decision, task }) => ({ namespace: decision.scene.schedule.namespace, task })),
  );
  const request = { namespace: "", tasks: wanted.map(({ task }) => task) };
  const results = await writeTasks(session, { request, types, asOf });
  const held = new Map<string, string>();
  for (const [place, { decision }] of wanted.entries()) {
    const result = results[place]!;
    if (result.outcome === "rejected") held.set(decision.scene.schedule.id, result.existingId);
    else created.get(decision)!.push(result.task);
  }
  if (held.size > 0) throw new KeysHeld(held);
  return created;
}

function askedOf({ effects }: Decision): ExecutionRef[] {
  return effects.flatMap(({ effect, taskId: id, locked }) =>
    effect === "ask" && locked?.owner ? [{ id, owner: locked.owner, fence: locked.fence }] : [],
  );
}

function concludedRuns({ scene, open, change, effects }: Decision, endedAt: EpochMs): ConcludedRun[] {
  const ended = new Map(effects.filter(({ effect }) => effect === "end").map((each) => [each.taskId, each]));
  return change.concluded.flatMap(({ taskId, stoodFor, missed, hasMissedMore }): ConcludedRun[] => {
    const seen = open.get(taskId);
    if (!seen) return [];
    const { seq, occurrence } = seen;
    const by = ended.get(taskId);
    const end = by ? { state: "cancelled" as const, reason: by.reason, endedAt } : endOf(occurrence, scene.now);
    const { dueAt, startedAt, attempt, maxAttempts } = occurrence;
    const kept = { stoodFor, missed, hasMissedMore, dueAt, startedAt, attempt, maxAttempts };
    return [{ scheduleId: scene.schedule.id, seq, ...kept, ...end }];
  });
}

function endOf({ state, reason, finishedAt }: OccurrenceTask, now: EpochMs) {
  if (state === "gone") return { state: null, reason: null, endedAt: now };
  if (state === "scheduled" || state === "running") return { state: null, reason: null, endedAt: null };
  return { state, reason, endedAt: finishedAt ?? now };
}

/** Skipped stretches come before the occurrence that follows them. */
function newRuns({ row, scene, change: { skips, insert } }: Decision, created: readonly Task[]): NewRun[] {
  const { id: scheduleId } = scene.schedule;
  let seq = row.lastSeq;
  const skipped = skips.map(({ from, to, count, hasMore, reason }): NewRun => {
    const stretch = { at: from, until: to, missed: count, hasMissedMore: hasMore, reason, endedAt: scene.now };
    return { scheduleId, seq: ++seq, kind: "skip", ...stretch, taskId: null, dueAt: null };
  });
  const inserted = insert.map(({ task, kind, at, missed, hasMissedMore }, index): NewRun => {
    const occurrence = { kind, at, missed, hasMissedMore, taskId: task.id, dueAt: created[index]!.dueAt };
    return { scheduleId, seq: ++seq, ...occurrence, until: null, reason: null, endedAt: null };
  });
  return [...skipped, ...inserted];
}

function writtenSchedule({ row, scene, change }: Decision): WrittenSchedule {
  return {
    schedule: changedSchedule(row.schedule, change, scene.now),
    lastSeq: row.lastSeq + change.skips.length + change.insert.length,
    hasNewContent: change.content !== undefined,
    isDeleted: change.isDeleted ?? false,
  };
}
