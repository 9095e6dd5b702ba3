import { type Fault, TickwheelError } from "../errors/errors.js";

/** The named times and limits of a node. Durations in milliseconds, sizes in bytes, the rest counts. */
export const DEFAULT_OPTIONS = {
  /** How often a node beats. Milliseconds; default 1,000. */
  heartbeatIntervalMs: 1_000,
  /** How often a node looks at the beats of the others; at most `heartbeatIntervalMs`. Milliseconds; default 250. */
  livenessPollMs: 250,
  /** A node that missed this many beats is suspect: the next view leaves it out. Beats; default 3. */
  suspectAfterBeats: 3,
  /** A node without a good beat for this many intervals starts nothing and aborts its own work. Beats; default 5. */
  selfFenceAfterBeats: 5,
  /**
   * A node that missed this many beats is declared dead by the leader; above `selfFenceAfterBeats`. Beats; default 7.
   */
  deadAfterBeats: 7,
  /**
   * How long a node's keys stay in Redis; at least `heartbeatIntervalMs` × `suspectAfterBeats`, below
   * `heartbeatIntervalMs` × `selfFenceAfterBeats`. Milliseconds; default 3,000.
   */
  redisKeyTtlMs: 3_000,
  /**
   * How long a term without a sign of life is left alone before another node stands for leader. Milliseconds; default
   * 3,000.
   */
  leaderTtlMs: 3_000,
  /**
   * How long a node beats for a blocked event loop; then it is fenced, or killed with `exitWhenBlocked`. Milliseconds;
   * default 60,000.
   */
  loopBlockedFenceMs: 60_000,
  /** How often the running rows are compared with what really runs. Milliseconds; default 5,000. */
  reconcileIntervalMs: 5_000,
  /**
   * The time-out of a statement of the engine; at most `heartbeatIntervalMs` × (`deadAfterBeats` −
   * `selfFenceAfterBeats`). Milliseconds; default 2,000.
   */
  statementTimeoutMs: 2_000,
  /** How long a node that is stopped waits for its handlers before it aborts them. Milliseconds; default 20,000. */
  drainTimeoutMs: 20_000,
  /** How often the database's clock is read. Milliseconds; default 10,000. */
  clockResampleMs: 10_000,
  /** A task ends `dead`, reason `CRASHES`, when this many nodes died with it. Count; default 3. */
  maxCrashes: 3,
  /** The payloads that one claim brings, at most; longer ones are read afterwards. Bytes; default 262,144. */
  claimReplyBytes: 262_144,
  /** How far ahead tasks are kept in memory; above `reloadIntervalMs`. Milliseconds; default 15,000. */
  horizonMs: 15_000,
  /** How often the tasks within the horizon are read again. Milliseconds; default 5,000. */
  reloadIntervalMs: 5_000,
  /** How often a node looks for tasks that are due and were missed. Milliseconds; default 1,000. */
  sweepIntervalMs: 1_000,
  /** How far back a usual sweep looks; the guard looks back without a bound. Milliseconds; default 60,000. */
  sweepLookbackMs: 60_000,
  /** How late a task is before any node may take it, whoever owns it. Milliseconds; default 1,500. */
  stealAfterOverdueMs: 1_500,
  /** How often the guard looks for everything that is due, without a lower bound. Milliseconds; default 60,000. */
  guardIntervalMs: 60_000,
  /**
   * How early a task may be claimed; it never starts early. 0 is allowed; below `horizonMs`. Milliseconds; default 20.
   */
  claimAheadMs: 20,
  /** Tasks of one claim, at most. Count; default 500. */
  claimBatchSize: 500,
  /** Tasks of one insert, at most. Count; default 1,000. */
  createBatchSize: 1_000,
  /** How long a shared write waits for a row that somebody has locked. Milliseconds; default 50. */
  lockTimeoutMs: 50,
  /** Attempts that run at once on a node, at most. Count; default 100. */
  concurrency: 100,
  /** Tasks that a node keeps in memory, at most. Count; default 1,000,000. */
  wheelCapacity: 1_000_000,
  /** Tasks that one sweep reads, at most. Count; default 5,000. */
  sweepPageSize: 5_000,
  /**
   * Types that a sweep asks for whether they have tasks or not; of more types it first asks which have any. Count;
   * default 100.
   */
  probedTypeCount: 100,
  /** Rows that one statement of the upkeep changes, at most. Count; default 1,000. */
  upkeepBatchSize: 1_000,
  /** Ends of attempts that may wait for Postgres before nothing more is claimed. Count; default 5,000. */
  settleBacklogSize: 5_000,
  /** The longest result of a handler, as JSON in UTF-8; at most 16,777,216. Bytes; default 1,048,576. */
  resultLimitBytes: 1_048_576,
  /** How long finished tasks are kept. Days; default 7. */
  historyRetentionDays: 7,
  /** How long dead letters are kept. Days; default 30. */
  deadRetentionDays: 30,
  /** How long a type without tasks that nothing uses is kept. Days; default 30. */
  typeRetentionDays: 30,
  /** Types that one namespace may have. Count; default 1,000. */
  typeQuotaPerNamespace: 1_000,
  /** Schedules that one namespace may have. Count; default 100,000. */
  scheduleQuotaPerNamespace: 100_000,
  /**
   * Missed instants that a schedule with misfire `all` may catch up, its `limit`; at most 1,000. Count; default 1,000.
   */
  scheduleCatchUpLimit: 1_000,
  /** Instants of a schedule's range that one backfill may have; at most 1,000. Count; default 1,000. */
  scheduleBackfillLimit: 1_000,
  /** Batches that one namespace may have which are not complete, about. Count; default 1,000. */
  openBatchesPerNamespace: 1_000,
  /** Members that one batch may have, about. Count; default 1,000,000. */
  batchMembersLimit: 1_000_000,
  /** Scheduled tasks that one namespace may have, about; 0: no bound. Count; default 0. */
  pendingQuotaPerNamespace: 0,
  /** How often a task's handler may put it off; the next time counts as a failed attempt. Count; default 100. */
  maxSnoozes: 100,
  /** The least wait after a failed attempt, whatever its task asks for; 0: none. Milliseconds; default 100. */
  leastBackoffMs: 100,
  /**
   * Failed attempts of one namespace that a node tries again in a second; those beyond wait for their turn. 0: no
   * bound. Count; default 1,000.
   */
  retriesPerSecondPerNamespace: 1_000,
  /** The shortest `timeout` that a task with a webhook may ask for. Milliseconds; default 1,000. */
  leastWebhookTimeoutMs: 1_000,
  /**
   * The longest `timeout` of a webhook, and its default if that is shorter; a silent host holds its place for as long.
   * Milliseconds; default 60,000.
   */
  longestWebhookTimeoutMs: 60_000,
};

/** Options that may be 0. */
const MAY_BE_ZERO: ReadonlySet<string> = new Set([
  "claimAheadMs",
  "pendingQuotaPerNamespace",
  "leastBackoffMs",
  "retriesPerSecondPerNamespace",
]);

/** A result is written within `statementTimeoutMs`: what is larger would be sent again and again. */
export const MAX_RESULT_LIMIT_BYTES = 16_777_216;

/** One decision looks at so many instants of a schedule at most, since it holds the schedule's row meanwhile. */
const MOST_INSTANTS = 1_000;

export type SchedulerOptions = typeof DEFAULT_OPTIONS;

/**
 * Completes options with the defaults and checks them and their relations.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` with every fault at once
 * @example resolveOptions({ concurrency: 20 }).heartbeatIntervalMs // 1000
 */
export function resolveOptions(given: Partial<SchedulerOptions> = {}): SchedulerOptions {
  const options = { ...DEFAULT_OPTIONS };
  const faults: Fault[] = [];
  for (const [name, value] of Object.entries(given)) {
    if (!(name in DEFAULT_OPTIONS)) faults.push({ path: name, message: "is not an option" });
    else if (value === undefined) continue;
    else if (!Number.isFinite(value) || value < 0)
      faults.push({ path: name, message: "must be a number of at least 0" });
    else if (value === 0 && !MAY_BE_ZERO.has(name)) faults.push({ path: name, message: "must be above 0" });
    else options[name as keyof SchedulerOptions] = value;
  }
  faults.push(...brokenRelations(options));
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
      options.resultLimitBytes <= MAX_RESULT_LIMIT_BYTES,
      "resultLimitBytes",
      `must be at most ${MAX_RESULT_LIMIT_BYTES}`,
    ],
    ...(["scheduleCatchUpLimit", "scheduleBackfillLimit"] as const).map((name): [boolean, string, string] => [
      options[name] <= MOST_INSTANTS,
      name,
      `must be at most ${MOST_INSTANTS}`,
    ]),
    [options.claimAheadMs < options.horizonMs, "claimAheadMs", "must be below horizonMs"],
    [
      options.leastWebhookTimeoutMs <= options.longestWebhookTimeoutMs,
      "longestWebhookTimeoutMs",
      "must be at least leastWebhookTimeoutMs",
    ],
  ];
  return relations.filter(([holds]) => !holds).map(([, path, message]) => ({ path, message }));
}

function invalid(faults: Fault[]): TickwheelError {
  const list = faults.map((fault) => `${fault.path} ${fault.message}`).join("; ");
  return new TickwheelError("CONFIGURATION_INVALID", `The options are not valid: ${list}`, { faults });
}
