/** What the API sends and takes about schedules. Instants are ISO 8601 strings, durations milliseconds. */

export const scheduleStates = ["active", "paused", "finished"] as const;
export type ScheduleState = (typeof scheduleStates)[number];

export const misfires = ["last", "skip", "all"] as const;
export const overlaps = ["skip", "buffer", "allow", "cancel-other"] as const;
export const resumes = ["skip", "last"] as const;
export const gaps = ["shift", "skip"] as const;
export const folds = ["first", "last", "both"] as const;

/** As it may be sent again. */
export type ScheduleBackoff =
  | { readonly kind: "fixed"; readonly delay: number }
  | { readonly kind: "exponential"; readonly initial: number; readonly max: number; readonly jitter: number }
  | { readonly kind: "ladder"; readonly delays: readonly number[] };

export interface SchedulePause {
  readonly since: string;
  /** Null: until somebody resumes it. */
  readonly until: string | null;
  /** `FAILURES`, `UNANNOUNCED` or `REQUESTED`. */
  readonly reason: string;
  readonly note: string | null;
  readonly by: string | null;
}

export interface Schedule {
  readonly name: string;
  readonly namespace: string;
  readonly type: string;
  readonly payload: unknown;
  readonly state: ScheduleState;
  readonly cron: string | null;
  readonly timeZone: string;
  readonly every: number | null;
  readonly anchor: string | null;
  readonly after: number | null;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly exclude: readonly string[];
  readonly misfire: (typeof misfires)[number];
  readonly limit: number | null;
  readonly overlap: (typeof overlaps)[number];
  readonly onResume: (typeof resumes)[number];
  readonly gap: (typeof gaps)[number];
  readonly fold: (typeof folds)[number];
  readonly jitter: number;
  readonly catchUpLimit: number | null;
  readonly pauseAfterFailures: number | null;
  readonly holdForRetry: boolean;
  readonly startDeadline: number | null;
  readonly priority: number | null;
  readonly maxAttempts: number | null;
  readonly backoff: ScheduleBackoff | null;
  readonly timeout: number | null;
  readonly tags: readonly string[];
  readonly deliver: { readonly kind: string; readonly url: string } | null;
  /** Null: none is planned. */
  readonly nextAt: string | null;
  /** Why none is planned of an active one: its run has not ended, or tasks are made right before they are due. */
  readonly waitingFor: "RUN" | "PLAN" | null;
  readonly pause: SchedulePause | null;
  /** The backfill that goes on; null: none does. */
  readonly backfill: BackfillProgress | null;
  /** Occurrences in a row that failed. */
  readonly failures: number;
  /** Whose code defines it; null: it was made by a call. */
  readonly application: string | null;
  readonly revision: number | string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly changedAt: string;
  readonly changedBy: string;
}

export interface BackfillProgress {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  /** How many of its runs wait. */
  readonly left: number;
  readonly since: string;
  readonly by: string;
}

export interface SchedulePage {
  readonly items: readonly Schedule[];
  readonly nextCursor: string | null;
}

/** A definition as it is sent: `null` and absent are the default. */
export type ScheduleInput = Readonly<Record<string, unknown>>;

export interface ExecutedRun {
  readonly kind: "spec" | "trigger" | "backfill";
  readonly taskId: string;
  readonly at: string;
  readonly dueAt: string;
  readonly missed: number;
  readonly missedMore: boolean;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly latenessMs: number | null;
  /** Null: it lives. `gone`: its task is kept no more. */
  readonly outcome: string | null;
  readonly reason: string | null;
}

export interface SkippedStretch {
  readonly kind: "skip";
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly more: boolean;
  readonly reason: string;
}

export type ScheduleRun = ExecutedRun | SkippedStretch;

export interface RunPage {
  readonly items: readonly ScheduleRun[];
  readonly nextCursor: string | null;
}

export interface PreviewedInstant {
  readonly at: string;
  readonly dueAt: string;
  /** What an excluded day or a change of the clock does to it. */
  readonly note: "EXCLUDED" | "GAP_SHIFTED" | "GAP_SKIPPED" | "FOLD_FIRST" | "FOLD_SECOND" | null;
  readonly runs: boolean;
}

export interface Preview {
  readonly items: readonly PreviewedInstant[];
}

/** A range of instants, `to` not included. */
export interface BackfillInput {
  readonly from: string;
  readonly to: string;
  readonly dryRun: boolean;
  readonly includeUnknown: boolean;
}

export interface BackfillInstant {
  readonly at: string;
  readonly fate: "ready" | "ran" | "pending" | "unknown";
  /** Why it had no run; null: it had one, or it is not known. */
  readonly skipped: string | null;
}

export interface Backfill {
  readonly dryRun: boolean;
  readonly count: number;
  readonly instants: readonly BackfillInstant[];
  /** The range has more than are told. */
  readonly more: boolean;
}
