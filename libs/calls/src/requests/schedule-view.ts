import type { Backoff, EpochMs, Json } from "@tickwheel/core";
import type { BackfillAnswer } from "@tickwheel/engine";
import { type PreviewedInstant, type ScheduleRun, scheduleState, type StoredSchedule } from "@tickwheel/schedules";
import type {
  BackfillFields,
  PreviewFields,
  ScheduleBackoff,
  ScheduleFields,
  ScheduleRunFields,
} from "./schedule-view.generated.js";
import type { InstantForm } from "./task-view.js";

/** A schedule in code. */
export type ScheduleView<Payload = Json> = ScheduleFields<Payload, Date>;

/** @param now to tell what is to come */
export function toScheduleView<Payload, Instant>(
  schedule: StoredSchedule,
  { payload, now }: { payload: Payload; now: EpochMs },
  instantOf: InstantForm<Instant>,
): ScheduleFields<Payload, Instant> {
  const { planning, taskOptions } = schedule;
  const { plannedUntil } = planning;
  const state = scheduleState(planning);
  const isPlanned = plannedUntil > now;
  return {
    id: schedule.id,
    name: schedule.name,
    namespace: schedule.namespace,
    type: schedule.type,
    payload,
    state,
    ...ruleFields(schedule, instantOf),
    priority: taskOptions.priority ?? null,
    maxAttempts: taskOptions.maxAttempts ?? null,
    backoff: taskOptions.backoff ? toBackoffView(taskOptions.backoff) : null,
    timeout: taskOptions.timeoutMs ?? null,
    tags: taskOptions.tags ?? [],
    deliver: taskOptions.outbound ?? null,
    nextAt: state === "active" && isPlanned ? instantOf(plannedUntil) : null,
    waitingFor: state === "active" && !isPlanned ? waitOf(schedule) : null,
    pause: pauseOf(schedule, instantOf),
    backfill: backfillOf(schedule, instantOf),
    failures: planning.failures,
    application: schedule.source?.application ?? null,
    revision: schedule.revision,
    createdAt: instantOf(schedule.createdAt),
    createdBy: schedule.createdBy,
    changedAt: instantOf(schedule.changedAt),
    changedBy: schedule.changedBy,
  };
}

/**
 * What a schedule with no planned instant waits for. The last run of one that may overlap is followed by no look but
 * its end's.
 */
function waitOf({ definition, planning }: StoredSchedule): "RUN" | "PLAN" {
  return definition.policies.overlap === "allow" && planning.lookAt !== null ? "PLAN" : "RUN";
}

/** A wait between attempts, as it may be given. */
export function toBackoffView(backoff: Backoff): ScheduleBackoff {
  if (backoff.kind === "fixed") return { kind: "fixed", delay: backoff.delayMs };
  if (backoff.kind === "ladder") return { kind: "ladder", delays: backoff.delaysMs };
  const { kind, initialMs, maxMs, jitter } = backoff;
  return { kind, initial: initialMs, max: maxMs, jitter };
}

function ruleFields<Instant>({ definition }: StoredSchedule, instantOf: InstantForm<Instant>) {
  const { spec, timeZone, window, exclude, policies } = definition;
  const orNull = (at: EpochMs | null): Instant | null => (at === null ? null : instantOf(at));
  return {
    cron: spec.kind === "cron" ? spec.cron : null,
    timeZone,
    every: spec.kind === "every" ? spec.everyMs : null,
    anchor: spec.kind === "every" ? instantOf(spec.anchorAt) : null,
    after: spec.kind === "after" ? spec.afterMs : null,
    startsAt: orNull(window.startsAt),
    endsAt: orNull(window.endsAt),
    exclude,
    misfire: policies.misfire.kind,
    limit: policies.misfire.kind === "all" ? policies.misfire.limit : null,
    overlap: policies.overlap,
    onResume: policies.onResume,
    gap: policies.gap,
    fold: policies.fold,
    jitter: policies.jitterMs,
    catchUpLimit: policies.catchUpLimitMs,
    pauseAfterFailures: policies.pauseAfterFailures,
    holdForRetry: policies.holdForRetry,
    startDeadline: policies.startDeadlineMs,
  };
}

function pauseOf<Instant>(
  { planning: { pause, pauseNote, pausedBy } }: StoredSchedule,
  instantOf: InstantForm<Instant>,
): ScheduleFields<never, Instant>["pause"] {
  if (!pause) return null;
  const { since, until, reason } = pause;
  const end = until === null ? null : instantOf(until);
  return { since: instantOf(since), until: end, reason, note: pauseNote, by: pausedBy };
}

function backfillOf<Instant>(
  { planning: { backfill } }: StoredSchedule,
  instantOf: InstantForm<Instant>,
): ScheduleFields<never, Instant>["backfill"] {
  if (!backfill) return null;
  const { from, to, count, left, since, by } = backfill;
  return { from: instantOf(from), to: instantOf(to), count, left: left.length, since: instantOf(since), by };
}

/** A run of a schedule in code, or instants that were skipped. */
export type ScheduleRunView = ScheduleRunFields<Date>;

export function toRunView<Instant>(run: ScheduleRun, instantOf: InstantForm<Instant>): ScheduleRunFields<Instant> {
  if (run.kind === "skip") {
    const { kind, from, to, count, hasMore: more, reason } = run;
    return { kind, from: instantOf(from), to: instantOf(to), count, more, reason };
  }
  const { kind, taskId, at, stoodFor, dueAt, startedAt, finishedAt, missed, hasMissedMore, outcome, reason } = run;
  const orNull = (instant: EpochMs | null): Instant | null => (instant === null ? null : instantOf(instant));
  return {
    kind,
    taskId,
    at: instantOf(stoodFor ?? at),
    dueAt: instantOf(dueAt),
    missed,
    missedMore: hasMissedMore,
    startedAt: orNull(startedAt),
    finishedAt: orNull(finishedAt),
    latenessMs: startedAt === null ? null : Math.max(0, startedAt - dueAt),
    outcome,
    reason,
  };
}

export function toPreviewView<Instant>(
  { at, dueAt, note, runs }: PreviewedInstant,
  instantOf: InstantForm<Instant>,
): PreviewFields<Instant> {
  return { at: instantOf(at), dueAt: instantOf(dueAt), note, runs };
}

export function toBackfillView<Instant>(
  { instants, hasMore, count }: BackfillAnswer,
  dryRun: boolean,
  instantOf: InstantForm<Instant>,
): BackfillFields<Instant> {
  const told = instants.map(({ at, fate, skipped }) => ({ at: instantOf(at), fate, skipped }));
  return { dryRun, count, instants: told, more: hasMore };
}
