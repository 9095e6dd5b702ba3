import type { EpochMs } from "@tickwheel/core";

/** What to do with instants that passed while nothing was there to run them. `limit`: at most 1,000. */
export type Misfire = { kind: "last" } | { kind: "skip" } | { kind: "all"; limit: number };

/** What to do with instants that pass while a run executes. */
export type Overlap = "skip" | "buffer" | "allow" | "cancel-other";

/** What a resume does with the instants of the pause. */
export type OnResume = "skip" | "last";

/** What a fixed hour does where the clock jumps over it. */
export type GapPolicy = "shift" | "skip";

/** Which of its two instants a fixed hour takes where the clock goes back over it. */
export type FoldPolicy = "first" | "last" | "both";

/** By cron expression: 5 or 6 fields (seconds first) on the wall clock of a zone. */
export interface CronSpec {
  kind: "cron";
  cron: string;
}

/** At a fixed rate: `anchorAt + k · everyMs` for every integer k, in elapsed time. Clock changes do not touch it. */
export interface RateSpec {
  kind: "every";
  everyMs: number;
  anchorAt: EpochMs;
}

/** With a fixed delay, counted from the end of the last run. */
export interface DelaySpec {
  kind: "after";
  afterMs: number;
}

export type ScheduleSpec = CronSpec | RateSpec | DelaySpec;

/** The instants that count: `startsAt ≤ x < endsAt`; null: no bound. */
export interface ScheduleWindow {
  startsAt: EpochMs | null;
  endsAt: EpochMs | null;
}

export interface SchedulePolicies {
  misfire: Misfire;
  overlap: Overlap;
  onResume: OnResume;
  gap: GapPolicy;
  fold: FoldPolicy;
  /** An occurrence is due up to this long after its instant, but before the next one. 0: no jitter. */
  jitterMs: number;
  /** An instant that has been due for longer is not caught up. Null: no such limit. */
  catchUpLimitMs: number | null;
  /** After so many failures in a row the schedule pauses itself. Null: never. */
  pauseAfterFailures: number | null;
  /** Whether a run that waits for its retry counts as executing. */
  holdForRetry: boolean;
  /** The occurrences' own start deadline, from their due time. Null: none. */
  startDeadlineMs: number | null;
}

/** All that decides which occurrences a schedule has. Its payload and the options of its task decide nothing here. */
export interface ScheduleDefinition {
  /** The id of the schedule's row; the jitter comes from it. */
  id: string;
  createdAt: EpochMs;
  spec: ScheduleSpec;
  /** IANA name: the clock of a cron expression, and of the excluded days of any spec. */
  timeZone: string;
  window: ScheduleWindow;
  /** Days `YYYY-MM-DD` in the zone, on which nothing runs. */
  exclude: readonly string[];
  policies: SchedulePolicies;
}

/** What a schedule does that says nothing. */
export const DEFAULT_POLICIES: SchedulePolicies = {
  misfire: { kind: "last" },
  overlap: "skip",
  onResume: "skip",
  gap: "shift",
  fold: "first",
  jitterMs: 0,
  catchUpLimitMs: null,
  pauseAfterFailures: null,
  holdForRetry: false,
  startDeadlineMs: null,
};

/** The limit of misfire `all` that says none. */
export const DEFAULT_CATCH_UP_RUNS = 100;
/** The most that misfire `all` may catch up. */
export const MAX_CATCH_UP_RUNS = 1_000;
/** The shortest rate and delay: 1 s. */
export const MIN_EVERY_MS = 1_000;
/** How late an instant may be found and still run under misfire `skip`: 60 s. */
export const GRACE_MS = 60_000;
/** How long before its due time an occurrence of overlap `allow` becomes a task: 30 s. */
export const PLAN_AHEAD_MS = 30_000;
