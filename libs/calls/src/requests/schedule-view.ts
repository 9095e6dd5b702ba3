import type { Backoff, EpochMs, Json, WebhookDelivery } from "@tickwheel/core";
import type { BackfillAnswer } from "@tickwheel/engine";
import {
  type BackfillFate,
  type BackfillInstant,
  type PreviewedInstant,
  type ScheduleRun,
  scheduleState,
  type ScheduleState,
  type StoredSchedule,
} from "@tickwheel/schedules";
import type { InstantForm } from "./task-view.js";

type Policies = StoredSchedule["definition"]["policies"];

/** The wait between attempts, in the form in which it may be given. */
export type ScheduleBackoff =
  | { kind: "fixed"; delay: number }
  | { kind: "exponential"; initial: number; max: number; jitter: number }
  | { kind: "ladder"; delays: readonly number[] };

/**
 * A schedule as every edge shows it. Durations are milliseconds. What is not told by the scheduler alone may be given
 * again as it is, and changes nothing then.
 */
export interface ScheduleFields<Payload, Instant> {
  name: string;
  namespace: string;
  type: string;
  payload: Payload;
  /** `finished`: it has no instant left. */
  state: ScheduleState;
  cron: string | null;
  timeZone: string;
  every: number | null;
  anchor: Instant | null;
  after: number | null;
  startsAt: Instant | null;
  endsAt: Instant | null;
  exclude: readonly string[];
  misfire: "last" | "skip" | "all";
  /** Of misfire `all`. */
  limit: number | null;
  overlap: Policies["overlap"];
  onResume: Policies["onResume"];
  gap: Policies["gap"];
  fold: Policies["fold"];
  jitter: number;
  catchUpLimit: number | null;
  pauseAfterFailures: number | null;
  holdForRetry: boolean;
  startDeadline: number | null;
  priority: number | null;
  maxAttempts: number | null;
  backoff: ScheduleBackoff | null;
  timeout: number | null;
  tags: readonly string[];
  deliver: WebhookDelivery | null;
  /** The instant that is planned next; null: none is, for which `state` and `waitingFor` say why. */
  nextAt: Instant | null;
  /**
   * Why an active schedule has no instant planned. `RUN`: one that has come is due, runs, or waits for its retry; what
   * comes next is planned when that has ended. `PLAN`: with overlap `allow`, instants become tasks 30 s before they are
   * due. Null: one is planned, or it is not active.
   */
  waitingFor: "RUN" | "PLAN" | null;
  /** Of why and until when it is paused; null: it is not. */
  pause: {
    since: Instant;
    /** Null: until somebody resumes it. */
    until: Instant | null;
    /** `FAILURES` in a row, `UNANNOUNCED` by any node's code, or `REQUESTED`. */
    reason: string;
    note: string | null;
    by: string | null;
  } | null;
  /** The backfill that goes on; null: none does. */
  backfill: {
    from: Instant;
    to: Instant;
    /** How many runs it makes, and how many of them wait. */
    count: number;
    left: number;
    since: Instant;
    by: string;
  } | null;
  /** Occurrences in a row that failed. */
  failures: number;
  /** The application whose code defines it; null: it was made by a call. */
  application: string | null;
  /** Raised by each change. */
  revision: number;
  createdAt: Instant;
  createdBy: string;
  changedAt: Instant;
  changedBy: string;
}

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
    name: schedule.name,
    namespace: schedule.namespace,
    type: schedule.type,
    payload,
    state,
    ...ruleFields(schedule, instantOf),
    priority: taskOptions.priority ?? null,
    maxAttempts: taskOptions.maxAttempts ?? null,
    backoff: taskOptions.backoff ? backoffOf(taskOptions.backoff) : null,
    timeout: taskOptions.timeoutMs ?? null,
    tags: taskOptions.tags ?? [],
    deliver: taskOptions.webhook ?? null,
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

/** Of a schedule with no instant planned. The last run of one that may overlap is followed by no look but its end's. */
function waitOf({ definition, planning }: StoredSchedule): "RUN" | "PLAN" {
  return definition.policies.overlap === "allow" && planning.lookAt !== null ? "PLAN" : "RUN";
}

function backoffOf(backoff: Backoff): ScheduleBackoff {
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

/** A run of a schedule, or instants that were skipped. The newest instant first. */
export type ScheduleRunFields<Instant> =
  | {
      kind: "spec" | "trigger" | "backfill";
      taskId: string;
      /** The instant that it runs for. */
      at: Instant;
      dueAt: Instant;
      /** How many instants were missed before it; `missedMore`: and more. */
      missed: number;
      missedMore: boolean;
      startedAt: Instant | null;
      finishedAt: Instant | null;
      /** Milliseconds from its due time to its first start; null: it has not started. */
      latenessMs: number | null;
      /** Null: it lives. `gone`: its task is kept no more. */
      outcome: string | null;
      reason: string | null;
    }
  | {
      kind: "skip";
      from: Instant;
      to: Instant;
      count: number;
      /** Whether there are more between the two than were counted. */
      more: boolean;
      reason: string;
    };
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

/** An instant that is to come, with what a change of the clock or an exclusion does to it. */
export interface PreviewFields<Instant> {
  at: Instant;
  dueAt: Instant;
  /** `EXCLUDED`, `GAP_SHIFTED`, `GAP_SKIPPED`, `FOLD_FIRST`, `FOLD_SECOND`, or null. */
  note: PreviewedInstant["note"];
  runs: boolean;
}

export function toPreviewView<Instant>(
  { at, dueAt, note, runs }: PreviewedInstant,
  instantOf: InstantForm<Instant>,
): PreviewFields<Instant> {
  return { at: instantOf(at), dueAt: instantOf(dueAt), note, runs };
}

/** What a backfill does, or would do. */
export interface BackfillFields<Instant> {
  dryRun: boolean;
  /** How many instants run. */
  count: number;
  /** Each instant of the range that is not excluded, rising; at most 1,000. */
  instants: readonly {
    at: Instant;
    /**
     * `ready`: it runs. `ran`: it had a run, or has one that lives. `pending`: nothing is decided about it yet, since
     * the schedule is paused or is about to catch up with it. `unknown`: whether it ran is known no more.
     */
    fate: BackfillFate;
    /** Why it had no run, `BEFORE_CREATION` included; null: it had one, or it is not known. */
    skipped: BackfillInstant["skipped"];
  }[];
  /** Whether the range has more instants than are told. Then only a dry run is given: take a shorter range. */
  more: boolean;
}

export function toBackfillView<Instant>(
  { instants, hasMore, count }: BackfillAnswer,
  dryRun: boolean,
  instantOf: InstantForm<Instant>,
): BackfillFields<Instant> {
  const told = instants.map(({ at, fate, skipped }) => ({ at: instantOf(at), fate, skipped }));
  return { dryRun, count, instants: told, more: hasMore };
}
