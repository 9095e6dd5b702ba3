import { LONGEST_INTERVAL_MS, numberRule, type NumberRule } from "./number-rules.js";

/** A named time or limit of a node: what it may be, what it is by default, and what it means. */
export interface OptionEntry extends NumberRule {
  default: number;
  /** What it means, in Markdown; its relations to others too, which `resolveOptions` checks. */
  text: string;
}

/** A result is written within `statementTimeoutMs`: what is larger would be sent again and again. */
export const MAX_RESULT_LIMIT_BYTES = 16_777_216;

/** One decision looks at so many instants of a schedule at most, since it holds the schedule's row meanwhile. */
const MOST_INSTANTS = 1_000;

/** Timers of a wheel, at most. */
const MOST_TIMERS = 16_777_216;

/** A hundred years: the instant that far back is one of every calendar and of Postgres. */
const LONGEST_RETENTION_DAYS = 36_500;

/** Snoozes are counted in a column `smallint`, which ends at 32,767. */
const MOST_SNOOZES = 30_000;

/**
 * The named times and limits of a node, whole numbers all of them. The interface `SchedulerOptions` and the guide's
 * table are made of it.
 */
export const OPTIONS = {
  heartbeatIntervalMs: { ...numberRule("duration", 10, 600_000), default: 1_000, text: "How often a node beats." },
  livenessPollMs: {
    ...numberRule("duration", 1, 600_000),
    default: 250,
    text: "How often a node looks at the beats of the others; at most `heartbeatIntervalMs`.",
  },
  suspectAfterBeats: {
    ...numberRule("beats", 1, 100),
    default: 3,
    text: "A node that missed this many beats is suspect: the next view leaves it out.",
  },
  selfFenceAfterBeats: {
    ...numberRule("beats", 1, 100),
    default: 5,
    text: "A node without a good beat for this many intervals starts nothing and aborts its own work.",
  },
  deadAfterBeats: {
    ...numberRule("beats", 1, 1_000),
    default: 7,
    text: "A node that missed this many beats is declared dead by the leader, one whose process was killed sooner; above `selfFenceAfterBeats`.",
  },
  redisKeyTtlMs: {
    ...numberRule("duration", 10, LONGEST_INTERVAL_MS),
    default: 3_000,
    text: "How long a node's keys stay in Redis; at least `heartbeatIntervalMs` × `suspectAfterBeats`, below `heartbeatIntervalMs` × `selfFenceAfterBeats`.",
  },
  leaderTtlMs: {
    ...numberRule("duration", 10, LONGEST_INTERVAL_MS),
    default: 3_000,
    text: "How long a term's beat may stand still before another node tries to become the leader.",
  },
  loopBlockedFenceMs: {
    ...numberRule("duration", 10, LONGEST_INTERVAL_MS),
    default: 60_000,
    text: "How long a node goes on beating while its event loop is blocked; then it is fenced, or with `exitWhenBlocked` killed.",
  },
  reconcileIntervalMs: {
    ...numberRule("duration", 10, LONGEST_INTERVAL_MS),
    default: 5_000,
    text: "How often a node compares the rows that are `running` under its name with what it really runs.",
  },
  statementTimeoutMs: {
    ...numberRule("duration", 10, 3_600_000),
    default: 2_000,
    text: "The time-out of a statement of the engine; at most `heartbeatIntervalMs` × (`deadAfterBeats` − `selfFenceAfterBeats`).",
  },
  drainTimeoutMs: {
    ...numberRule("duration", 1, LONGEST_INTERVAL_MS),
    default: 20_000,
    text: "How long a draining node waits for its handlers before it aborts them.",
  },
  clockResampleMs: {
    ...numberRule("duration", 10, LONGEST_INTERVAL_MS),
    default: 10_000,
    text: "How often the database's clock is read.",
  },
  maxCrashes: {
    ...numberRule("count", 1, 1_000),
    default: 3,
    text: "A task ends `dead`, reason `CRASHES`, when this many nodes have died while running it.",
  },
  claimReplyBytes: {
    ...numberRule("bytes", 1_024, 268_435_456),
    default: 262_144,
    text: "The most bytes of payloads that one claim returns; longer payloads are read afterwards.",
  },
  horizonMs: {
    ...numberRule("duration", 10, LONGEST_INTERVAL_MS),
    default: 15_000,
    text: "How far ahead a node keeps tasks in memory; above `reloadIntervalMs`.",
  },
  settingsAnswerMs: {
    ...numberRule("duration", 100, 600_000),
    default: 10_000,
    text: "How long a change of settings (a pause, a limit) waits for nodes that do not obey it yet; then it is answered with their names.",
  },
  reloadIntervalMs: {
    ...numberRule("duration", 10, LONGEST_INTERVAL_MS),
    default: 5_000,
    text: "How often a node reads the tasks within the horizon again.",
  },
  sweepIntervalMs: {
    ...numberRule("duration", 10, LONGEST_INTERVAL_MS),
    default: 1_000,
    text: "How often a node looks for due tasks that its wheel has missed.",
  },
  sweepLookbackMs: {
    ...numberRule("duration", 10, LONGEST_INTERVAL_MS),
    default: 60_000,
    text: "How far back an ordinary sweep looks; the full sweep looks back without a bound.",
  },
  stealAfterOverdueMs: {
    ...numberRule("duration", 1, LONGEST_INTERVAL_MS),
    default: 1_500,
    text: "How late a task must be before any node may take it, no matter which node owns it.",
  },
  fullSweepIntervalMs: {
    ...numberRule("duration", 10, LONGEST_INTERVAL_MS),
    default: 60_000,
    text: "How often the full sweep looks for everything that is due, without a lower bound.",
  },
  claimAheadMs: {
    ...numberRule("duration", 0, 60_000),
    default: 20,
    text: "How long before its due time a task may be claimed; it never starts early. Below `horizonMs`.",
  },
  claimBatchSize: { ...numberRule("count", 1, 10_000), default: 500, text: "The most tasks of one claim." },
  createBatchSize: { ...numberRule("count", 1, 10_000), default: 1_000, text: "The most tasks of one insert." },
  lockTimeoutMs: {
    ...numberRule("duration", 1, 3_600_000),
    default: 50,
    text: "How long a shared write waits for a row that another transaction has locked; below `statementTimeoutMs` and `heartbeatIntervalMs` × `selfFenceAfterBeats`.",
  },
  concurrency: {
    ...numberRule("count", 1, 100_000),
    default: 100,
    text: "The most attempts that run at once on a node.",
  },
  wheelCapacity: {
    ...numberRule("count", 1, MOST_TIMERS),
    default: 1_000_000,
    text: "The most tasks that a node keeps in memory.",
  },
  sweepPageSize: { ...numberRule("count", 1, 100_000), default: 5_000, text: "The most tasks that one sweep reads." },
  probedTypeCount: {
    ...numberRule("count", 1, 10_000),
    default: 100,
    text: "The number of types up to which a sweep asks for the tasks of each type directly; with more types it does so for those that had tasks most lately, and first asks which of the others have any.",
  },
  upkeepBatchSize: {
    ...numberRule("count", 1, 100_000),
    default: 1_000,
    text: "The most rows that one statement of the upkeep changes.",
  },
  settleBacklogSize: {
    ...numberRule("count", 1, 1_000_000),
    default: 5_000,
    text: "Settles that may wait for Postgres; beyond this the node claims nothing more.",
  },
  resultLimitBytes: {
    ...numberRule("bytes", 1, MAX_RESULT_LIMIT_BYTES),
    default: 1_048_576,
    text: "The longest result of a handler, as JSON in UTF-8.",
  },
  historyRetentionDays: {
    ...numberRule("days", 1, LONGEST_RETENTION_DAYS),
    default: 7,
    text: "How long finished tasks are kept; the `keepSucceeded` and `keepCancelled` of a type may be shorter.",
  },
  deadRetentionDays: {
    ...numberRule("days", 1, LONGEST_RETENTION_DAYS),
    default: 30,
    text: "How long dead letters are kept; the `keepDead` of a type may be shorter.",
  },
  typeRetentionDays: {
    ...numberRule("days", 1, LONGEST_RETENTION_DAYS),
    default: 30,
    text: "How long a type that has no tasks and is not used is kept.",
  },
  typeQuotaPerNamespace: {
    ...numberRule("count", 1, 1_000_000),
    default: 1_000,
    text: "The most types that one namespace may have.",
  },
  scheduleQuotaPerNamespace: {
    ...numberRule("count", 1, 10_000_000),
    default: 100_000,
    text: "The most schedules that one namespace may have.",
  },
  scheduleMisfireLimit: {
    ...numberRule("count", 1, MOST_INSTANTS),
    default: 1_000,
    text: "The most missed instants that a schedule with misfire `all` may catch up (its `limit`).",
  },
  scheduleBackfillLimit: {
    ...numberRule("count", 1, MOST_INSTANTS),
    default: 1_000,
    text: "The most instants of a schedule that the range of one backfill may have.",
  },
  // A schedule of each second has thirty occurrences ahead, which live too.
  liveOccurrencesPerSchedule: {
    ...numberRule("count", 100, 1_000_000),
    default: 1_000,
    text: 'Occurrences of one schedule with `overlap: "allow"` that may live at once; the instants beyond are skipped.',
  },
  openBatchQuotaPerNamespace: {
    ...numberRule("count", 1, 1_000_000),
    default: 1_000,
    text: "Batches of one namespace that are not complete, about.",
  },
  memberQuotaPerBatch: {
    ...numberRule("count", 1, 1_000_000_000),
    default: 1_000_000,
    text: "Members of one batch, about; one that spawns more stops.",
  },
  openOperationsPerNamespace: {
    ...numberRule("count", 1, 1_000),
    default: 20,
    text: "Operations on many tasks of one namespace that are open at once, those on hold included.",
  },
  operationPageSize: {
    ...numberRule("count", 1, 5_000),
    default: 250,
    text: "Tasks that an operation changes in one transaction.",
  },
  pendingTaskQuotaPerNamespace: {
    ...numberRule("count", 0, 1_000_000_000),
    default: 0,
    text: "Roughly the most scheduled tasks that one namespace may have, overlapping occurrences included; 0: no bound.",
  },
  maxSnoozes: {
    ...numberRule("count", 1, MOST_SNOOZES),
    default: 100,
    text: "How often the handler of a task may put it off (`ctx.snooze`); the next time is a failed attempt.",
  },
  minBackoffMs: {
    ...numberRule("duration", 0, LONGEST_INTERVAL_MS),
    default: 100,
    text: "The shortest wait after a failed attempt, even if its task asks for less; 0: none.",
  },
  retriesPerSecondPerNamespace: {
    ...numberRule("count", 0, 1_000_000),
    default: 1_000,
    text: "The most failed attempts of one namespace that a node tries again in a second; the others wait for their turn. 0: no bound.",
  },
  minWebhookTimeoutMs: {
    ...numberRule("duration", 1, LONGEST_INTERVAL_MS),
    default: 1_000,
    text: "The shortest `timeout` that a task with a webhook may ask for.",
  },
  maxWebhookTimeoutMs: {
    ...numberRule("duration", 1, LONGEST_INTERVAL_MS),
    default: 60_000,
    text: "The longest `timeout` that a task with a webhook may ask for, and the default `timeout` of webhooks if that would be longer; a silent host keeps its place for that time.",
  },
} as const satisfies Record<string, OptionEntry>;
