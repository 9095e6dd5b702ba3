import type { EpochMs } from "@tickwheel/core";
import type { ScheduleDefinition } from "../definition/schedule.js";

/**
 * Why an instant of a schedule had no run. `LIVE_LIMIT`: as many occurrences as may live had not ended. `CANCELLED` and
 * `EXPIRED` are of occurrences that were tasks.
 */
export type SkipReason =
  | "EXCLUDED"
  | "PAUSED"
  | "CATCH_UP_LIMIT"
  | "OVERLAP"
  | "LIVE_LIMIT"
  | "MISSED"
  | "SCHEDULE_CHANGED"
  | "CANCELLED"
  | "EXPIRED";

/** An instant that waits for its turn. Its reason is why it did not run on time, and why it is skipped if displaced. */
export interface WaitingInstant {
  at: EpochMs;
  reason: "MISSED" | "OVERLAP" | "PAUSED";
}

/** A pause that is in force. `until`: the look then resumes it; null: only a resume does. */
export interface SchedulePause {
  since: EpochMs;
  until: EpochMs | null;
  /** `REQUESTED` by hand, `FAILURES` in a row, or `UNANNOUNCED`: no node has its definition in its code any more. */
  reason: "REQUESTED" | "FAILURES" | "UNANNOUNCED";
}

/** What the schedule's row keeps for planning. */
export interface PlanningState {
  /** Every instant up to here is settled or live. Only rises, but for pauses, edits and triggers. */
  plannedUntil: EpochMs;
  /** The newest instant that is settled: run, skipped, or started. Only rises. */
  settledUntil: EpochMs;
  /** Rising. */
  backlog: readonly WaitingInstant[];
  /** Occurrences in a row that failed: ended dead, or gave up their retries for the next one. */
  failures: number;
  pause: SchedulePause | null;
}

/** The occurrence that holds the schedule's key: a task that has not ended. */
export interface LiveOccurrence {
  /** Its instant; of a trigger the time of the call. */
  at: EpochMs;
  /** When its task is due. */
  dueAt: EpochMs;
  /** `overdue`: due and not started. `retrying`: started, and between two attempts. */
  state: "scheduled" | "overdue" | "paused" | "running" | "retrying";
  /** When its first attempt started; null: none has. */
  startedAt: EpochMs | null;
  /** When its last attempt ended; null: none has, or one executes. */
  attemptEndedAt: EpochMs | null;
  /** Whether it may be given another attempt. */
  hasAttemptsLeft: boolean;
  /** Whether it has been asked to stop. */
  isCancelRequested: boolean;
  /** Whether it was started by hand, outside the spec. */
  isTrigger: boolean;
}

/** The run of the chain that ended last. */
export interface LastRun {
  at: EpochMs;
  /** When its first attempt started; null where it was cancelled or expired before. */
  startedAt: EpochMs | null;
  endedAt: EpochMs;
  isTrigger: boolean;
}

export interface PlanningInput {
  definition: ScheduleDefinition;
  state: PlanningState;
  /** The database's clock, read after the schedule's row was locked. */
  now: EpochMs;
  /** Null: the key is free. Not asked for with overlap `allow`. */
  live: LiveOccurrence | null;
  /** Null: none, or no longer known. */
  last: LastRun | null;
  /** With overlap `allow`: how many more occurrences may live, 0 or more. Default: no bound. */
  places?: number;
}

/** An occurrence to create as a task. */
export interface PlannedOccurrence {
  /** Its instant; it is the task's `occurrenceAt`. */
  at: EpochMs;
  /** When the task is due: the instant plus its jitter, or now where it catches up. */
  dueAt: EpochMs;
  /** How many instants were skipped by the decision that made it. */
  missed: number;
  /** Whether there were more than were counted. */
  hasMissedMore: boolean;
  /** It ends `expired` unless it has started by then. Null: it may start however late. */
  startDeadlineAt: EpochMs | null;
  isTrigger: boolean;
}

/** Instants in a row that do not run, for one reason: one row, however many they are. */
export interface SkippedStretch {
  /** The first of them. */
  from: EpochMs;
  /** The last of them. */
  to: EpochMs;
  count: number;
  /** Whether there are more between the two than were counted. */
  hasMore: boolean;
  reason: SkipReason;
}

/**
 * What happens to the live occurrence:
 *
 * - `keep`: nothing.
 * - `cancel`: it is asked to stop; its end is `cancelled` / `OVERLAP`.
 * - `end-retries`: no further attempt. One that waits for its retry ends `cancelled` / `OVERLAP` in this transaction,
 *   before the inserts; one that executes may finish (its `maxAttempts` is lowered to the attempt it is in).
 * - `withdraw`: it has not started and ends `cancelled` / `SCHEDULE_CHANGED` in this transaction, before the inserts.
 *   With overlap `allow`: every unstarted occurrence that is due later than now, at a pause every unstarted one.
 */
export type LiveVerdict = "keep" | "cancel" | "end-retries" | "withdraw";

export interface PlanningOutput {
  insert: readonly PlannedOccurrence[];
  skips: readonly SkippedStretch[];
  live: LiveVerdict;
  /** What the run that started last stands for, where that is not its own instant. Its row is written under it. */
  standIn: StandIn | null;
  state: PlanningState;
  /** When to ask again if nothing ends before. Null: the end of the live occurrence asks. */
  lookAt: EpochMs | null;
  /** Whether the schedule has no instant left, and nothing waits or lives. */
  isFinished: boolean;
}

/** What a late run stands for. */
export interface StandIn {
  occurrenceAt: EpochMs;
  /** How many instants it stands in for, besides its own. At most 1,000 are counted. */
  missed: number;
  hasMissedMore: boolean;
}

/** The most instants that one decision looks at one by one. */
export const MOST_STEPS = 1_000;

/** The state of a schedule that was just created: nothing before is run or missed. */
export function newPlanningState(createdAt: EpochMs): PlanningState {
  return { plannedUntil: createdAt, settledUntil: createdAt, backlog: [], failures: 0, pause: null };
}
