import { type Fault, TickwheelError } from "../errors/errors.js";
import { checkNumbers, LONGEST_INTERVAL_MS, numberRule, type NumberRule } from "./number-rules.js";

/**
 * The named times and limits of a node, whole numbers all of them. Durations in milliseconds, sizes in bytes, the rest
 * counts.
 */
export const DEFAULT_OPTIONS = {
  /** How often a node beats. Milliseconds, 10 to 600,000; default 1,000. */
  heartbeatIntervalMs: 1_000,
  /**
   * How often a node looks at the beats of the others; at most `heartbeatIntervalMs`. Milliseconds, 1 to 600,000;
   * default 250.
   */
  livenessPollMs: 250,
  /** A node that missed this many beats is suspect: the next view leaves it out. Beats, 1 to 100; default 3. */
  suspectAfterBeats: 3,
  /**
   * A node without a good beat for this many intervals starts nothing and aborts its own work. Beats, 1 to 100; default
   * 5.
   */
  selfFenceAfterBeats: 5,
  /**
   * A node that missed this many beats is declared dead by the leader; above `selfFenceAfterBeats`. Beats, 1 to 1,000;
   * default 7.
   */
  deadAfterBeats: 7,
  /**
   * How long a node's keys stay in Redis; at least `heartbeatIntervalMs` × `suspectAfterBeats`, below
   * `heartbeatIntervalMs` × `selfFenceAfterBeats`. Milliseconds, 10 to 86,400,000; default 3,000.
   */
  redisKeyTtlMs: 3_000,
  /**
   * How long a term without a sign of life is left alone before another node stands for leader. Milliseconds, 10 to
   * 86,400,000; default 3,000.
   */
  leaderTtlMs: 3_000,
  /**
   * How long a node beats for a blocked event loop; then it is fenced, or killed with `exitWhenBlocked`. Milliseconds,
   * 10 to 86,400,000; default 60,000.
   */
  loopBlockedFenceMs: 60_000,
  /** How often the running rows are compared with what really runs. Milliseconds, 10 to 86,400,000; default 5,000. */
  reconcileIntervalMs: 5_000,
  /**
   * The time-out of a statement of the engine; at most `heartbeatIntervalMs` × (`deadAfterBeats` −
   * `selfFenceAfterBeats`). Milliseconds, 10 to 3,600,000; default 2,000.
   */
  statementTimeoutMs: 2_000,
  /**
   * How long a node that is stopped waits for its handlers before it aborts them. Milliseconds, 1 to 86,400,000;
   * default 20,000.
   */
  drainTimeoutMs: 20_000,
  /** How often the database's clock is read. Milliseconds, 10 to 86,400,000; default 10,000. */
  clockResampleMs: 10_000,
  /** A task ends `dead`, reason `CRASHES`, when this many nodes died with it. Count, 1 to 1,000; default 3. */
  maxCrashes: 3,
  /**
   * The payloads that one claim brings, at most; longer ones are read afterwards. Bytes, 1,024 to 268,435,456; default
   * 262,144.
   */
  claimReplyBytes: 262_144,
  /**
   * How far ahead tasks are kept in memory; above `reloadIntervalMs`. Milliseconds, 10 to 86,400,000; default 15,000.
   */
  horizonMs: 15_000,
  /** How often the tasks within the horizon are read again. Milliseconds, 10 to 86,400,000; default 5,000. */
  reloadIntervalMs: 5_000,
  /** How often a node looks for tasks that are due and were missed. Milliseconds, 10 to 86,400,000; default 1,000. */
  sweepIntervalMs: 1_000,
  /**
   * How far back a usual sweep looks; the full sweep looks back without a bound. Milliseconds, 10 to 86,400,000;
   * default 60,000.
   */
  sweepLookbackMs: 60_000,
  /** How late a task is before any node may take it, whoever owns it. Milliseconds, 1 to 86,400,000; default 1,500. */
  stealAfterOverdueMs: 1_500,
  /**
   * How often the full sweep looks for everything that is due, without a lower bound. Milliseconds, 10 to 86,400,000;
   * default 60,000.
   */
  fullSweepIntervalMs: 60_000,
  /**
   * How early a task may be claimed; it never starts early. Below `horizonMs`. Milliseconds, 0 to 60,000; default 20.
   */
  claimAheadMs: 20,
  /** Tasks of one claim, at most. Count, 1 to 10,000; default 500. */
  claimBatchSize: 500,
  /** Tasks of one insert, at most. Count, 1 to 10,000; default 1,000. */
  createBatchSize: 1_000,
  /**
   * How long a shared write waits for a row that somebody has locked; below `statementTimeoutMs` and
   * `heartbeatIntervalMs` × `selfFenceAfterBeats`. Milliseconds, 1 to 3,600,000; default 50.
   */
  lockTimeoutMs: 50,
  /** Attempts that run at once on a node, at most. Count, 1 to 100,000; default 100. */
  concurrency: 100,
  /** Tasks that a node keeps in memory, at most. Count, 1 to 16,777,216; default 1,000,000. */
  wheelCapacity: 1_000_000,
  /** Tasks that one sweep reads, at most. Count, 1 to 100,000; default 5,000. */
  sweepPageSize: 5_000,
  /**
   * Types that a sweep asks for whether they have tasks or not; of more types it first asks which have any. Count, 1 to
   * 10,000; default 100.
   */
  probedTypeCount: 100,
  /** Rows that one statement of the upkeep changes, at most. Count, 1 to 100,000; default 1,000. */
  upkeepBatchSize: 1_000,
  /**
   * Ends of attempts that may wait for Postgres before nothing more is claimed. Count, 1 to 1,000,000; default 5,000.
   */
  settleBacklogSize: 5_000,
  /** The longest result of a handler, as JSON in UTF-8. Bytes, 1 to 16,777,216; default 1,048,576. */
  resultLimitBytes: 1_048_576,
  /** How long finished tasks are kept. Days, 1 to 36,500; default 7. */
  historyRetentionDays: 7,
  /** How long dead letters are kept. Days, 1 to 36,500; default 30. */
  deadRetentionDays: 30,
  /** How long a type without tasks that nothing uses is kept. Days, 1 to 36,500; default 30. */
  typeRetentionDays: 30,
  /** Types that one namespace may have. Count, 1 to 1,000,000; default 1,000. */
  typeQuotaPerNamespace: 1_000,
  /** Schedules that one namespace may have. Count, 1 to 10,000,000; default 100,000. */
  scheduleQuotaPerNamespace: 100_000,
  /**
   * Missed instants that a schedule with misfire `all` may catch up, its `limit`. Count, 1 to 1,000; default 1,000.
   */
  scheduleMisfireLimit: 1_000,
  /** Instants of a schedule's range that one backfill may have. Count, 1 to 1,000; default 1,000. */
  scheduleBackfillLimit: 1_000,
  /**
   * Occurrences of one schedule with overlap `allow` that may live at once; the instants beyond are skipped. Count, 100
   * to 1,000,000; default 1,000.
   */
  liveOccurrencesPerSchedule: 1_000,
  /** Batches that one namespace may have which are not complete, about. Count, 1 to 1,000,000; default 1,000. */
  openBatchQuotaPerNamespace: 1_000,
  /** Members that one batch may have, about. Count, 1 to 1,000,000,000; default 1,000,000. */
  memberQuotaPerBatch: 1_000_000,
  /** Scheduled tasks that one namespace may have, about; 0: no bound. Count, 0 to 1,000,000,000; default 0. */
  pendingTaskQuotaPerNamespace: 0,
  /**
   * How often a task's handler may put it off; the next time counts as a failed attempt. Count, 1 to 30,000; default
   * 100.
   */
  maxSnoozes: 100,
  /**
   * The least wait after a failed attempt, whatever its task asks for; 0: none. Milliseconds, 0 to 86,400,000; default
   * 100.
   */
  minBackoffMs: 100,
  /**
   * Failed attempts of one namespace that a node tries again in a second; those beyond wait for their turn. 0: no
   * bound. Count, 0 to 1,000,000; default 1,000.
   */
  retriesPerSecondPerNamespace: 1_000,
  /** The shortest `timeout` that a task with a webhook may ask for. Milliseconds, 1 to 86,400,000; default 1,000. */
  minWebhookTimeoutMs: 1_000,
  /**
   * The longest `timeout` of a webhook, and its default if that is shorter; a silent host holds its place for as long.
   * Milliseconds, 1 to 86,400,000; default 60,000.
   */
  maxWebhookTimeoutMs: 60_000,
};

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

export type SchedulerOptions = typeof DEFAULT_OPTIONS;

/** Some of the options, as somebody gives them; undefined is as good as absent. */
export type GivenSchedulerOptions = { [Name in keyof SchedulerOptions]?: SchedulerOptions[Name] | undefined };

/** What each option may be. */
export const OPTION_RULES: Readonly<Record<keyof SchedulerOptions, NumberRule>> = {
  heartbeatIntervalMs: numberRule("duration", 10, 600_000),
  livenessPollMs: numberRule("duration", 1, 600_000),
  suspectAfterBeats: numberRule("beats", 1, 100),
  selfFenceAfterBeats: numberRule("beats", 1, 100),
  deadAfterBeats: numberRule("beats", 1, 1_000),
  redisKeyTtlMs: numberRule("duration", 10, LONGEST_INTERVAL_MS),
  leaderTtlMs: numberRule("duration", 10, LONGEST_INTERVAL_MS),
  loopBlockedFenceMs: numberRule("duration", 10, LONGEST_INTERVAL_MS),
  reconcileIntervalMs: numberRule("duration", 10, LONGEST_INTERVAL_MS),
  statementTimeoutMs: numberRule("duration", 10, 3_600_000),
  drainTimeoutMs: numberRule("duration", 1, LONGEST_INTERVAL_MS),
  clockResampleMs: numberRule("duration", 10, LONGEST_INTERVAL_MS),
  maxCrashes: numberRule("count", 1, 1_000),
  claimReplyBytes: numberRule("bytes", 1_024, 268_435_456),
  horizonMs: numberRule("duration", 10, LONGEST_INTERVAL_MS),
  reloadIntervalMs: numberRule("duration", 10, LONGEST_INTERVAL_MS),
  sweepIntervalMs: numberRule("duration", 10, LONGEST_INTERVAL_MS),
  sweepLookbackMs: numberRule("duration", 10, LONGEST_INTERVAL_MS),
  stealAfterOverdueMs: numberRule("duration", 1, LONGEST_INTERVAL_MS),
  fullSweepIntervalMs: numberRule("duration", 10, LONGEST_INTERVAL_MS),
  claimAheadMs: numberRule("duration", 0, 60_000),
  claimBatchSize: numberRule("count", 1, 10_000),
  createBatchSize: numberRule("count", 1, 10_000),
  lockTimeoutMs: numberRule("duration", 1, 3_600_000),
  concurrency: numberRule("count", 1, 100_000),
  wheelCapacity: numberRule("count", 1, MOST_TIMERS),
  sweepPageSize: numberRule("count", 1, 100_000),
  probedTypeCount: numberRule("count", 1, 10_000),
  upkeepBatchSize: numberRule("count", 1, 100_000),
  settleBacklogSize: numberRule("count", 1, 1_000_000),
  resultLimitBytes: numberRule("bytes", 1, MAX_RESULT_LIMIT_BYTES),
  historyRetentionDays: numberRule("days", 1, LONGEST_RETENTION_DAYS),
  deadRetentionDays: numberRule("days", 1, LONGEST_RETENTION_DAYS),
  typeRetentionDays: numberRule("days", 1, LONGEST_RETENTION_DAYS),
  typeQuotaPerNamespace: numberRule("count", 1, 1_000_000),
  scheduleQuotaPerNamespace: numberRule("count", 1, 10_000_000),
  scheduleMisfireLimit: numberRule("count", 1, MOST_INSTANTS),
  scheduleBackfillLimit: numberRule("count", 1, MOST_INSTANTS),
  // A schedule of each second has thirty occurrences ahead, which live too.
  liveOccurrencesPerSchedule: numberRule("count", 100, 1_000_000),
  openBatchQuotaPerNamespace: numberRule("count", 1, 1_000_000),
  memberQuotaPerBatch: numberRule("count", 1, 1_000_000_000),
  pendingTaskQuotaPerNamespace: numberRule("count", 0, 1_000_000_000),
  maxSnoozes: numberRule("count", 1, MOST_SNOOZES),
  minBackoffMs: numberRule("duration", 0, LONGEST_INTERVAL_MS),
  retriesPerSecondPerNamespace: numberRule("count", 0, 1_000_000),
  minWebhookTimeoutMs: numberRule("duration", 1, LONGEST_INTERVAL_MS),
  maxWebhookTimeoutMs: numberRule("duration", 1, LONGEST_INTERVAL_MS),
};

/**
 * Completes options with the defaults and checks them and their relations.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` with every fault at once
 * @example resolveOptions({ concurrency: 20 }).heartbeatIntervalMs // 1000
 */
export function resolveOptions(given: GivenSchedulerOptions = {}): SchedulerOptions {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(OPTION_RULES, name));
  const { numbers: options, faults } = checkNumbers(given, { rules: OPTION_RULES, defaults: DEFAULT_OPTIONS });
  faults.push(...unknown.map((path) => ({ path, message: "is not an option" })), ...brokenRelations(options));
  if (faults.length > 0) throw invalid(faults);
  return options;
}

function brokenRelations(options: SchedulerOptions): Fault[] {
  const beat = options.heartbeatIntervalMs;
  const relations: [boolean, string, string][] = [
    [
      beat * options.suspectAfterBeats <= options.redisKeyTtlMs,
      "redisKeyTtlMs",
      "must be at least heartbeatIntervalMs × suspectAfterBeats",
    ],
    [
      options.redisKeyTtlMs < beat * options.selfFenceAfterBeats,
      "selfFenceAfterBeats",
      "heartbeatIntervalMs × selfFenceAfterBeats must be above redisKeyTtlMs",
    ],
    [options.selfFenceAfterBeats < options.deadAfterBeats, "deadAfterBeats", "must be above selfFenceAfterBeats"],
    // The last claim of a node that fences itself is answered, or given up, before the node can be declared dead.
    [
      options.statementTimeoutMs <= beat * (options.deadAfterBeats - options.selfFenceAfterBeats),
      "statementTimeoutMs",
      "must be at most heartbeatIntervalMs × (deadAfterBeats − selfFenceAfterBeats)",
    ],
    [options.reloadIntervalMs < options.horizonMs, "horizonMs", "must be above reloadIntervalMs"],
    [options.livenessPollMs <= beat, "livenessPollMs", "must be at most heartbeatIntervalMs"],
    [
      options.lockTimeoutMs < beat * options.selfFenceAfterBeats,
      "lockTimeoutMs",
      "must be below heartbeatIntervalMs × selfFenceAfterBeats, after which a node is fenced",
    ],
    [options.lockTimeoutMs < options.statementTimeoutMs, "lockTimeoutMs", "must be below statementTimeoutMs"],
    [options.claimAheadMs < options.horizonMs, "claimAheadMs", "must be below horizonMs"],
    [
      options.minWebhookTimeoutMs <= options.maxWebhookTimeoutMs,
      "maxWebhookTimeoutMs",
      "must be at least minWebhookTimeoutMs",
    ],
  ];
  return relations.filter(([holds]) => !holds).map(([, path, message]) => ({ path, message }));
}

function invalid(faults: Fault[]): TickwheelError {
  const list = faults.map((fault) => `${fault.path} ${fault.message}`).join("; ");
  return new TickwheelError("CONFIGURATION_INVALID", `The options are not valid: ${list}`, { faults });
}
