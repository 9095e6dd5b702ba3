import { type Fault, TickwheelError } from "../errors/errors.js";

/** The named times and limits of a node. Durations in milliseconds, sizes in bytes, the rest counts. */
export const DEFAULT_OPTIONS = {
  heartbeatIntervalMs: 1_000,
  livenessPollMs: 250,
  suspectAfterBeats: 3,
  selfFenceAfterBeats: 5,
  deadAfterBeats: 7,
  redisKeyTtlMs: 3_000,
  leaderTtlMs: 3_000,
  loopBlockedFenceMs: 60_000,
  reconcileIntervalMs: 5_000,
  statementTimeoutMs: 2_000,
  drainTimeoutMs: 20_000,
  clockResampleMs: 10_000,
  maxCrashes: 3,
  claimReplyBytes: 262_144,
  horizonMs: 15_000,
  reloadIntervalMs: 5_000,
  sweepIntervalMs: 1_000,
  sweepLookbackMs: 60_000,
  stealAfterOverdueMs: 1_500,
  guardIntervalMs: 60_000,
  claimAheadMs: 20,
  claimBatchSize: 500,
  createBatchSize: 1_000,
  lockTimeoutMs: 50,
  concurrency: 100,
  wheelCapacity: 1_000_000,
  sweepPageSize: 5_000,
  /**
   * Types that a sweep asks for, whether they have tasks or not; where there are more it asks first which of the others
   * have any.
   */
  probedTypeCount: 100,
  /** Rows that one statement of the reaper, the archiver or the end of start deadlines changes at most. */
  upkeepBatchSize: 1_000,
  /** Ends of executions that may wait for the store before nothing more is claimed. */
  settleBacklogSize: 5_000,
  /** The longest result of a handler, as JSON in UTF-8. At most {@link MAX_RESULT_LIMIT_BYTES}. */
  resultLimitBytes: 1_048_576,
  historyRetentionDays: 7,
  deadRetentionDays: 30,
  /** Types without tasks are dropped when they were not in use for so long. */
  typeRetentionDays: 30,
  /** Types that one namespace may have. */
  typeQuotaPerNamespace: 1_000,
  /** Scheduled tasks that one namespace may have, about; 0: any number. */
  pendingQuotaPerNamespace: 0,
  /** The least wait after a failed attempt, whatever its task asks for; 0: none. */
  leastBackoffMs: 100,
  /**
   * Failed attempts of one namespace that a node has tried again in a second; those beyond wait for longer. 0: any
   * number.
   */
  retriesPerSecondPerNamespace: 1_000,
  /** What a webhook's time-out may be: a host that never answers has its place for as long. */
  leastWebhookTimeoutMs: 1_000,
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
