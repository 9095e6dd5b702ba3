// Made by `npm run generate` of `OPTIONS`.

/** The named times and limits of a node, whole numbers all of them. */
export interface SchedulerOptions {
  /** How often a node beats. Milliseconds, 10 to 600,000; default 1,000. */
  heartbeatIntervalMs: number;
  /**
   * How often a node looks at the beats of the others; at most `heartbeatIntervalMs`. Milliseconds, 1 to 600,000;
   * default 250.
   */
  livenessPollMs: number;
  /** A node that missed this many beats is suspect: the next view leaves it out. Beats, 1 to 100; default 3. */
  suspectAfterBeats: number;
  /**
   * A node without a good beat for this many intervals starts nothing and aborts its own work. Beats, 1 to 100; default
   * 5.
   */
  selfFenceAfterBeats: number;
  /**
   * A node that missed this many beats is declared dead by the leader, one whose process was killed sooner; above
   * `selfFenceAfterBeats`. Beats, 1 to 1,000; default 7.
   */
  deadAfterBeats: number;
  /**
   * How long a node's keys stay in Redis; at least `heartbeatIntervalMs` × `suspectAfterBeats`, below
   * `heartbeatIntervalMs` × `selfFenceAfterBeats`. Milliseconds, 10 to 86,400,000; default 3,000.
   */
  redisKeyTtlMs: number;
  /**
   * How long a term's beat may stand still before another node tries to become the leader. Milliseconds, 10 to
   * 86,400,000; default 3,000.
   */
  leaderTtlMs: number;
  /**
   * How long a node goes on beating while its event loop is blocked; then it is fenced, or with `exitWhenBlocked`
   * killed. Milliseconds, 10 to 86,400,000; default 60,000.
   */
  loopBlockedFenceMs: number;
  /**
   * How often a node compares the rows that are `running` under its name with what it really runs. Milliseconds, 10 to
   * 86,400,000; default 5,000.
   */
  reconcileIntervalMs: number;
  /**
   * The time-out of a statement of the engine; at most `heartbeatIntervalMs` × (`deadAfterBeats` −
   * `selfFenceAfterBeats`). Milliseconds, 10 to 3,600,000; default 2,000.
   */
  statementTimeoutMs: number;
  /**
   * How long a draining node waits for its handlers before it aborts them. Milliseconds, 1 to 86,400,000; default
   * 20,000.
   */
  drainTimeoutMs: number;
  /** How often the database's clock is read. Milliseconds, 10 to 86,400,000; default 10,000. */
  clockResampleMs: number;
  /**
   * A task ends `dead`, reason `CRASHES`, when this many nodes have died while running it. Count, 1 to 1,000; default
   * 3.
   */
  maxCrashes: number;
  /**
   * The most bytes of payloads that one claim returns; longer payloads are read afterwards. Bytes, 1,024 to
   * 268,435,456; default 262,144.
   */
  claimReplyBytes: number;
  /**
   * How far ahead a node keeps tasks in memory; above `reloadIntervalMs`. Milliseconds, 10 to 86,400,000; default
   * 15,000.
   */
  horizonMs: number;
  /**
   * How long a change of settings (a pause, a limit) waits for nodes that do not obey it yet; then it is answered with
   * their names. Milliseconds, 100 to 600,000; default 10,000.
   */
  settingsAnswerMs: number;
  /** How often a node reads the tasks within the horizon again. Milliseconds, 10 to 86,400,000; default 5,000. */
  reloadIntervalMs: number;
  /** How often a node looks for due tasks that its wheel has missed. Milliseconds, 10 to 86,400,000; default 1,000. */
  sweepIntervalMs: number;
  /**
   * How far back an ordinary sweep looks; the full sweep looks back without a bound. Milliseconds, 10 to 86,400,000;
   * default 60,000.
   */
  sweepLookbackMs: number;
  /**
   * How late a task must be before any node may take it, no matter which node owns it. Milliseconds, 1 to 86,400,000;
   * default 1,500.
   */
  stealAfterOverdueMs: number;
  /**
   * How often the full sweep looks for everything that is due, without a lower bound. Milliseconds, 10 to 86,400,000;
   * default 60,000.
   */
  fullSweepIntervalMs: number;
  /**
   * How long before its due time a task may be claimed; it never starts early. Below `horizonMs`. Milliseconds, 0 to
   * 60,000; default 20.
   */
  claimAheadMs: number;
  /** The most tasks of one claim. Count, 1 to 10,000; default 500. */
  claimBatchSize: number;
  /** The most tasks of one insert. Count, 1 to 10,000; default 1,000. */
  createBatchSize: number;
  /**
   * How long a shared write waits for a row that another transaction has locked; below `statementTimeoutMs` and
   * `heartbeatIntervalMs` × `selfFenceAfterBeats`. Milliseconds, 1 to 3,600,000; default 50.
   */
  lockTimeoutMs: number;
  /** The most attempts that run at once on a node. Count, 1 to 100,000; default 100. */
  concurrency: number;
  /** The most tasks that a node keeps in memory. Count, 1 to 16,777,216; default 1,000,000. */
  wheelCapacity: number;
  /** The most tasks that one sweep reads. Count, 1 to 100,000; default 5,000. */
  sweepPageSize: number;
  /**
   * The number of types up to which a sweep asks for the tasks of each type directly; with more types it does so for
   * those that had tasks most lately, and first asks which of the others have any. Count, 1 to 10,000; default 100.
   */
  probedTypeCount: number;
  /** The most rows that one statement of the upkeep changes. Count, 1 to 100,000; default 1,000. */
  upkeepBatchSize: number;
  /**
   * Settles that may wait for Postgres; beyond this the node claims nothing more. Count, 1 to 1,000,000; default 5,000.
   */
  settleBacklogSize: number;
  /** The longest result of a handler, as JSON in UTF-8. Bytes, 1 to 16,777,216; default 1,048,576. */
  resultLimitBytes: number;
  /**
   * How long finished tasks are kept; the `keepSucceeded` and `keepCancelled` of a type may be shorter. Days, 1 to
   * 36,500; default 7.
   */
  historyRetentionDays: number;
  /** How long dead letters are kept; the `keepDead` of a type may be shorter. Days, 1 to 36,500; default 30. */
  deadRetentionDays: number;
  /** How long a type that has no tasks and is not used is kept. Days, 1 to 36,500; default 30. */
  typeRetentionDays: number;
  /** The most types that one namespace may have. Count, 1 to 1,000,000; default 1,000. */
  typeQuotaPerNamespace: number;
  /** The most schedules that one namespace may have. Count, 1 to 10,000,000; default 100,000. */
  scheduleQuotaPerNamespace: number;
  /**
   * The most missed instants that a schedule with misfire `all` may catch up (its `limit`). Count, 1 to 1,000; default
   * 1,000.
   */
  scheduleMisfireLimit: number;
  /** The most instants of a schedule that the range of one backfill may have. Count, 1 to 1,000; default 1,000. */
  scheduleBackfillLimit: number;
  /**
   * Occurrences of one schedule with `overlap: "allow"` that may live at once; the instants beyond are skipped. Count,
   * 100 to 1,000,000; default 1,000.
   */
  liveOccurrencesPerSchedule: number;
  /** Batches of one namespace that are not complete, about. Count, 1 to 1,000,000; default 1,000. */
  openBatchQuotaPerNamespace: number;
  /** Members of one batch, about; one that spawns more stops. Count, 1 to 1,000,000,000; default 1,000,000. */
  memberQuotaPerBatch: number;
  /**
   * Operations on many tasks of one namespace that are open at once, those on hold included. Count, 1 to 1,000; default
   * 20.
   */
  openOperationsPerNamespace: number;
  /** Tasks that an operation changes in one transaction. Count, 1 to 5,000; default 250. */
  operationPageSize: number;
  /**
   * Roughly the most scheduled tasks that one namespace may have, overlapping occurrences included; 0: no bound. Count,
   * 0 to 1,000,000,000; default 0.
   */
  pendingTaskQuotaPerNamespace: number;
  /**
   * How often the handler of a task may put it off (`ctx.snooze`); the next time is a failed attempt. Count, 1 to
   * 30,000; default 100.
   */
  maxSnoozes: number;
  /**
   * The shortest wait after a failed attempt, even if its task asks for less; 0: none. Milliseconds, 0 to 86,400,000;
   * default 100.
   */
  minBackoffMs: number;
  /**
   * The most failed attempts of one namespace that a node tries again in a second; the others wait for their turn. 0:
   * no bound. Count, 0 to 1,000,000; default 1,000.
   */
  retriesPerSecondPerNamespace: number;
  /** The shortest `timeout` that a task with a webhook may ask for. Milliseconds, 1 to 86,400,000; default 1,000. */
  minWebhookTimeoutMs: number;
  /**
   * The longest `timeout` that a task with a webhook may ask for, and the default `timeout` of webhooks if that would
   * be longer; a silent host keeps its place for that time. Milliseconds, 1 to 86,400,000; default 60,000.
   */
  maxWebhookTimeoutMs: number;
}
