// Made by `npm run generate`.
import type { SkipReason } from "@tickwheel/schedules";
import type { DeliveryFields } from "./task-view.generated.js";

/**
 * A schedule as every edge shows it. Durations are milliseconds. What is not told by the scheduler alone may be given
 * again as it is, and changes nothing then.
 */
export interface ScheduleFields<Payload, Instant> {
  /** No later schedule of the same name has it. */
  id: string;
  name: string;
  namespace: string;
  type: string;
  /** Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit. */
  payload: Payload;
  /** `finished`: it has no instant left. */
  state: "active" | "paused" | "finished";
  cron: string | null;
  timeZone: string;
  every: number | null;
  anchor: Instant | null;
  after: number | null;
  startsAt: Instant | null;
  endsAt: Instant | null;
  /** Days on which nothing runs, in the zone. */
  exclude: readonly string[];
  misfire: "last" | "skip" | "all";
  /** For misfire `all`: how many are caught up. */
  limit: number | null;
  overlap: "skip" | "buffer" | "allow" | "cancel-other";
  onResume: "skip" | "last";
  gap: "shift" | "skip";
  fold: "first" | "last" | "both";
  jitter: number;
  catchUpLimit: number | null;
  pauseAfterFailures: number | null;
  holdForRetry: boolean;
  startDeadline: number | null;
  priority: number | null;
  maxAttempts: number | null;
  /** As it may be given, with every field of its kind; null: as the type's handler wants. */
  backoff: ScheduleBackoff | null;
  timeout: number | null;
  tags: readonly string[];
  /** Where its tasks are sent; null: a handler runs them, or consumers do. */
  deliver: DeliveryFields | null;
  /** The instant that is planned next; null: none is, for which `state` and `waitingFor` say why. */
  nextAt: Instant | null;
  /**
   * Why an active schedule has no instant planned. `RUN`: one that has come is due, runs or waits for its retry.
   * `PLAN`: with overlap `allow`, instants become tasks 30 s before they are due.
   */
  waitingFor: "RUN" | "PLAN" | null;
  /** Why and until when it is paused; null: it is not. */
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
    /** How many runs it makes. */
    count: number;
    /** How many of them wait. */
    left: number;
    since: Instant;
    by: string;
  } | null;
  /** Occurrences in a row that failed. */
  failures: number;
  /** Whose code defines it; null: it was made by a call. */
  application: string | null;
  /** Raised by each change. */
  revision: number;
  createdAt: Instant;
  createdBy: string;
  changedAt: Instant;
  changedBy: string;
}

/** The wait between attempts, in the form in which it may be given. Durations are milliseconds. */
export type ScheduleBackoff = {
  kind: "fixed";
  delay: number;
} | {
  kind: "exponential";
  initial: number;
  max: number;
  jitter: number;
} | {
  kind: "ladder";
  delays: readonly number[];
};

/** A run of a schedule, or instants that were skipped. The newest instant first. */
export type ScheduleRunFields<Instant> = {
  kind: "spec" | "trigger" | "backfill";
  taskId: string;
  /** The instant that it runs for. */
  at: Instant;
  dueAt: Instant;
  /** How many instants were missed before it. */
  missed: number;
  /** More were missed than are counted. */
  missedMore: boolean;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** Milliseconds from its due time to its first start; null: it has not started. */
  latenessMs: number | null;
  /** Null: it lives. `gone`: its task is kept no more. */
  outcome: string | null;
  reason: string | null;
} | {
  kind: "skip";
  /** The first of the instants that were skipped. */
  from: Instant;
  /** The last of them. */
  to: Instant;
  count: number;
  /** There are more between the two than were counted. */
  more: boolean;
  reason: string;
};

/** An instant that is to come, with what a change of the clock or an exclusion does to it. */
export interface PreviewFields<Instant> {
  at: Instant;
  /** When it would run, with its jitter. */
  dueAt: Instant;
  note: "EXCLUDED" | "GAP_SHIFTED" | "GAP_SKIPPED" | "FOLD_FIRST" | "FOLD_SECOND" | null;
  runs: boolean;
}

/** What a backfill does, or would do. */
export interface BackfillFields<Instant> {
  dryRun: boolean;
  /** How many instants run. */
  count: number;
  instants: readonly {
    at: Instant;
    /**
     * `ready`: It runs. `ran`: It had a run, or has one that lives. `pending`: Nothing is decided about it yet: the
     * schedule is paused, or is about to catch up with it. `unknown`: Whether it ran is known no more.
     */
    fate: "ready" | "ran" | "pending" | "unknown";
    /** Why it had no run, `BEFORE_CREATION` included; null: it had one, or it is not known. */
    skipped: SkipReason | "BEFORE_CREATION" | null;
  }[];
  /** The range has more instants than are told: only a dry run is given. */
  more: boolean;
}
