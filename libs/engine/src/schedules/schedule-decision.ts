import type { EpochMs, NewTask } from "@tickwheel/core";
import {
  type LastRun,
  type LiveOccurrence,
  type OccurrenceTask,
  type PlannedOccurrence,
  type PlanningInput,
  type PlanningOutput,
  type ScheduleChange,
  type ScheduleDefinition,
  type ScheduleScene,
  type StoredSchedule,
  wallTimeOf,
  type ZoneRules,
} from "@tickwheel/schedules";
import { backfillStep } from "./backfill-step.js";
import { type DraftedOccurrence, isLive } from "./drafted-occurrence.js";
import { lookAtOf } from "./next-look.js";

/** What asks for a decision, and what it adds to what is written. */
export interface Decision {
  /** The pure function; null: nothing is to be written. */
  decide(input: PlanningInput, schedule: StoredSchedule): PlanningOutput | null;
  /** How many occurrences of one schedule with overlap `allow` may live. */
  liveLimit: number;
  /** The version of this process; null: it knows no version. */
  zoneRules: string | null;
  /** Whether the schedule is taken over from an older version. */
  takesOver?: boolean;
  /** The task of an occurrence. */
  draft(planned: DraftedOccurrence, scene: ScheduleScene): NewTask;
  /** What is written besides: a new content, a note of a pause. */
  besides?(output: PlanningOutput): Partial<Pick<ScheduleChange, "content" | "isDeleted">> & PauseNote;
  /** Whether unstarted occurrences that are due already are taken back too: a pause, a delete. */
  withdrawsOverdue?: boolean;
  /** Whether a backfill that goes on ends, and its run that has not started is taken back. */
  endsBackfill?: boolean;
}

/** What people are told of a pause; absent: what the row says stays. */
export interface PauseNote {
  pauseNote?: string | null;
  pausedBy?: string | null;
}

/**
 * A decision about a schedule: what its row and its occurrences say becomes the input of a pure function, and what that
 * answers becomes what is written. Pure.
 */
export function changeOf(scene: ScheduleScene, decision: Decision): ScheduleChange | null {
  const { schedule, now } = scene;
  const ended = endedOf(scene);
  const live = isChain(schedule) ? (liveOf(scene)[0] ?? null) : null;
  const input: PlanningInput = {
    definition: definitionOf(schedule),
    state: { ...schedule.planning, failures: failuresAfter(schedule.planning.failures, ended) },
    now,
    live: live && liveOccurrence(live, now),
    last: lastRunOf(scene, ended),
    places: Math.max(decision.liveLimit - scene.open.filter(isLive).length, 0),
  };
  const output = decision.decide(input, schedule);
  if (output === null) return null;
  const { content, isDeleted, ...note } = decision.besides?.(output) ?? {};
  const stays = output.state.pause !== null;
  // What is planned by an edit is made of the new content.
  const drafted = content === undefined ? scene : { ...scene, schedule: { ...schedule, ...content } };
  const backfill = backfillStep(scene, decision.endsBackfill ?? false);
  const inserted = [...output.insert.map(ofItsKind), ...backfill.insert];
  const looks = [lookAtOf({ output, live, now }), backfill.lookAt].filter((at) => at !== null);
  return {
    live: [...verdictsOf(scene, output, decision.withdrawsOverdue ?? false), ...backfill.live],
    concluded: concludedOf(ended, live, output),
    skips: output.skips,
    insert: inserted.map((one) => {
      const { kind, at, missed, hasMissedMore } = one;
      return { task: decision.draft(one, drafted), kind, at, missed, hasMissedMore };
    }),
    planning: {
      ...output.state,
      ...backfill.state,
      ...rulesAfter(drafted.schedule, decision, output),
      lookAt: isDeleted || looks.length === 0 ? null : Math.min(...looks),
      isFinished: output.isFinished,
      pauseNote: stays ? (note.pauseNote ?? schedule.planning.pauseNote) : null,
      pausedBy: stays ? (note.pausedBy ?? schedule.planning.pausedBy) : null,
    },
    ...(content === undefined ? {} : { content }),
    ...(isDeleted === undefined ? {} : { isDeleted }),
  };
}

/** The definition of a stored schedule, with what its row says. */
export function definitionOf({ id, createdAt, definition }: StoredSchedule): ScheduleDefinition {
  return { id, createdAt, ...definition };
}

/** Whether a schedule has one live occurrence at most. */
export function isChain({ definition }: StoredSchedule): boolean {
  return definition.policies.overlap !== "allow";
}

/** The occurrence that is ahead keeps the rules under which it was planned, and its wall time. */
function rulesAfter(schedule: StoredSchedule, decision: Decision, { insert }: PlanningOutput): ZoneRules {
  const { zoneRules, wallAt } = schedule.planning;
  const planned = insert.find(({ isTrigger }) => !isTrigger);
  if (planned) {
    const wall = hasZoneRules(schedule) ? wallTimeOf(definitionOf(schedule), planned.at) : null;
    return { zoneRules: wall === null ? null : decision.zoneRules, wallAt: wall };
  }
  return { zoneRules: decision.takesOver ? decision.zoneRules : zoneRules, wallAt };
}

/** UTC never changes. */
function hasZoneRules({ definition: { spec, timeZone } }: StoredSchedule): boolean {
  return spec.kind === "cron" && timeZone !== "UTC";
}

function ofItsKind(planned: PlannedOccurrence): DraftedOccurrence {
  return { ...planned, kind: planned.isTrigger ? "trigger" : "spec" };
}

function liveOf({ open }: ScheduleScene): OccurrenceTask[] {
  return open.filter((one) => one.kind !== "backfill" && isLive(one));
}

/** Those that have ended since they were looked at last, in the order of their ends. */
function endedOf({ open }: ScheduleScene): OccurrenceTask[] {
  return open.filter((one) => !isLive(one)).sort((one, other) => endOf(one) - endOf(other));
}

function endOf({ finishedAt }: OccurrenceTask): number {
  return finishedAt ?? Number.POSITIVE_INFINITY;
}

function liveOccurrence(task: OccurrenceTask, now: EpochMs): LiveOccurrence {
  const { at, dueAt, startedAt, attemptEndedAt, isCancelRequested, attempt, maxAttempts } = task;
  return {
    at,
    dueAt,
    state: liveState(task, now),
    startedAt,
    attemptEndedAt,
    hasAttemptsLeft: attempt < maxAttempts,
    isCancelRequested,
    isTrigger: task.kind === "trigger",
  };
}

function liveState({ state, startedAt, dueAt }: OccurrenceTask, now: EpochMs): LiveOccurrence["state"] {
  if (state === "running") return "running";
  if (startedAt !== null) return "retrying";
  return dueAt <= now ? "overdue" : "scheduled";
}

/** Where several have ended, the last one counts; the end of a run that is kept no more is not known. */
function lastRunOf({ last }: ScheduleScene, ended: readonly OccurrenceTask[]): LastRun | null {
  const newest = ended.filter(({ kind }) => kind !== "backfill").at(-1) ?? last;
  if (!newest || newest.finishedAt === null) return null;
  const { at, startedAt, finishedAt: endedAt, kind } = newest;
  return { at, startedAt, endedAt, isTrigger: kind === "trigger" };
}

/**
 * Occurrences of the spec in a row that ended dead. An occurrence that was cancelled by hand or has expired changes
 * nothing. One that is kept no more ends the row: most likely it has succeeded, and its type keeps no success.
 */
function failuresAfter(before: number, ended: readonly OccurrenceTask[]): number {
  let failures = before;
  for (const { kind, state } of ended) {
    if (kind !== "spec") continue;
    if (state === "dead") failures += 1;
    else if (state === "succeeded" || state === "gone") failures = 0;
  }
  return failures;
}

/** A late run is told under the instant that it stood for, from the first decision on that sees its start. */
function concludedOf(
  ended: readonly OccurrenceTask[],
  live: OccurrenceTask | null,
  { standIn }: PlanningOutput,
): ScheduleChange["concluded"] {
  const started = [...ended.filter(({ kind }) => kind === "spec"), ...(live ? [live] : [])].at(-1);
  const told = standIn && started ? [...ended.filter((one) => one !== started), started] : ended;
  return told.map((one) => {
    const stoodFor = standIn !== null && one === started ? standIn : null;
    return {
      taskId: one.taskId,
      stoodFor: stoodFor?.occurrenceAt ?? null,
      missed: one.missed + (stoodFor?.missed ?? 0),
      hasMissedMore: one.hasMissedMore || (stoodFor?.hasMissedMore ?? false),
    };
  });
}

function verdictsOf(
  scene: ScheduleScene,
  { live: verdict }: PlanningOutput,
  withdrawsOverdue: boolean,
): ScheduleChange["live"] {
  if (verdict === "keep") return [];
  const live = liveOf(scene);
  if (verdict !== "withdraw")
    return live.slice(0, 1).map(({ taskId }) => ({ taskId, verdict, reason: "OVERLAP" as const }));
  const isOpen = !isChain(scene.schedule);
  const unstarted = live.filter(({ startedAt, state }) => startedAt === null && state === "scheduled");
  return unstarted
    .filter(({ dueAt, kind }) => !isOpen || (kind === "spec" && (withdrawsOverdue || dueAt > scene.now)))
    .map(({ taskId }) => ({ taskId, verdict, reason: "SCHEDULE_CHANGED" as const }));
}
