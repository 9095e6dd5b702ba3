// Made by `npm run generate`.
import type { CallOptions, IfMatchOption, OnceOption, WaitOption } from "./call-options.js";
import type { Row } from "./row.js";

/** Any JSON. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [field: string]: Json };

export interface Problem {
  /** The address of the code's text in `docs/errors.md`. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: "VALIDATION_FAILED" | "UNAUTHENTICATED" | "FORBIDDEN" | "CSRF_TOKEN_INVALID" | "TASK_NOT_FOUND" | "SCHEDULE_NOT_FOUND" | "BATCH_NOT_FOUND" | "OPERATION_NOT_FOUND" | "DEAD_LETTERS_NOT_FOUND" | "TYPE_NOT_FOUND" | "CLAIM_NOT_FOUND" | "KEY_NOT_FOUND" | "SESSION_NOT_FOUND" | "NOT_FOUND" | "TASK_STATE_CONFLICT" | "TASK_KEY_CONFLICT" | "MERGE_CONFLICT" | "TYPE_DELIVERY_CONFLICT" | "CANCEL_REQUESTED" | "LEASE_LOST" | "SCHEDULE_EXISTS" | "SCHEDULE_IN_CODE" | "BATCH_EXISTS" | "BATCH_SEALED" | "BATCH_STATE_CONFLICT" | "OPERATION_STATE_CONFLICT" | "OPERATION_COUNT_CHANGED" | "KEY_EXISTS" | "LAST_ADMIN_KEY" | "OWN_KEY" | "VERSION_MISMATCH" | "PAYLOAD_TOO_LARGE" | "IDEMPOTENCY_KEY_REUSED" | "RATE_LIMITED" | "STORE_UNAVAILABLE" | "TRANSACTION_UNAVAILABLE" | "TRANSACTION_ALREADY_COMMITTED" | "TRANSACTION_UNDER_WAY" | "RESULT_INVALID" | "UNSUPPORTED" | "CONFIGURATION_INVALID" | "STORE_INCOMPATIBLE" | "INTERNAL";
  readonly errors: readonly {
    readonly path: string;
    readonly message: string;
  }[];
  /** For `BATCH_EXISTS` and `TASK_KEY_CONFLICT`: what is there already. Else absent. */
  readonly existingId?: string;
}

export interface TabCounts {
  readonly overdue: {
    readonly count: number;
    /** Counting ended at `count`: there may be more. Absent: there are not. */
    readonly atLeast?: boolean;
  };
  readonly running: {
    readonly count: number;
    /** Counting ended at `count`: there may be more. Absent: there are not. */
    readonly atLeast?: boolean;
  };
  readonly scheduled: {
    readonly count: number;
    /** Counting ended at `count`: there may be more. Absent: there are not. */
    readonly atLeast?: boolean;
  };
  readonly paused: {
    readonly count: number;
    /** Counting ended at `count`: there may be more. Absent: there are not. */
    readonly atLeast?: boolean;
  };
  readonly failing: {
    readonly count: number;
    /** Counting ended at `count`: there may be more. Absent: there are not. */
    readonly atLeast?: boolean;
  };
  readonly dead: {
    readonly count: number;
    /** Counting ended at `count`: there may be more. Absent: there are not. */
    readonly atLeast?: boolean;
  };
  readonly finished: {
    readonly count: number;
    /** Counting ended at `count`: there may be more. Absent: there are not. */
    readonly atLeast?: boolean;
  };
  readonly countedAt: string;
}

export interface TaskInput {
  /** Which handler runs it, or what a task is called that is sent or pulled. */
  readonly type: string;
  /** How long from now it is due, at most 100 years. Default: `scheduledAt`, else at once. */
  readonly delay?: number | string | undefined;
  /** When it is due; one that has passed means at once. Not together with `delay`. Default: `delay` says when. */
  readonly scheduledAt?: string | undefined;
  /**
   * Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit. Where the type's handler has
   * a schema it must fit: see `GET /v1/types/{type}`.
   */
  readonly payload?: unknown;
  /** 0 first; orders tasks that are due together. Default: the type's, else 5. */
  readonly priority?: number | undefined;
  /** Attempts before it is dead. Default: the type's, else 3. */
  readonly maxAttempts?: number | undefined;
  /** At most one live task of a type has it. Default: none. */
  readonly key?: string | undefined;
  /** What becomes of it where a live task has its key. Default: `"reject"`. */
  readonly onConflict?: "reject" | "return" | "replace" | "refresh" | "merge" | undefined;
  /**
   * For `merge`, with a `key`: how a field of the payload and the same field of the stored one combine, by the field's
   * name. `add`: the exact sum of two numbers; `append`: the new list behind the stored one; `max`, `min`: the greater
   * or smaller number; `replace`, as of all other fields: the new value.
   */
  readonly merge?: Readonly<Record<string, "replace" | "add" | "append" | "max" | "min">> | undefined;
  /**
   * For `refresh` and `merge`, with a `key`, above 0: the task is due at the latest this long after its creation.
   * Default: no such bound.
   */
  readonly maxWait?: number | string | undefined;
  /** The wait between attempts. Default: the type's, else exponential from 1 s to 1 h with a jitter of 0.2. */
  readonly backoff?: BackoffInput | "alipay" | "rocketmq" | undefined;
  /**
   * How long one attempt may take, at most a day; of a webhook at least 1 s and at most 60 s, unless the node is
   * configured otherwise. Default: the type's, else 60 s.
   */
  readonly timeout?: number | string | undefined;
  /**
   * From the scheduled time, above 0: a task that has not started by then ends `expired`. Default: the type's, else
   * however late.
   */
  readonly startDeadline?: number | string | undefined;
  /**
   * The first of several equal creates with the same one within 24 h is done, and the others get its answer. Default:
   * none.
   */
  readonly idempotencyKey?: string | undefined;
  /** Where it is sent. Default: a handler runs it. */
  readonly deliver?: DeliverInput | undefined;
  /**
   * What the task belongs to, to find it by; at most 1024 bytes in all. A refresh or a merge leaves those of the live
   * task. Handlers and receivers are not given them.
   */
  readonly tags?: readonly string[] | undefined;
}

export interface Task {
  /** UUIDv7, in lower case; the same as long as the task is kept. */
  readonly id: string;
  /** The namespace of the application that owns it. */
  readonly namespace: string;
  /** What is to be done, by the name that its handler has; such as `order.cancel`. */
  readonly type: string;
  /** At most one live task of the type has it, such as an order's number; null: it has none. */
  readonly key: string | null;
  /**
   * Where it stands. `scheduled`: it waits for its time or its next try; `paused`: its countdown stands still;
   * `running`: an attempt is under way. The others are ends, which a retry alone leaves.
   */
  readonly state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
  /**
   * Why it is dead or cancelled, such as `ATTEMPTS`: all of them failed; of `succeeded`: `SKIPPED` where its condition
   * said no, else null.
   */
  readonly reason: "ATTEMPTS" | "CRASHES" | "NON_RETRYABLE" | "PAYLOAD_INVALID" | "RESULT_INVALID" | "REQUESTED" | "REPLACED" | "OVERLAP" | "SCHEDULE_CHANGED" | "DISCARDED" | "SKIPPED" | null;
  /**
   * When it was to run, as asked for; at once: its creation. A resume moves it by the time that the task was paused, if
   * it has not started.
   */
  readonly scheduledAt: string;
  /**
   * When it is due: its scheduled time, or after a failed attempt the next try. For a paused task: as it was at
   * `pausedAt`.
   */
  readonly dueAt: string;
  /** What remains of a paused task's countdown, in milliseconds; null: it is not paused. */
  readonly remainingMs: number | null;
  /** Since when it is paused, or was last changed while it is paused; null: it is not paused. */
  readonly pausedAt: string | null;
  /** For how long it was paused before that, in milliseconds. */
  readonly pausedMs: number;
  /** A task that has not started by then ends `expired`; null: it may start at any time. */
  readonly startDeadlineAt: string | null;
  /** When it was written, by the clock of the database. */
  readonly createdAt: string;
  /** When a node last took it in order to run it; null: none has. */
  readonly claimedAt: string | null;
  /** When its last attempt started; null: none has. */
  readonly startedAt: string | null;
  /** When it ended; null: it has not. */
  readonly finishedAt: string | null;
  /** Milliseconds from the later of due and created to the start; null before the first start. */
  readonly latenessMs: number | null;
  /** The lateness in parts that add up to it, in whole milliseconds; null: not measured. */
  readonly latenessParts: {
    /** Until some node knew of the task. */
    readonly knownMs: number;
    /** In that node's wheel. */
    readonly wheelMs: number;
    /** For a place to run. */
    readonly placeMs: number;
    /** For the claim. */
    readonly claimMs: number;
    /** From the claim's answer to the start. */
    readonly startMs: number;
    /** The time of the start is known to within so much. */
    readonly clockErrorMs: number;
    /** The node that was to start it and did not; null: none is known. */
    readonly takenFrom: {
      /** Its label, `ip:pid`. */
      readonly node: string;
      /** Its last beat; null: it was not silent. */
      readonly silentSince: string | null;
      readonly takenOverAt: string;
    } | null;
  } | null;
  /** The number of its last attempt, from 1; 0: none has started. One that a crash or a snooze ended does not count. */
  readonly attempt: number;
  /** Attempts before it is dead, 1 to 1,000; 3 unless its creator or its type says otherwise. */
  readonly maxAttempts: number;
  /** How many attempts ended with their node; these are no failed attempts. */
  readonly crashCount: number;
  /** 0 first … 9, among tasks that are due together; 5 unless its creator or its type says otherwise. */
  readonly priority: number;
  /** Raised by each change; a change may name the one that it is meant for. */
  readonly version: number;
  /** Raised by each claim; a system that can refuse an older one is safe from a node that comes too late. */
  readonly fence: number;
  /**
   * The fingerprint of `lastError`, 12 hex digits: errors that differ only in numbers, ids, times and the like have the
   * same one; null: there is no error.
   */
  readonly fingerprint: string | null;
  /** The label, `ip:pid`, of the node that runs it, or ran it last. */
  readonly node: string | null;
  /** The task that had the key before this one and had already started when this one took it; null: there is none. */
  readonly continues: string | null;
  /** The latest task that took the key from this one after it had started; null: there is none. */
  readonly continuedBy: string | null;
  /** The batch that it is a member of; null: of none. */
  readonly batchId: string | null;
  /** Its place in a batch that was split into shards; null: it has none. */
  readonly shard: {
    /** 0 to `total` - 1. */
    readonly index: number;
    /** How many there are, 1 to 1,000. */
    readonly total: number;
  } | null;
  /** The version of its payload, as its creator's definition names it; null: it has none. */
  readonly payloadVersion: number | null;
  /**
   * Why a paused task, or one that is due, does not run; null: it runs, has ended, or is not due. `PAUSE`: it is
   * paused; or it is due, and its type, its namespace or its key is. `CONSUMER`: no consumer has fetched it yet.
   * `BREAKER`: the breaker of its type is open, or that of its host has put it off. `LIMIT`: a limit of its type or its
   * namespace lets no more start just now.
   */
  readonly waitingFor: "HANDLER" | "CONSUMER" | "CAPACITY" | "BREAKER" | "PAUSE" | "LIMIT" | null;
  /** Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit. */
  readonly payload: Json;
  /** What its handler returned, digit for digit; null: nothing. */
  readonly result: Json;
  /** The error of the last attempt that failed, with its stack, shortened; null: none has failed. */
  readonly lastError: string | null;
  /** Where it is sent; null: a handler runs it, or consumers do. */
  readonly deliver: {
    readonly kind: "webhook" | "amqp" | "nats" | "kafka" | "redis";
    /** The address of a webhook. A viewer sees its origin alone, and no headers. */
    readonly url?: string;
    /** An object of texts. */
    readonly headers?: Json;
    /**
     * For `webhook`: what the body of a 2xx answer must be, without spaces around it; another one is a failed attempt.
     * Default: any.
     */
    readonly expectBody?: string;
    /** For brokers: the name of the target. */
    readonly to?: string;
    /** For brokers: where in the target; absent: the target's own. */
    readonly subject?: string;
  } | null;
  /** What it belongs to, in the order in which it was given; empty: nothing. */
  readonly tags: readonly string[];
  /** When the further tasks of its series are due, the next first; empty: there are none. */
  readonly later: readonly string[];
  /** The caller lacks the right `payload`: payload, result and checkpoint are shown by their shape. Else absent. */
  readonly payloadMasked?: boolean;
  /** What the handler stored last for its next attempt; null: nothing. Only where one task is shown by its id. */
  readonly checkpoint?: {
    /** What it stored. */
    readonly state: Json;
    readonly at: string;
  } | null;
  /**
   * How far the handler said last that it has come, from 0 to 1; null: it has not. Only where one task is shown by its
   * id.
   */
  readonly progress?: {
    readonly value: number;
    readonly note: string | null;
    readonly at: string;
  } | null;
  /** Why the task stands as it does. Only where one task is shown by its id. */
  readonly because?: {
    readonly code: "SCHEDULED" | "RETRIES" | "PUT_OFF" | "BREAKER" | "PAUSED" | "HALTED" | "NO_NODE" | "NO_CONSUMER" | "LIMITED" | "NO_PLACE" | "DUE" | "RUNNING" | "STOPPING" | "SUCCEEDED" | "SKIPPED" | "DEAD" | "CANCELLED" | "EXPIRED";
    /** No live node runs its type, whether it is due or not. */
    readonly hasNoNode: boolean;
    /** The last node that ran its type, where no live node does and its going is on record; else null. */
    readonly lastRunner: {
      readonly node: string | null;
      readonly how: "DEAD" | "LEFT";
      readonly at: string;
    } | null;
    /** The places on the live nodes that run its type, where it waits for a place; else null. */
    readonly places: {
      readonly inUse: number;
      readonly all: number;
    } | null;
    /** The pause of its type, its namespace or its key, where that keeps it from starting; else null. */
    readonly halt: {
      readonly of: "TYPE" | "NAMESPACE" | "KEY";
      readonly since: string;
      /** When it ends by itself; null: when somebody resumes it. */
      readonly until: string | null;
      readonly reason: string | null;
      /** Who paused it: `application`, `handler` (`ctx.defer`), or `key:` and the id of an API key. */
      readonly by: string;
    } | null;
    /**
     * The limit of its type or its namespace that lets no more start just now, where that keeps it waiting; else null.
     */
    readonly limit: {
      readonly of: "TYPE" | "NAMESPACE";
      /** Null: it does not limit how many run. */
      readonly maxRunning: number | null;
      /** How many run, as was read within the last seconds. */
      readonly running: number | null;
      /** At most `count` start in `perMs` milliseconds; null: it does not limit how often they start. */
      readonly rate: {
        readonly count: number;
        readonly perMs: number;
      } | null;
    } | null;
    /**
     * The breaker of its type, where that keeps it from starting; null: it is its host's that has put it off, or none.
     */
    readonly breaker: {
      readonly state: "OPEN" | "HALF_OPEN";
      readonly since: string;
      /** The next trial; of `HALF_OPEN`, when this one is over at the latest. */
      readonly until: string;
      /** Trials that have failed since it opened. */
      readonly failedTrials: number;
    } | null;
    /** How often its handler, or its receiver, has put it off. */
    readonly snoozes: number;
    /** Its last start was late by 100 ms or more: the part that most of it went to; else null. */
    readonly late: {
      readonly latenessMs: number;
      /** What most of it went to. */
      readonly part: "known" | "wheel" | "place" | "claim" | "start";
      readonly partMs: number;
      /** The node that was to start it and did not; null: none is known. */
      readonly takenFrom: {
        /** Its label, `ip:pid`. */
        readonly node: string;
        /** Its last beat; null: it was not silent. */
        readonly silentSince: string | null;
        readonly takenOverAt: string;
      } | null;
    } | null;
  };
}

export interface BulkInput {
  /** One bad item does not stop the rest. */
  readonly tasks: readonly TaskInput[];
}

export interface BulkResult {
  readonly results: readonly {
    readonly index: number;
    readonly status: "created" | "existing" | "refreshed" | "replaced" | "merged" | "rejected";
    /**
     * As the whole call left it: a task that a later item replaced is `cancelled`. For an item that is `reduced`, a
     * `ReducedTask`.
     */
    readonly task?: Task | ReducedTask;
    /**
     * True behind the item that reaches 2 MiB of payloads and results: its task and those of further items leave out
     * `payload`, `result`, `lastError`, `deliver`, `tags` and `later`. `GET /v1/tasks/{id}` shows them.
     */
    readonly reduced?: boolean;
    readonly error?: {
      readonly code: string;
      readonly detail: string;
      readonly errors: readonly {
        readonly path: string;
        readonly message: string;
      }[];
    };
  }[];
}

export interface TaskKeyInput {
  /** Its type. */
  readonly type: string;
  /** Its key. */
  readonly key: string;
}

export interface CancelResult {
  readonly outcome: "cancelled" | "cancel_requested";
  readonly task: Task;
}

export interface TaskIdsInput {
  /** Their ids. */
  readonly ids: readonly string[];
}

export interface CancelManyResult {
  readonly results: readonly {
    readonly id: string;
    readonly outcome: "cancelled" | "cancel_requested" | "not_found" | "too_late";
    /** As it is now; absent where there is none, and behind the item that reaches 2 MiB of tasks. */
    readonly task?: Task;
  }[];
}

export interface TaskTagInput {
  /** Their tag. */
  readonly tag: string;
  /** Only tasks of this type. Default: of any. */
  readonly type?: string | undefined;
}

export interface RetryManyResult {
  readonly results: readonly {
    readonly id: string;
    readonly outcome: "scheduled" | "not_found" | "state_conflict" | "key_conflict";
    /** As it is now; absent where there is none, and behind the item that reaches 2 MiB of tasks. */
    readonly task?: Task;
  }[];
}

export interface TaskPage {
  /** At most `limit`; the page ends earlier with the task that reaches 2 MiB. */
  readonly items: readonly Task[];
  /** Null: there are no more tasks, however short the page is. */
  readonly nextCursor: string | null;
  /** The budget of rows and time ended the look before the page was full: go on with the cursor. */
  readonly incomplete?: boolean;
}

/** What changes; at least one field. */
export interface TaskChangesInput {
  /** How long from now it is due, at most 100 years. Default: as it is. */
  readonly delay?: number | string | undefined;
  /** When it is due; one that has passed means at once. Not together with `delay`. Default: as it is. */
  readonly scheduledAt?: string | undefined;
  /** Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit. Default: as it is. */
  readonly payload?: unknown;
  /** 0 first; orders tasks that are due together. Default: as it is. */
  readonly priority?: number | undefined;
  /** Attempts before it is dead. Default: as it is. */
  readonly maxAttempts?: number | undefined;
}

export interface JournalPage {
  readonly items: readonly {
    readonly at: string;
    /** Null: it was created. */
    readonly from: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired" | null;
    readonly to: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
    readonly node: string | null;
    readonly fence: number;
    readonly attempt: number;
    readonly reason: string | null;
    readonly actor: string | null;
    /** How many transitions it stands for: itself, and those since the entry before it that are folded into it. */
    readonly count: number;
    /** For an end of an execution: when its handler was called. */
    readonly startedAt: string | null;
    /** The lateness in parts that add up to it, in whole milliseconds; null: not measured. */
    readonly latenessParts: {
      /** Until some node knew of the task. */
      readonly knownMs: number;
      /** In that node's wheel. */
      readonly wheelMs: number;
      /** For a place to run. */
      readonly placeMs: number;
      /** For the claim. */
      readonly claimMs: number;
      /** From the claim's answer to the start. */
      readonly startMs: number;
      /** The time of the start is known to within so much. */
      readonly clockErrorMs: number;
      /** The node that was to start it and did not; null: none is known. */
      readonly takenFrom: {
        /** Its label, `ip:pid`. */
        readonly node: string;
        /** Its last beat; null: it was not silent. */
        readonly silentSince: string | null;
        readonly takenOverAt: string;
      } | null;
    } | null;
    /** For an attempt that failed: its error, shortened. */
    readonly error: string | null;
  }[];
  readonly nextCursor: string | null;
}

/** One of `cron`, `every` and `after`, and what goes with it. */
export interface ScheduleInput {
  /** Unique in the namespace. With PUT it may be left out: the address has it. */
  readonly name?: string | undefined;
  /** The type of its tasks. */
  readonly type: string;
  /** Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit. */
  readonly payload?: unknown;
  /** 5 or 6 fields, seconds first. One of `cron`, `every` and `after`. */
  readonly cron?: string | undefined;
  /** IANA name: the clock of `cron` and `exclude`. Default: `"UTC"`. */
  readonly timeZone?: string | undefined;
  /** At a fixed rate, at least 1 s. */
  readonly every?: number | string | undefined;
  /** For `every`: from when it counts. Default: `startsAt`, else the creation. */
  readonly anchor?: string | undefined;
  /** With a fixed delay after the last end, at least 1 s. */
  readonly after?: number | string | undefined;
  /** Instants before this one do not count. Default: none. */
  readonly startsAt?: string | undefined;
  /** Instants from this one on do not count. Default: none. */
  readonly endsAt?: string | undefined;
  /** Days `YYYY-MM-DD` on which nothing runs, in the zone. Default: none. */
  readonly exclude?: readonly string[] | undefined;
  /** What becomes of instants that passed while nothing could run. Default: `"last"`. */
  readonly misfire?: "last" | "skip" | "all" | undefined;
  /** For misfire `all`: how many are caught up. Default: `100`. */
  readonly limit?: number | undefined;
  /** What becomes of instants that pass while a run executes. Default: `"skip"`. */
  readonly overlap?: "skip" | "buffer" | "allow" | "cancel-other" | undefined;
  /** What a resume does with the instants of the pause. Default: `"skip"`. */
  readonly onResume?: "skip" | "last" | undefined;
  /**
   * What a fixed hour does where the clock jumps over it: `shift` runs behind the gap, `skip` does not. Default:
   * `"shift"`.
   */
  readonly gap?: "shift" | "skip" | undefined;
  /** Which of its two instants a fixed hour takes where the clock goes back. Default: `"first"`. */
  readonly fold?: "first" | "last" | "both" | undefined;
  /** Runs are spread by up to this long, never beyond the next instant. Default: 0. */
  readonly jitter?: number | string | undefined;
  /** What has been due for longer is not caught up. Default: no such limit. */
  readonly catchUpLimit?: number | string | undefined;
  /** It pauses itself after so many failed occurrences in a row. Default: never. */
  readonly pauseAfterFailures?: number | undefined;
  /** Whether a run that waits for its retry counts as executing. Default: `false`. */
  readonly holdForRetry?: boolean | undefined;
  /** How long after its due time an occurrence may still start. Default: however late. */
  readonly startDeadline?: number | string | undefined;
  /** 0 first; orders tasks that are due together. Default: the type's, else 5. */
  readonly priority?: number | undefined;
  /** Attempts before an occurrence is dead. Default: the type's, else 3. */
  readonly maxAttempts?: number | undefined;
  /** The wait between attempts. Default: the type's, else exponential from 1 s to 1 h with a jitter of 0.2. */
  readonly backoff?: BackoffInput | "alipay" | "rocketmq" | undefined;
  /**
   * How long one attempt may take, at most a day; of a webhook at least 1 s and at most 60 s, unless the node is
   * configured otherwise. Default: the type's, else 60 s.
   */
  readonly timeout?: number | string | undefined;
  /** What its tasks belong to. Default: nothing. */
  readonly tags?: readonly string[] | undefined;
  /** Where its tasks are sent. Default: a handler runs them. */
  readonly deliver?: DeliverInput | undefined;
}

/**
 * Durations are milliseconds. What is not told by the scheduler alone may be given again as it is, and changes nothing
 * then.
 */
export interface Schedule {
  /** No later schedule of the same name has it. */
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly type: string;
  /** Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit. */
  readonly payload: Json;
  /** `finished`: it has no instant left. */
  readonly state: "active" | "paused" | "finished";
  readonly cron: string | null;
  readonly timeZone: string;
  readonly every: number | null;
  readonly anchor: string | null;
  readonly after: number | null;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  /** Days on which nothing runs, in the zone. */
  readonly exclude: readonly string[];
  readonly misfire: "last" | "skip" | "all";
  /** For misfire `all`: how many are caught up. */
  readonly limit: number | null;
  readonly overlap: "skip" | "buffer" | "allow" | "cancel-other";
  readonly onResume: "skip" | "last";
  readonly gap: "shift" | "skip";
  readonly fold: "first" | "last" | "both";
  readonly jitter: number;
  readonly catchUpLimit: number | null;
  readonly pauseAfterFailures: number | null;
  readonly holdForRetry: boolean;
  readonly startDeadline: number | null;
  readonly priority: number | null;
  readonly maxAttempts: number | null;
  /** As it may be given, with every field of its kind; null: as the type's handler wants. */
  readonly backoff: {
    readonly kind: "fixed";
    readonly delay: number;
  } | null | {
    readonly kind: "exponential";
    readonly initial: number;
    readonly max: number;
    readonly jitter: number;
  } | {
    readonly kind: "ladder";
    readonly delays: readonly number[];
  };
  readonly timeout: number | null;
  readonly tags: readonly string[];
  /** Where its tasks are sent; null: a handler runs them, or consumers do. */
  readonly deliver: {
    readonly kind: "webhook" | "amqp" | "nats" | "kafka" | "redis";
    /** The address of a webhook. A viewer sees its origin alone, and no headers. */
    readonly url?: string;
    /** An object of texts. */
    readonly headers?: Json;
    /**
     * For `webhook`: what the body of a 2xx answer must be, without spaces around it; another one is a failed attempt.
     * Default: any.
     */
    readonly expectBody?: string;
    /** For brokers: the name of the target. */
    readonly to?: string;
    /** For brokers: where in the target; absent: the target's own. */
    readonly subject?: string;
  } | null;
  /** The instant that is planned next; null: none is, for which `state` and `waitingFor` say why. */
  readonly nextAt: string | null;
  /**
   * Why an active schedule has no instant planned. `RUN`: one that has come is due, runs or waits for its retry.
   * `PLAN`: with overlap `allow`, instants become tasks 30 s before they are due.
   */
  readonly waitingFor: "RUN" | "PLAN" | null;
  /** Why and until when it is paused; null: it is not. */
  readonly pause: {
    readonly since: string;
    /** Null: until somebody resumes it. */
    readonly until: string | null;
    /** `FAILURES` in a row, `UNANNOUNCED` by any node's code, or `REQUESTED`. */
    readonly reason: string;
    readonly note: string | null;
    readonly by: string | null;
  } | null;
  /** The backfill that goes on; null: none does. */
  readonly backfill: {
    readonly from: string;
    readonly to: string;
    /** How many runs it makes. */
    readonly count: number;
    /** How many of them wait. */
    readonly left: number;
    readonly since: string;
    readonly by: string;
  } | null;
  /** Occurrences in a row that failed. */
  readonly failures: number;
  /** Whose code defines it; null: it was made by a call. */
  readonly application: string | null;
  /** Raised by each change. */
  readonly revision: number;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly changedAt: string;
  readonly changedBy: string;
  /** The caller lacks the right `payload`: payload, result and checkpoint are shown by their shape. Else absent. */
  readonly payloadMasked?: boolean;
}

export interface SchedulePage {
  /** By name. The page ends with the schedule that reaches 2 MiB of payloads. */
  readonly items: readonly Schedule[];
  /** Null: there are no more, however short the page is. */
  readonly nextCursor: string | null;
  /** The look ended before the page was full: go on with the cursor. */
  readonly incomplete?: boolean;
}

export interface ScheduleRunPage {
  /** Runs, and instants that were skipped (`kind` `skip`), the newest first. */
  readonly items: readonly ({
    readonly kind: "spec" | "trigger" | "backfill";
    readonly taskId: string;
    /** The instant that it runs for. */
    readonly at: string;
    readonly dueAt: string;
    /** How many instants were missed before it. */
    readonly missed: number;
    /** More were missed than are counted. */
    readonly missedMore: boolean;
    readonly startedAt: string | null;
    readonly finishedAt: string | null;
    /** Milliseconds from its due time to its first start; null: it has not started. */
    readonly latenessMs: number | null;
    /** Null: it lives. `gone`: its task is kept no more. */
    readonly outcome: string | null;
    readonly reason: string | null;
  } | {
    readonly kind: "skip";
    /** The first of the instants that were skipped. */
    readonly from: string;
    /** The last of them. */
    readonly to: string;
    readonly count: number;
    /** There are more between the two than were counted. */
    readonly more: boolean;
    readonly reason: string;
  })[];
  readonly nextCursor: string | null;
}

export interface SchedulePreview {
  readonly items: readonly {
    readonly at: string;
    /** When it would run, with its jitter. */
    readonly dueAt: string;
    readonly note: "EXCLUDED" | "GAP_SHIFTED" | "GAP_SKIPPED" | "FOLD_FIRST" | "FOLD_SECOND" | null;
    readonly runs: boolean;
  }[];
}

export interface PauseInput {
  /** What people are told of it. Default: nothing. */
  readonly reason?: string | undefined;
  /** When it ends by itself, in the future and within 100 years; default: by a call alone. */
  readonly until?: string | undefined;
}

export interface ScheduleTriggerInput {
  /** In place of the schedule's own. Default: that. */
  readonly payload?: unknown;
}

export interface ScheduleBackfillInput {
  /** From this instant on. */
  readonly from: string;
  /** Up to this instant, without it; not in the future. */
  readonly to: string;
  /** It only tells what it would do. Default: `false`. */
  readonly dryRun?: boolean | undefined;
  /**
   * Runs instants too of which nobody knows any more whether they ran, since only the newest runs of a schedule are
   * kept. Default: `false`.
   */
  readonly includeUnknown?: boolean | undefined;
}

export interface ScheduleBackfill {
  readonly dryRun: boolean;
  /** How many instants run. */
  readonly count: number;
  readonly instants: readonly {
    readonly at: string;
    readonly fate: "ready" | "ran" | "pending" | "unknown";
    /** Why it had no run, `BEFORE_CREATION` included; null: it had one, or it is not known. */
    readonly skipped: string | null;
  }[];
  /** The range has more instants than are told: only a dry run is given. */
  readonly more: boolean;
}

export interface BatchInput {
  /**
   * One batch of the namespace has it, as long as it is kept: with a name a batch can be made again safely, for a
   * second one is refused as `BATCH_EXISTS`. Default: none.
   */
  readonly name?: string | undefined;
  /** Tasks without `merge`, `maxWait`, `idempotencyKey`, and with no `onConflict` but `reject`. Default: none. */
  readonly tasks?: readonly TaskInput[] | undefined;
  /**
   * Makes so many members, 1 to 1000, of the one task in `tasks`, which has no `key`; `nodes`: one for each live node
   * that runs its type. Each knows its place. Default: none.
   */
  readonly shards?: number | "nodes" | undefined;
  /**
   * Made once, when every member has ended; its `delay` counts from then. A task without `key`, without `merge`,
   * `maxWait`, `idempotencyKey`, and with no `onConflict` but `reject`. Default: nothing is.
   */
  readonly onComplete?: TaskInput | undefined;
  /**
   * Made once, when every member has succeeded, also after retries of dead ones; its `delay` counts from then. A task
   * without `key`, without `merge`, `maxWait`, `idempotencyKey`, and with no `onConflict` but `reject`. Default:
   * nothing is.
   */
  readonly onSuccess?: TaskInput | undefined;
  /**
   * When it is looked who is not done: a delay from now in milliseconds or such as `4h`, or an ISO 8601 instant with
   * offset; at most 100 years from now. With one that has passed it is looked at once. Default: never.
   */
  readonly deadline?: number | string | undefined;
  /** The first member that ends dead stops the batch. Not together with `retryDead`. Default: `false`. */
  readonly failFast?: boolean | undefined;
  /** Members that are dead at the `deadline` are retried once; the batch waits for that. Default: `false`. */
  readonly retryDead?: boolean | undefined;
  /** It takes no further members, and completes when these have ended. Default: `false`. */
  readonly seal?: boolean | undefined;
}

export interface Batch {
  readonly id: string;
  readonly name: string | null;
  /**
   * `filling`: members can be added. `open`: it is sealed, and members live. `complete`: every member has ended.
   * `cancelled`: somebody cancelled it.
   */
  readonly state: "filling" | "open" | "complete" | "cancelled";
  /** Members by how they ended; `live` ones have not. */
  readonly counts: {
    readonly total: number;
    readonly live: number;
    readonly succeeded: number;
    readonly dead: number;
    readonly cancelled: number;
    readonly expired: number;
  };
  /** The share of its members that have ended; null: it is filling, and has none. */
  readonly progress: number | null;
  /** How many shards it was split into; null: it was not. */
  readonly shards: number | null;
  readonly createdAt: string;
  readonly createdBy: string;
  /** Null: it is filling, or was cancelled before it was sealed. */
  readonly sealedAt: string | null;
  /** When it became complete or was cancelled. */
  readonly finishedAt: string | null;
  /** When it is looked who is not done; null: never. */
  readonly deadlineAt: string | null;
  /** At the deadline a member had not succeeded. */
  readonly overdue: boolean;
  /** Members that had not succeeded at the deadline, some by name; null: it was not looked yet. */
  readonly leftovers: {
    readonly count: number;
    readonly named: readonly {
      readonly id: string;
      readonly type: string;
      readonly key: string | null;
      readonly state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
    }[];
  } | null;
  /** The first member that ends dead stops it. */
  readonly failFast: boolean;
  /** Members that are dead at the deadline are retried once. */
  readonly retryDead: boolean;
  /** Why it takes back its members; null: it does not. */
  readonly stop: {
    readonly reason: "REQUESTED" | "FAIL_FAST" | "TOO_MANY_MEMBERS";
    readonly at: string;
    readonly by: string;
  } | null;
  /** Members that have not started are being taken back, and the others are being asked. */
  readonly isStopping: boolean;
  /** Since when its dead members are being retried; null: they are not. */
  readonly retryingSince: string | null;
  /** Made when every member has ended; null: nothing is. */
  readonly onComplete: {
    readonly type: string;
    /** Null: it is not made yet, or never will be. */
    readonly taskId: string | null;
  } | null;
  /** Made when every member has succeeded; null: nothing is. */
  readonly onSuccess: {
    readonly type: string;
    /** Null: it is not made yet, or never will be. */
    readonly taskId: string | null;
  } | null;
}

export interface BatchPage {
  readonly items: readonly Batch[];
  readonly nextCursor: string | null;
}

export interface MembersInput {
  /** Tasks without `merge`, `maxWait`, `idempotencyKey`, and with no `onConflict` but `reject`. */
  readonly tasks: readonly TaskInput[];
}

export type AddMembersResult = BulkResult & {
  readonly batch: Batch;
};

/** What a consumer asks for. */
export interface ClaimInput {
  /** At most so many tasks. Default: `1`. */
  readonly max?: number | undefined;
  /** How long the call waits for the first task, in milliseconds; GraphQL at most 10,000. Default: `0`. */
  readonly waitMs?: number | undefined;
  /** How long the tasks are the consumer's, in milliseconds, unless it extends its leases. Default: `30000`. */
  readonly leaseMs?: number | undefined;
  /** Who asks, for people: the page shows it. Default: the id of the API key. */
  readonly consumer?: string | undefined;
}

export interface ClaimPage {
  /** Oldest first; empty: none came within the time. */
  readonly claims: readonly Claim[];
  /** The type or its namespace is paused, so there are none. */
  readonly paused?: boolean;
}

/** How long a lease is to last from now on. */
export interface ExtendInput {
  /** How long from now the task is the consumer's, in milliseconds; at most 12 h. Default: `30000`. */
  readonly leaseMs?: number | undefined;
}

export interface LeaseExtended {
  /** Until then the task is the consumer's, by the clock of the database. */
  readonly leaseUntil: string;
}

/** What a consumer's work has come to. */
export interface CompleteInput {
  /** Any JSON, at most 64 KiB and 32 levels deep; the task keeps it, digit for digit. Default: none. */
  readonly result?: unknown;
}

export interface ClaimEnd {
  /**
   * What became of the task: `succeeded`; `scheduled`: it is tried again; `dead`; `cancelled`: somebody had asked for
   * it.
   */
  readonly state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
  /** When it is tried again; null: it is not. */
  readonly dueAt: string | null;
}

/** How an attempt of a consumer failed. */
export interface FailInput {
  /** What went wrong; the task keeps its beginning, and errors that say the same are one cause. */
  readonly error: string;
  /** False: another attempt is of no use, so the task is dead. Default: `true`. */
  readonly retryable?: boolean | undefined;
  /** The wait before the next attempt. Default: the task's backoff. */
  readonly retryAfter?: number | string | undefined;
}

export interface ConsumerReport {
  /** The oldest claims first, at most 100. */
  readonly claims: readonly {
    readonly taskId: string;
    /** As it calls itself, else the id of its API key. */
    readonly consumer: string;
    readonly claimedAt: string;
    /** One that has passed ends within about a second. */
    readonly leaseUntil: string;
  }[];
  /** Calls that wait for tasks of the type on the node that was asked. */
  readonly waitingHere: number;
}

export interface RotatedSecret {
  /** The number of the new secret, 1 to 255. */
  readonly id: number;
}

export interface OperationInput {
  /**
   * `cancel`: cancels those that wait, and asks those that run to stop. `retry`: makes those that have ended due now,
   * with new attempts, and those that wait after a failed attempt due now. `restore`: schedules those that have ended
   * again, for the time they were scheduled for. `reschedule`: gives those that wait another due time. `run_now`: makes
   * those that are scheduled due now. `pause`: pauses those that are scheduled. `resume`: resumes those that are
   * paused. `discard`: takes dead ones away: they end cancelled, reason `DISCARDED`. `add_tag`: adds a tag to those
   * that wait or are dead. `remove_tag`: takes a tag from those that wait or are dead.
   */
  readonly action: "cancel" | "retry" | "restore" | "reschedule" | "run_now" | "pause" | "resume" | "discard" | "add_tag" | "remove_tag";
  /** Which tasks are meant. */
  readonly filter: OperationFilter;
  /** For `restore`: those whose time has passed come too, due now. Else they are left. Default: `false`. */
  readonly includeOverdue?: boolean | undefined;
  /** For `reschedule`: they are due then; if it has passed, now. */
  readonly set?: string | undefined;
  /**
   * For `reschedule`: how much later they are due, in milliseconds or such as `15m`; `-15m`: earlier, but never in the
   * past. At most 100 years.
   */
  readonly shift?: number | string | undefined;
  /** For `reschedule`: anywhere between two instants, told by each task's id. */
  readonly spread?: SpreadInput | undefined;
  /** For `add_tag` and `remove_tag`: the tag. */
  readonly tag?: string | undefined;
  /**
   * For `retry`, `restore` and `run_now`: how many tasks a second, 0.01 to 10,000. Default: as fast as it goes beside
   * the rest.
   */
  readonly rate?: number | undefined;
  /**
   * It stops once so large a share of the 200 tasks changed last has failed again, of at least 20 that ended an
   * attempt; 0.01 to 1, only with a `rate`. Default: never.
   */
  readonly stopWhenFailing?: number | undefined;
  /** It stops, reason `LIMIT`, once it has changed so many. Default: `1000000`. */
  readonly atMost?: number | undefined;
  /**
   * The `count` of a dry run: if more than a tenth more or fewer fit by now, nothing is done
   * (`OPERATION_COUNT_CHANGED`). Default: nothing is expected.
   */
  readonly expect?: number | undefined;
  /** Why, for the audit. A discard needs one. Default: none is told. */
  readonly reason?: string | undefined;
}

export interface DryRun {
  /** How many tasks fit the filter and the action. */
  readonly count: number;
  /** It stopped counting: more fit. */
  readonly isAtLeast: boolean;
  /** Its budget ended first: only `lookedAt` rows were looked at. The operation goes through all. */
  readonly incomplete: boolean;
  readonly lookedAt: number;
  /** The filter as a line; times are instants by now. */
  readonly filter: string;
  /** When it counted: the operation leaves whatever is created later. */
  readonly createdBefore: string;
  readonly states: readonly {
    readonly state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
    readonly count: number;
  }[];
  /** The ten with the most. */
  readonly types: readonly {
    readonly type: string;
    readonly count: number;
  }[];
  /** The first due time of those that wait; null: none does. */
  readonly dueFrom: string | null;
  /** The last one. */
  readonly dueTo: string | null;
  /** They run, and are only asked to stop. */
  readonly running: number;
  /** Occurrences of schedules. Where they are cancelled their schedule plans the next: pause it instead. */
  readonly occurrences: number;
  /** Members of batches. */
  readonly members: number;
  /** For `retry` and `restore`: another live task has their key, so they are left. */
  readonly keysTaken: number;
  /** For `restore` without `includeOverdue`: their time has passed, so they are left. */
  readonly overdue: number;
  /** They are due within a minute, so an undo may come too late. */
  readonly dueSoon: number;
  /** What an undo could put back: all, not those that run or will, or nothing. */
  readonly undo: "FULL" | "PARTLY" | "NONE";
  /** The ten newest. */
  readonly sample: readonly {
    readonly id: string;
    readonly type: string;
    readonly key: string | null;
    readonly state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
    readonly dueAt: string;
    readonly createdAt: string;
    readonly createdBy: string;
  }[];
}

export interface TaskOperation {
  readonly id: string;
  readonly action: "cancel" | "retry" | "restore" | "reschedule" | "run_now" | "pause" | "resume" | "discard" | "add_tag" | "remove_tag";
  /** Which tasks it means, as a line; times are instants by now. */
  readonly filter: string;
  readonly options: {
    readonly includeOverdue: boolean;
    readonly set: string | null;
    readonly shiftMs: number | null;
    readonly spread: {
      readonly from: string;
      readonly to: string;
    } | null;
    readonly tag: string | null;
    /** Tasks a second; null: as fast as it goes beside the rest. */
    readonly rate: number | null;
    /** The share of failures at which it stops; null: it does not. */
    readonly stopWhenFailing: number | null;
    readonly atMost: number;
  };
  readonly state: "running" | "done" | "stopped" | "undoing" | "undone";
  /** Since when it is on hold; null: it is not. */
  readonly heldAt: string | null;
  readonly heldBy: string | null;
  /**
   * `BY_HAND`: somebody stopped it. `LIMIT`: it has changed as many as it may. `FAILING`: too many failed again. Null:
   * it was not stopped.
   */
  readonly stopReason: "BY_HAND" | "LIMIT" | "FAILING" | null;
  /** Only tasks that were created before are changed. */
  readonly createdAt: string;
  readonly createdBy: string;
  readonly reason: string | null;
  /** How many fitted when it was started; null: nobody knows. */
  readonly estimate: number | null;
  /** Tasks that were found, also those that were then left. */
  readonly found: number;
  readonly changed: number;
  /** Tasks that were found and not changed, by why. */
  readonly passed: readonly {
    readonly code: "NO_LONGER" | "ASKED" | "KEY_TAKEN" | "OVERDUE" | "LOCKED";
    readonly count: number;
  }[];
  /** Transactions that it took, those of the undo included. */
  readonly pages: number;
  /** Tasks a second over the last ten pages; null: too few were made. */
  readonly pace: number | null;
  /** When it may be over; null: nobody knows, or it is. */
  readonly endsAbout: string | null;
  /** The label of the node that made the last page; null: none was made. */
  readonly node: string | null;
  /** Null: it is open. */
  readonly finishedAt: string | null;
  /** What was asked of its undo; null: nobody has asked. */
  readonly undo: {
    readonly overdue: "leave" | "run";
    readonly at: string;
    readonly by: string;
    readonly reason: string | null;
  } | null;
  /** Tasks that are as they were. */
  readonly undone: number;
  /** Tasks that the undo could not put back, by why. */
  readonly leftBehind: readonly {
    readonly code: "UNDONE" | "WITHOUT_RESULT" | "DUE_MEANWHILE" | "KEY_TAKEN" | "STARTED" | "HAS_RUN" | "TOUCHED" | "GONE" | "LOCKED";
    readonly count: number;
  }[];
  /** Until when it can be undone; null: it is open, was undone, or what it changed is forgotten. */
  readonly undoUntil: string | null;
}

export interface OperationPage {
  readonly items: readonly TaskOperation[];
  readonly nextCursor: string | null;
}

export type OperationDetails = TaskOperation & {
  /** What an undo would find now; null: it cannot be undone. */
  readonly undoReach: {
    /** How many of the newest were looked at, 1,000 at most. */
    readonly lookedAt: number;
    /** They are as the operation left them. */
    readonly reachable: number;
    /** How many of these would have come due since. */
    readonly due: number;
  } | null;
};

export interface ChangedTaskPage {
  readonly items: readonly {
    readonly id: string;
    /** When it was changed. */
    readonly at: string;
    /** Its state before. */
    readonly from: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
    /** Its state behind the change. */
    readonly to: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
    /** `CHANGED`: no undo has looked at it. Else what became of it at the undo. */
    readonly outcome: "CHANGED" | "UNDONE" | "WITHOUT_RESULT" | "DUE_MEANWHILE" | "KEY_TAKEN" | "STARTED" | "HAS_RUN" | "TOUCHED" | "GONE" | "LOCKED";
  }[];
  readonly nextCursor: string | null;
}

export interface OperationReasonInput {
  /** Why, for the audit. A discard needs one. Default: none is told. */
  readonly reason?: string | undefined;
}

export interface UndoInput {
  /** What would have come due since: `leave` it, or put it back and `run` it now. Default: `"leave"`. */
  readonly overdue?: "leave" | "run" | undefined;
  /** Why, for the audit. A discard needs one. Default: none is told. */
  readonly reason?: string | undefined;
}

export interface DeadGroupPage {
  readonly items: readonly DeadGroup[];
  readonly nextCursor: string | null;
  /** Groups that fit, on whatever page. */
  readonly causes: number;
  /** Their tasks. */
  readonly tasks: number;
}

export type DeadGroupDetails = DeadGroup & {
  /** How many of its newest tasks were looked at for `nodes` and `versions`, 1,000 at most. */
  readonly lookedAt: number;
  /** Where they died, the most first; null: a node that is forgotten. */
  readonly nodes: readonly {
    readonly node: string | null;
    readonly count: number;
  }[];
  /** The versions of these nodes; null: forgotten. */
  readonly versions: readonly {
    readonly version: string | null;
    readonly count: number;
  }[];
  /** Tasks that wait for a further attempt after the same error. */
  readonly retrying: {
    readonly count: number;
    /** There may be more: 20,000 scheduled tasks were looked at. */
    readonly isAtLeast: boolean;
  };
  /** When the oldest of them is deleted. */
  readonly keptUntil: string;
  /** The ten newest. */
  readonly newest: readonly {
    readonly id: string;
    readonly key: string | null;
    /** When it died. */
    readonly finishedAt: string;
    readonly lastError: string | null;
    readonly attempt: number;
    readonly maxAttempts: number;
    /** The label of the node that ran it last; null: unknown. */
    readonly node: string | null;
  }[];
};

export interface TypeChange {
  /**
   * Labels of the nodes that do not obey the change yet; empty: every node obeys it. Null: that is not known, since the
   * database went away behind the commit. Make the same call again to wait on.
   */
  readonly waitingFor: readonly string[] | null;
  /**
   * The revision of the settings that holds the change, timeline and number, such as `1.42`: it rises with each change.
   */
  readonly revision: string;
  readonly type: TypeDetails;
}

/** What changes; at least one field. Null takes a setting away. */
export interface TypeChangesInput {
  /** How many of its tasks each node runs at once. Null: what its handler says, else the node. Default: as it is. */
  readonly concurrency?: number | null | undefined;
  /**
   * How many of its tasks run at once in the whole cluster; never more. Beyond a lowered limit what runs goes on to its
   * end. Null: as many as there is room for. Default: as it is.
   */
  readonly maxRunning?: number | null | undefined;
  /** How often its tasks start in the whole cluster. Null: as often as they are due. Default: as it is. */
  readonly rate?: RateInput | null | undefined;
  /**
   * How long its succeeded tasks are kept: `0`, or from 1 h to `historyRetentionDays`. `0`: not at all. Such a task is
   * not found after its end, neither by id nor by key; a replay of its idempotency key answers `TASK_NOT_FOUND`; runs
   * of schedules do not tell how they ended; and counts that are made anew from rows lack it. Members of batches are
   * kept all the same. Null: as long as all others. Default: as it is.
   */
  readonly keepSucceeded?: number | string | undefined;
  /**
   * How long its cancelled tasks are kept: `0`, or from 1 h to `historyRetentionDays`. `0`: a cancel by id of a task
   * that waits deletes it, and it is not found afterwards; what is cancelled otherwise goes within minutes. Members of
   * batches are kept all the same, and what an operation has cancelled as long as it can be undone. Null: as long as
   * all others. Default: as it is.
   */
  readonly keepCancelled?: number | string | undefined;
  /**
   * How long its dead tasks are kept, and can be retried: from 1 h to `deadRetentionDays`. Members of batches are kept
   * all the same. Null: as long as all others. Default: as it is.
   */
  readonly keepDead?: number | string | undefined;
}

export interface TypeDetails {
  readonly type: string;
  /**
   * JSON Schema, draft 2020-12, of what a payload must be. Null: none is announced, or this node has not read it yet.
   */
  readonly payloadSchema: Readonly<Record<string, unknown>> | null;
  /** The version of new payloads; null: they have none. */
  readonly payloadVersion: number | null;
  /**
   * What a new task gets where its creator says nothing: as the nodes that run the type announce it, else as
   * documented.
   */
  readonly defaults: {
    readonly maxAttempts: number;
    /** 0 first … 9. */
    readonly priority: number;
    /** The wait between attempts. */
    readonly backoff: {
      readonly kind: "fixed";
      readonly delay: number;
    } | {
      readonly kind: "exponential";
      readonly initial: number;
      readonly max: number;
      readonly jitter: number;
    } | {
      readonly kind: "ladder";
      readonly delays: readonly number[];
    };
    /** The limit of a handler's attempt, in milliseconds. */
    readonly timeout: number;
    /** In milliseconds; null: it may start however late. */
    readonly startDeadline: number | null;
  };
  /** What is set of it at run time. */
  readonly settings: {
    /** How many of its tasks each node runs at once. Null: what its handler says, else the node. */
    readonly concurrency: number | null;
    /** For how many milliseconds its succeeded tasks are kept; 0: not at all. Null: as long as all others. */
    readonly keepSucceeded: number | null;
    /** For how many milliseconds its cancelled tasks are kept; 0: not at all. Null: as long as all others. */
    readonly keepCancelled: number | null;
    /** For how many milliseconds its dead tasks are kept. Null: as long as all others. */
    readonly keepDead: number | null;
  };
  /** Its own limits in the whole cluster; null: it has none. Those of its namespace hold beside them. */
  readonly limits: {
    /** How many tasks may run at once. Null: as many as there is room for. */
    readonly maxRunning: number | null;
    /**
     * How many hold its places, as was read within the last two seconds. Null: it has no `maxRunning`, or that is not
     * known.
     */
    readonly running: number | null;
    /** `count` tasks may start in `perMs` milliseconds. Null: as often as they are due. */
    readonly rate: {
      readonly count: number;
      readonly perMs: number;
      /** How many may start at once after a rest. */
      readonly burst: number;
    } | null;
    /**
     * How many may start at once, as was read within the last two seconds. Null: it has no `rate`, or that is not
     * known.
     */
    readonly tokens: number | null;
  } | null;
  /** Null: it is closed, or its handler has none. */
  readonly breaker: {
    readonly state: "OPEN" | "HALF_OPEN";
    readonly since: string;
    /** The next trial; of `HALF_OPEN`, when this one is over at the latest. */
    readonly until: string;
    /** Trials that have failed since it opened. */
    readonly failedTrials: number;
    /** The label of the node that tries; null: none does, or it is gone. */
    readonly node: string | null;
  } | null;
  /** Its pause, else that of its namespace; null: neither is paused. */
  readonly pause: {
    /** The type that is paused, or whose key is. Null: the namespace is, with all its types. */
    readonly type: string | null;
    /** The key that is paused. Null: the whole type is. */
    readonly key: string | null;
    readonly since: string;
    /** When it ends by itself; null: when somebody resumes it. */
    readonly until: string | null;
    readonly reason: string | null;
    /** Who paused it: `application`, `handler` (`ctx.defer`), or `key:` and the id of an API key. */
    readonly by: string;
  } | null;
}

export interface KeyPauseInput {
  /** The type of its tasks. */
  readonly type: string;
  /** The key. */
  readonly key: string;
  /** What people are told of it. Default: nothing. */
  readonly reason?: string | undefined;
  /** When it ends by itself, in the future and within 100 years; default: by a call alone. */
  readonly until?: string | undefined;
}

export interface PauseChange {
  /**
   * Labels of the nodes that do not obey the change yet; empty: every node obeys it. Null: that is not known, since the
   * database went away behind the commit. Make the same call again to wait on.
   */
  readonly waitingFor: readonly string[] | null;
  /**
   * The revision of the settings that holds the change, timeline and number, such as `1.42`: it rises with each change.
   */
  readonly revision: string;
  /** Null: it is not paused. */
  readonly pause: {
    /** The type that is paused, or whose key is. Null: the namespace is, with all its types. */
    readonly type: string | null;
    /** The key that is paused. Null: the whole type is. */
    readonly key: string | null;
    readonly since: string;
    /** When it ends by itself; null: when somebody resumes it. */
    readonly until: string | null;
    readonly reason: string | null;
    /** Who paused it: `application`, `handler` (`ctx.defer`), or `key:` and the id of an API key. */
    readonly by: string;
  } | null;
}

/** What changes; at least one field. Null takes a limit away. */
export interface NamespaceChangesInput {
  /**
   * How many of the tasks of all its types together run at once in the whole cluster; never more. Beyond a lowered
   * limit what runs goes on to its end. Null: as many as there is room for. Default: as it is.
   */
  readonly maxRunning?: number | null | undefined;
  /**
   * How often the tasks of all its types together start in the whole cluster. Null: as often as they are due. Default:
   * as it is.
   */
  readonly rate?: RateInput | null | undefined;
}

export interface NamespaceChange {
  /**
   * Labels of the nodes that do not obey the change yet; empty: every node obeys it. Null: that is not known, since the
   * database went away behind the commit. Make the same call again to wait on.
   */
  readonly waitingFor: readonly string[] | null;
  /**
   * The revision of the settings that holds the change, timeline and number, such as `1.42`: it rises with each change.
   */
  readonly revision: string;
  readonly namespace: NamespaceDetails;
}

export interface NamespaceDetails {
  readonly namespace: string;
  /** Limits of all its types together in the whole cluster; null: it has none. */
  readonly limits: {
    /** How many tasks may run at once. Null: as many as there is room for. */
    readonly maxRunning: number | null;
    /**
     * How many hold its places, as was read within the last two seconds. Null: it has no `maxRunning`, or that is not
     * known.
     */
    readonly running: number | null;
    /** `count` tasks may start in `perMs` milliseconds. Null: as often as they are due. */
    readonly rate: {
      readonly count: number;
      readonly perMs: number;
      /** How many may start at once after a rest. */
      readonly burst: number;
    } | null;
    /**
     * How many may start at once, as was read within the last two seconds. Null: it has no `rate`, or that is not
     * known.
     */
    readonly tokens: number | null;
  } | null;
  /** Null: it is not paused. */
  readonly pause: {
    /** The type that is paused, or whose key is. Null: the namespace is, with all its types. */
    readonly type: string | null;
    /** The key that is paused. Null: the whole type is. */
    readonly key: string | null;
    readonly since: string;
    /** When it ends by itself; null: when somebody resumes it. */
    readonly until: string | null;
    readonly reason: string | null;
    /** Who paused it: `application`, `handler` (`ctx.defer`), or `key:` and the id of an API key. */
    readonly by: string;
  } | null;
}

export interface PausePage {
  /** Those in force, the newest first. */
  readonly items: readonly {
    /** The type that is paused, or whose key is. Null: the namespace is, with all its types. */
    readonly type: string | null;
    /** The key that is paused. Null: the whole type is. */
    readonly key: string | null;
    readonly since: string;
    /** When it ends by itself; null: when somebody resumes it. */
    readonly until: string | null;
    readonly reason: string | null;
    /** Who paused it: `application`, `handler` (`ctx.defer`), or `key:` and the id of an API key. */
    readonly by: string;
  }[];
  /** Null: there are no more. */
  readonly nextCursor: string | null;
}

export interface Cluster {
  readonly coordination: "redis" | "postgres" | "postgres-degraded";
  readonly leader: {
    readonly node: string;
    readonly bootId: string;
    readonly term: number;
  } | null;
  readonly view: number;
  readonly slots: number;
  readonly degraded: readonly {
    readonly part: string;
    readonly since: string;
    readonly detail: string;
  }[];
  readonly nodes: readonly {
    /** `ip:pid`. */
    readonly label: string;
    /** For people; by default the machine's. */
    readonly name: string;
    readonly bootId: string;
    readonly version: string;
    readonly joinedAt: string;
    readonly state: "joining" | "live" | "suspect" | "draining" | "dead";
    readonly roles: readonly string[];
    readonly types: readonly string[];
    readonly heartbeatAgeMs: number;
    readonly loopLagMs: number;
    readonly clockOffsetMs: number;
    readonly ownedSlots: number;
    readonly wheelSize: number;
    readonly inFlight: number;
    /** Executions that it may have at once; 0: not known. */
    readonly places: number;
    /** Null: its event loop turns. */
    readonly blocked: {
      readonly forMs: number;
      readonly running: readonly {
        readonly type: string;
        readonly count: number;
      }[];
      /** The task whose handler was called last. */
      readonly lastStarted: string | null;
    } | null;
    /** What it does not reach just now. */
    readonly away: readonly ("redis" | "postgres")[];
  }[];
  /** Nodes that left within 24 hours, newest first, at most 100; null: not known, Postgres does not answer. */
  readonly gone: readonly {
    readonly bootId: string;
    readonly label: string | null;
    readonly name: string | null;
    /** `DEAD`: a leader declared it dead. `LEFT`: it said goodbye. */
    readonly how: "DEAD" | "LEFT";
    readonly at: string;
    readonly lastBeatAt: string | null;
    /** Types that no node ran any more; at most 100. */
    readonly orphanedTypes: readonly string[];
  }[] | null;
}

export interface ClusterEventPage {
  readonly items: readonly {
    readonly id: string;
    readonly at: string;
    readonly kind: "JOINED" | "TERM" | "VIEW" | "TAKEOVER" | "SUSPECT" | "RECOVERED" | "DEAD" | "REAPED" | "DRAINING" | "DRAINED" | "LEFT" | "SETTINGS_CHANGED" | "BREAKER_OPENED" | "BREAKER_CLOSED";
    /** Null: the event is about several nodes. */
    readonly node: {
      readonly bootId: string;
      readonly label: string | null;
      readonly name: string | null;
    } | null;
    /** The last heartbeat of a node that is `SUSPECT` or `DEAD`, where it is known. */
    readonly lastBeatAt: string | null;
    /** What is known of it, by its kind. */
    readonly facts: Readonly<Record<string, unknown>>;
  }[];
  readonly nextCursor: string | null;
}

export interface ClusterWheel {
  readonly countedAt: string;
  /** The view whose nodes have the shares; 0: there is no view yet. */
  readonly view: number;
  /**
   * There are more than 500,000 tasks in this minute, or more than 32 sets of nodes that run types: the figures are the
   * least there is.
   */
  readonly incomplete: boolean;
  readonly capacity: {
    readonly perSecond: number | null;
    readonly measured: boolean;
  };
  readonly all: {
    /** Due in each of the next 60 seconds. */
    readonly seconds: readonly number[];
    /** At most 10,000 are counted, of all nodes together. */
    readonly overdue: number;
    /** Counting ended there: each share may have more than `overdue`. */
    readonly overdueAtLeast: boolean;
    readonly nextDueAt: string | null;
  };
  /** The fullest seconds, most first, ten at most, with the three types that have most. */
  readonly fullest: readonly {
    /** 1 is the first. */
    readonly inS: number;
    readonly due: number;
    readonly types: readonly {
      readonly type: string;
      readonly due: number;
    }[];
  }[];
  /** The share of each node in the view, by ownership; 100 at most, those with most to come. */
  readonly nodes: readonly {
    readonly bootId: string;
    readonly label: string;
    /** Entries in its wheel, as its newest beat told: tasks due within its horizon, and what is parked. */
    readonly inMemory: number | null;
    /** Due in each of the next 60 seconds. */
    readonly seconds: readonly number[];
    /** At most 10,000 are counted, of all nodes together. */
    readonly overdue: number;
    /** Counting ended there: each share may have more than `overdue`. */
    readonly overdueAtLeast: boolean;
    readonly nextDueAt: string | null;
  }[];
  /** Nodes that are not told. */
  readonly otherNodes: number;
  /** What no node owns: none in the view runs its type. */
  readonly nobody: {
    /** Due in each of the next 60 seconds. */
    readonly seconds: readonly number[];
    /** At most 10,000 are counted, of all nodes together. */
    readonly overdue: number;
    /** Counting ended there: each share may have more than `overdue`. */
    readonly overdueAtLeast: boolean;
    readonly nextDueAt: string | null;
  };
}

export interface Stats {
  readonly counts: {
    readonly scheduled: number;
    readonly paused: number;
    readonly running: number;
    readonly succeeded: number;
    readonly dead: number;
    readonly cancelled: number;
    readonly expired: number;
  };
  readonly countedAt: string;
  readonly overdue: number;
  readonly oldestOverdueMs: number | null;
  readonly lastMinute: {
    readonly created: number;
    readonly started: number;
    readonly succeeded: number;
    /** How many of these had a condition that said no. */
    readonly skipped: number;
    readonly failed: number;
    readonly latenessMs: {
      readonly p50: number;
      readonly p99: number;
      readonly max: number;
    } | null;
  };
  /** The wheel of the node that answers. */
  readonly wheel: {
    readonly entries: number;
    readonly bytes: number;
  };
}

export interface FindingReport {
  readonly at: string;
  /** Worst first. */
  readonly now: readonly {
    readonly id: string;
    readonly code: "POSTGRES_AWAY" | "COMMITS_UNSAFE" | "STANDBYS_ASYNCHRONOUS" | "SNAPSHOT_HELD" | "REDIS_AWAY" | "TYPE_WITHOUT_NODE" | "QUEUE_WITHOUT_CONSUMER" | "SCHEDULE_WITHOUT_NODE" | "SCHEDULE_PAUSED" | "BATCH_OVERDUE" | "BATCH_UNSEALED" | "OPERATION_STOPPED" | "OPERATION_HELD" | "TYPE_FAILING" | "DEAD_TASKS" | "PLACES_TAKEN" | "OVERDUE_UNEXPLAINED" | "LOOP_BLOCKED" | "NODE_SUSPECT" | "NODE_DIED" | "NO_LEADER" | "CLOCK_OFF" | "FUTURE_OVER_CAPACITY" | "VERSIONS_DIFFER" | "POLICIES_DIFFER" | "TYPE_PAUSED" | "LIMIT_FULL" | "BREAKER_OPEN" | "HOST_SLOWED" | "SETTINGS_NOT_OBEYED" | "REDIS_EVICTS" | "NODE_WITHOUT_REDIS" | "SCHEDULE_UNANNOUNCED";
    readonly severity: "critical" | "warning" | "notice";
    readonly since: string;
    readonly until: string | null;
    readonly title: string;
    readonly consequence: string;
    readonly cure: string;
    /** What the sentences are made of. */
    readonly facts: Readonly<Record<string, unknown>>;
  }[];
  /** Those that are over, newest first; at most 500. */
  readonly lastDay: readonly {
    readonly id: string;
    readonly code: "POSTGRES_AWAY" | "COMMITS_UNSAFE" | "STANDBYS_ASYNCHRONOUS" | "SNAPSHOT_HELD" | "REDIS_AWAY" | "TYPE_WITHOUT_NODE" | "QUEUE_WITHOUT_CONSUMER" | "SCHEDULE_WITHOUT_NODE" | "SCHEDULE_PAUSED" | "BATCH_OVERDUE" | "BATCH_UNSEALED" | "OPERATION_STOPPED" | "OPERATION_HELD" | "TYPE_FAILING" | "DEAD_TASKS" | "PLACES_TAKEN" | "OVERDUE_UNEXPLAINED" | "LOOP_BLOCKED" | "NODE_SUSPECT" | "NODE_DIED" | "NO_LEADER" | "CLOCK_OFF" | "FUTURE_OVER_CAPACITY" | "VERSIONS_DIFFER" | "POLICIES_DIFFER" | "TYPE_PAUSED" | "LIMIT_FULL" | "BREAKER_OPEN" | "HOST_SLOWED" | "SETTINGS_NOT_OBEYED" | "REDIS_EVICTS" | "NODE_WITHOUT_REDIS" | "SCHEDULE_UNANNOUNCED";
    readonly severity: "critical" | "warning" | "notice";
    readonly since: string;
    readonly until: string | null;
    readonly title: string;
    readonly consequence: string;
    readonly cure: string;
    /** What the sentences are made of. */
    readonly facts: Readonly<Record<string, unknown>>;
  }[];
}

export interface TypePage {
  /** Those in need first. */
  readonly items: readonly {
    readonly type: string;
    readonly delivery: "handler" | "webhook" | "broker" | "pull";
    /** Due, and not started; at most 10,000 are counted. */
    readonly overdue: number;
    /** Counting ended at `overdue`: there are more. */
    readonly overdueAtLeast: boolean;
    readonly oldestOverdueMs: number | null;
    readonly running: number;
    /** Mean of the last minute. */
    readonly startsPerSecond: number;
    /** Tasks of the last five minutes. */
    readonly succeeded: number;
    /** How many of these had a condition that said no. */
    readonly skipped: number;
    /** The share of the attempts of the last five minutes that failed; null: there were none. */
    readonly failedShare: number | null;
    readonly latenessMs: {
      readonly p50: number;
      readonly p99: number;
      readonly max: number;
    } | null;
    /** Labels of the nodes that run it; told to keys with the right `cluster`. */
    readonly nodes: readonly string[];
    readonly waitsFor: "HANDLER" | "CONSUMER" | "CAPACITY" | "BREAKER" | "PAUSE" | "LIMIT" | null;
    readonly lastError: string | null;
    /** What is set of it at run time. */
    readonly settings: {
      /** How many of its tasks each node runs at once. Null: what its handler says, else the node. */
      readonly concurrency: number | null;
      /** For how many milliseconds its succeeded tasks are kept; 0: not at all. Null: as long as all others. */
      readonly keepSucceeded: number | null;
      /** For how many milliseconds its cancelled tasks are kept; 0: not at all. Null: as long as all others. */
      readonly keepCancelled: number | null;
      /** For how many milliseconds its dead tasks are kept. Null: as long as all others. */
      readonly keepDead: number | null;
    };
    /** Its own limits in the whole cluster; null: it has none. Those of its namespace hold beside them. */
    readonly limits: {
      /** How many tasks may run at once. Null: as many as there is room for. */
      readonly maxRunning: number | null;
      /**
       * How many hold its places, as was read within the last two seconds. Null: it has no `maxRunning`, or that is not
       * known.
       */
      readonly running: number | null;
      /** `count` tasks may start in `perMs` milliseconds. Null: as often as they are due. */
      readonly rate: {
        readonly count: number;
        readonly perMs: number;
        /** How many may start at once after a rest. */
        readonly burst: number;
      } | null;
      /**
       * How many may start at once, as was read within the last two seconds. Null: it has no `rate`, or that is not
       * known.
       */
      readonly tokens: number | null;
    } | null;
    /** Null: it is closed, or its handler has none. */
    readonly breaker: {
      readonly state: "OPEN" | "HALF_OPEN";
      readonly since: string;
      /** The next trial; of `HALF_OPEN`, when this one is over at the latest. */
      readonly until: string;
      /** Trials that have failed since it opened. */
      readonly failedTrials: number;
      /** The label of the node that tries; null: none does, or it is gone. */
      readonly node: string | null;
    } | null;
    /** Its pause, else that of its namespace; null: neither is paused. */
    readonly pause: {
      /** The type that is paused, or whose key is. Null: the namespace is, with all its types. */
      readonly type: string | null;
      /** The key that is paused. Null: the whole type is. */
      readonly key: string | null;
      readonly since: string;
      /** When it ends by itself; null: when somebody resumes it. */
      readonly until: string | null;
      readonly reason: string | null;
      /** Who paused it: `application`, `handler` (`ctx.defer`), or `key:` and the id of an API key. */
      readonly by: string;
    } | null;
  }[];
  readonly nextCursor: string | null;
  readonly countedAt: string;
}

export interface History {
  readonly range: "1h" | "24h" | "7d";
  readonly type: string | null;
  readonly bucketMs: number;
  readonly from: string;
  readonly to: string;
  /** Oldest first, each of them, also where nothing happened; the last one is the present, not over yet. */
  readonly buckets: readonly {
    readonly at: string;
    readonly created: number;
    readonly started: number;
    readonly succeeded: number;
    /** How many of these had a condition that said no. */
    readonly skipped: number;
    /** Attempts, whatever became of the task. */
    readonly failed: number;
    readonly dead: number;
    readonly latenessMs: {
      readonly p50: number;
      readonly p99: number;
      readonly max: number;
    } | null;
    /** The lateness of all starts in parts, each part added up, in milliseconds. */
    readonly latenessPartsMs: {
      readonly known: number;
      readonly wheel: number;
      readonly place: number;
      readonly claim: number;
      readonly start: number;
    };
    /** Places in use, on the mean. */
    readonly places: number;
  }[];
}

export interface Forecast {
  readonly ahead: "1m" | "1h" | "24h" | "30d";
  readonly type: string | null;
  readonly bucketMs: number;
  readonly countedAt: string;
  /** There are more than 2,000,000 tasks in this time: the figures are the least there is. */
  readonly incomplete: boolean;
  /** At most 10,000 are counted. */
  readonly overdue: number;
  /** Counting ended at `overdue`: there are more. */
  readonly overdueAtLeast: boolean;
  readonly oldestOverdueMs: number | null;
  readonly nextDueAt: string | null;
  readonly buckets: readonly {
    readonly at: string;
    /** Tasks that there are already. */
    readonly due: number;
    /**
     * About as many more will be made by schedules that are active: by each instant, as if no run took longer than to
     * the next one.
     */
    readonly fromSchedules: number;
  }[];
  /**
   * Not all that schedules will make was counted: 200 schedules are looked at, 2,000 instants of each, and 10,000 in
   * all.
   */
  readonly schedulesCut: boolean;
  /** Most first; at most ten. */
  readonly types: readonly {
    readonly type: string;
    readonly due: number;
  }[];
  readonly otherTypes: number;
  readonly capacity: {
    /** Tasks that the cluster can start in a second; null also for keys without the right `cluster`. */
    readonly perSecond: number | null;
    /** The best minute of the last day reached it; false: it is a guess from places and durations. */
    readonly measured: boolean;
  };
  /**
   * The first bucket with more than can be started in it, and the type with most of it; for keys with the right
   * `cluster`.
   */
  readonly over: {
    readonly at: string;
    readonly due: number;
    readonly capacity: number;
    readonly lateMs: number;
    readonly type: string;
    readonly typeDue: number;
  } | null;
}

export interface ApiKeyInput {
  /** What it is called in its namespace. */
  readonly name: string;
  /**
   * What it may do: an `operator` may what a `viewer` may, an `admin` what an `operator` may. A `worker` may claim
   * tasks of its `types`, and nothing else.
   */
  readonly role: "viewer" | "operator" | "admin" | "worker";
  /** Whether it may make cluster-wide calls; only who may gives that, and a `worker` has it never. Default: `false`. */
  readonly cluster?: boolean | undefined;
  /**
   * What it gets besides its role. `payload`: it is shown payloads, results and checkpoints; without it their shape.
   * Administrators need none, and a `worker` has none. Default: nothing.
   */
  readonly rights?: readonly ("payload")[] | undefined;
  /**
   * For a `worker`, which needs them, and for no other role: 1 to 100 types whose tasks it may claim. One that ends
   * with `*` stands for all that begin so.
   */
  readonly types?: readonly string[] | undefined;
  /** When it ends, in the future and within 100 years. Default: it works until it is revoked. */
  readonly expiresAt?: string | undefined;
}

export interface NewApiKey {
  /** The key itself. Only this answer has it: what is stored is its hash. */
  readonly key: string;
  readonly apiKey: ApiKey;
}

export interface ApiKeyPage {
  readonly items: readonly ApiKey[];
  readonly nextCursor: string | null;
}

export interface ApiKey {
  readonly id: string;
  /** What it is called in its namespace; null: it is a first key. */
  readonly name: string | null;
  /** How it begins; null: nobody knows, it is a first key. */
  readonly prefix: string | null;
  readonly role: "viewer" | "operator" | "admin" | "worker";
  /** Whether it has the right `cluster`. */
  readonly cluster: boolean;
  /**
   * What it has besides its role. `payload`: payloads, results and checkpoints as they are, which administrators see
   * anyway.
   */
  readonly rights: readonly ("payload")[];
  /**
   * For a `worker`: the types whose tasks it may claim; one that ends with `*` stands for all that begin so. Null: it
   * is no worker.
   */
  readonly types: readonly string[] | null;
  /** Nodes know within 5 s that a key is over. */
  readonly state: "works" | "ended" | "revoked";
  /** When it ends, or has ended; null: it works until it is revoked. */
  readonly expiresAt: string | null;
  readonly createdAt: string;
  /** `key:<id>`, `user:<name>`, `application`; `system`: it is a first key. */
  readonly createdBy: string;
  readonly revokedAt: string | null;
  readonly revokedBy: string | null;
  /** The key that a rotation has made in its place; null: none. */
  readonly replacedBy: string | null;
  /** When it was used last, to within two minutes; null: never. */
  readonly usedAt: string | null;
  /** The address from which it was. */
  readonly usedFrom: string | null;
  /** Requests a second with it and its sessions on the node that answers, over the last minute. */
  readonly perSecondHere: number;
}

export interface ApiKeyChangesInput {
  /** What it is called from now on. Default: as it is. */
  readonly name?: string | undefined;
  /** When it ends, in the future and within 100 years. Null: it works until it is revoked. Default: as it is. */
  readonly expiresAt?: string | null | undefined;
  /** For a `worker` alone: the types whose tasks it may claim. Default: as they are. */
  readonly types?: readonly string[] | undefined;
}

export interface RotateApiKeyInput {
  /** For so long the old key works beside the new one, 0 to 30 days. Default: `"24h"`. */
  readonly overlap?: number | string | undefined;
  /** What the new one may do. Default: what the old one may. */
  readonly role?: "viewer" | "operator" | "admin" | "worker" | undefined;
  /** Whether the new one may make cluster-wide calls. Default: as the old one. */
  readonly cluster?: boolean | undefined;
  /** What the new one gets besides its role. Default: what the old one has. */
  readonly rights?: readonly ("payload")[] | undefined;
  /** For a `worker`: the types whose tasks the new one may claim. Default: those of the old one. */
  readonly types?: readonly string[] | undefined;
  /** When the new one ends, in the future and within 100 years. Default: it works until it is revoked. */
  readonly expiresAt?: string | undefined;
}

export interface RevokeApiKeyInput {
  /** Why, for the audit. Default: none is told. */
  readonly reason?: string | undefined;
  /** Whether it may be the key that the call comes with. Default: `false`. */
  readonly self?: boolean | undefined;
}

export interface PageSessionPage {
  readonly items: readonly PageSession[];
  readonly nextCursor: string | null;
}

export interface PageSession {
  readonly id: string;
  /** The key that has logged in: whose rights it has. */
  readonly apiKey: string;
  /** What the key is called; null: it is a first key. */
  readonly keyName: string | null;
  /** How the key begins; null: nobody knows, it is a first key. */
  readonly keyPrefix: string | null;
  readonly role: "viewer" | "operator" | "admin" | "worker";
  /** When it logged in. */
  readonly createdAt: string;
  /** When it was used last, to within two minutes. */
  readonly usedAt: string;
  /** It is over then; earlier after an hour without a call, or with its key. */
  readonly endsAt: string;
  /** Whether the call comes with it. */
  readonly isOwn: boolean;
}

export interface LogInInput {
  /** An API key. */
  readonly key: string;
}

export interface Session {
  /** Null: it is the application's own log-in, and no session of the page. */
  readonly id: string | null;
  /** For the header `X-CSRF-Token` of every call but GET and HEAD. */
  readonly csrfToken: string;
  readonly role: "viewer" | "operator" | "admin";
  readonly namespace: string;
  /** Whether its key has the right `cluster`. */
  readonly cluster: boolean;
  readonly rights: readonly ("payload")[];
  /** Null: in the application's own log-in there is no key. */
  readonly keyId: string | null;
  /** Who is logged in by the application's own log-in; null: it is a session of a key. */
  readonly user: string | null;
  /** It is over then; earlier after an hour without a call, or with its key. Null: the application ends it. */
  readonly expiresAt: string | null;
}

export interface Health {
  readonly status: "live" | "ready" | "degraded";
}

/** The wait between attempts. */
export interface BackoffInput {
  /**
   * `fixed`: always `delay`. `exponential`: `initial`, doubled up to `max`. `ladder`: `delays`, one after the other.
   * `alipay` and `rocketmq` are ladders.
   */
  readonly kind: "fixed" | "exponential" | "ladder" | "alipay" | "rocketmq";
  /** For `fixed`: the wait. */
  readonly delay?: number | string | undefined;
  /** For `ladder`: the waits after the first, second … failed attempt; the last one is repeated. */
  readonly delays?: readonly (number | string)[] | undefined;
  /** For `exponential`: the first wait. Default: 1 s. */
  readonly initial?: number | string | undefined;
  /** For `exponential`: the longest wait. Default: 1 h. */
  readonly max?: number | string | undefined;
  /** A share of the wait by which it is longer or shorter by chance. Default: `0.2`. */
  readonly jitter?: number | undefined;
}

/** How a task is delivered, where no handler of a node runs it. */
export interface DeliverInput {
  /**
   * `webhook`: by an HTTP request to `url`. `pull`: consumers fetch it, in whatever language. The others: published to
   * a message broker. Whether it is a webhook, pulled or published is fixed by the type's first task.
   */
  readonly kind: "webhook" | "pull" | "amqp" | "nats" | "kafka" | "redis";
  /** For `webhook`: a public address by https, or one that the node is configured to allow. */
  readonly url?: string | undefined;
  /** For `webhook` and brokers: further headers of the request or message, an object of texts. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * For `webhook`: what the body of a 2xx answer must be, without spaces around it; another one is a failed attempt.
   * Default: any.
   */
  readonly expectBody?: string | undefined;
  /** For brokers: the name of a target in the options of the nodes. It is of this kind. */
  readonly to?: string | undefined;
  /** For brokers: the routing key, subject, topic or stream; one that the target allows. Default: the target's own. */
  readonly subject?: string | undefined;
}

export interface ReducedTask {
  /** UUIDv7, in lower case; the same as long as the task is kept. */
  readonly id: string;
  /** The namespace of the application that owns it. */
  readonly namespace: string;
  /** What is to be done, by the name that its handler has; such as `order.cancel`. */
  readonly type: string;
  /** At most one live task of the type has it, such as an order's number; null: it has none. */
  readonly key: string | null;
  /**
   * Where it stands. `scheduled`: it waits for its time or its next try; `paused`: its countdown stands still;
   * `running`: an attempt is under way. The others are ends, which a retry alone leaves.
   */
  readonly state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
  /**
   * Why it is dead or cancelled, such as `ATTEMPTS`: all of them failed; of `succeeded`: `SKIPPED` where its condition
   * said no, else null.
   */
  readonly reason: "ATTEMPTS" | "CRASHES" | "NON_RETRYABLE" | "PAYLOAD_INVALID" | "RESULT_INVALID" | "REQUESTED" | "REPLACED" | "OVERLAP" | "SCHEDULE_CHANGED" | "DISCARDED" | "SKIPPED" | null;
  /**
   * When it was to run, as asked for; at once: its creation. A resume moves it by the time that the task was paused, if
   * it has not started.
   */
  readonly scheduledAt: string;
  /**
   * When it is due: its scheduled time, or after a failed attempt the next try. For a paused task: as it was at
   * `pausedAt`.
   */
  readonly dueAt: string;
  /** What remains of a paused task's countdown, in milliseconds; null: it is not paused. */
  readonly remainingMs: number | null;
  /** Since when it is paused, or was last changed while it is paused; null: it is not paused. */
  readonly pausedAt: string | null;
  /** For how long it was paused before that, in milliseconds. */
  readonly pausedMs: number;
  /** A task that has not started by then ends `expired`; null: it may start at any time. */
  readonly startDeadlineAt: string | null;
  /** When it was written, by the clock of the database. */
  readonly createdAt: string;
  /** When a node last took it in order to run it; null: none has. */
  readonly claimedAt: string | null;
  /** When its last attempt started; null: none has. */
  readonly startedAt: string | null;
  /** When it ended; null: it has not. */
  readonly finishedAt: string | null;
  /** Milliseconds from the later of due and created to the start; null before the first start. */
  readonly latenessMs: number | null;
  /** The lateness in parts that add up to it, in whole milliseconds; null: not measured. */
  readonly latenessParts: {
    /** Until some node knew of the task. */
    readonly knownMs: number;
    /** In that node's wheel. */
    readonly wheelMs: number;
    /** For a place to run. */
    readonly placeMs: number;
    /** For the claim. */
    readonly claimMs: number;
    /** From the claim's answer to the start. */
    readonly startMs: number;
    /** The time of the start is known to within so much. */
    readonly clockErrorMs: number;
    /** The node that was to start it and did not; null: none is known. */
    readonly takenFrom: {
      /** Its label, `ip:pid`. */
      readonly node: string;
      /** Its last beat; null: it was not silent. */
      readonly silentSince: string | null;
      readonly takenOverAt: string;
    } | null;
  } | null;
  /** The number of its last attempt, from 1; 0: none has started. One that a crash or a snooze ended does not count. */
  readonly attempt: number;
  /** Attempts before it is dead, 1 to 1,000; 3 unless its creator or its type says otherwise. */
  readonly maxAttempts: number;
  /** How many attempts ended with their node; these are no failed attempts. */
  readonly crashCount: number;
  /** 0 first … 9, among tasks that are due together; 5 unless its creator or its type says otherwise. */
  readonly priority: number;
  /** Raised by each change; a change may name the one that it is meant for. */
  readonly version: number;
  /** Raised by each claim; a system that can refuse an older one is safe from a node that comes too late. */
  readonly fence: number;
  /**
   * The fingerprint of `lastError`, 12 hex digits: errors that differ only in numbers, ids, times and the like have the
   * same one; null: there is no error.
   */
  readonly fingerprint: string | null;
  /** The label, `ip:pid`, of the node that runs it, or ran it last. */
  readonly node: string | null;
  /** The task that had the key before this one and had already started when this one took it; null: there is none. */
  readonly continues: string | null;
  /** The latest task that took the key from this one after it had started; null: there is none. */
  readonly continuedBy: string | null;
  /** The batch that it is a member of; null: of none. */
  readonly batchId: string | null;
  /** Its place in a batch that was split into shards; null: it has none. */
  readonly shard: {
    /** 0 to `total` - 1. */
    readonly index: number;
    /** How many there are, 1 to 1,000. */
    readonly total: number;
  } | null;
  /** The version of its payload, as its creator's definition names it; null: it has none. */
  readonly payloadVersion: number | null;
  /**
   * Why a paused task, or one that is due, does not run; null: it runs, has ended, or is not due. `PAUSE`: it is
   * paused; or it is due, and its type, its namespace or its key is. `CONSUMER`: no consumer has fetched it yet.
   * `BREAKER`: the breaker of its type is open, or that of its host has put it off. `LIMIT`: a limit of its type or its
   * namespace lets no more start just now.
   */
  readonly waitingFor: "HANDLER" | "CONSUMER" | "CAPACITY" | "BREAKER" | "PAUSE" | "LIMIT" | null;
}

export interface Claim {
  /** Names this attempt in the calls about it: 64 characters that need no escape in an address. */
  readonly token: string;
  /** Until then the task is the consumer's, by the clock of the database. */
  readonly leaseUntil: string;
  readonly task: {
    /** UUIDv7; the same for every attempt, so an effect can be made once by it. */
    readonly id: string;
    readonly type: string;
    /** Null: it has none. */
    readonly key: string | null;
    /** Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit. */
    readonly payload: Json;
    /** When it was to run, as asked for. */
    readonly scheduledAt: string;
    /** When it was due: its scheduled time, or after a failed attempt the next try. */
    readonly dueAt: string;
    readonly createdAt: string;
    /** From 1. */
    readonly attempt: number;
    /** Attempts before it is dead. */
    readonly maxAttempts: number;
    /** Raised by each claim; a system that can refuse an older one is safe from a consumer that comes too late. */
    readonly fence: number;
    /** The batch that it is a member of; null: of none. */
    readonly batchId: string | null;
  };
}

/**
 * Which tasks are meant: each field must hold, and of a list one value, but for `tag`. For `q`, all of the line must
 * hold besides. A value may stand alone for a list.
 */
export interface OperationFilter {
  /**
   * Tasks in one of these states. `overdue`: scheduled, and its next try is due. `failing`: scheduled again after an
   * attempt that failed. `waiting`: scheduled or paused. `ended`: succeeded, dead, cancelled or expired.
   */
  readonly state?: readonly ("scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired" | "overdue" | "failing" | "waiting" | "ended")[];
  /** Tasks of one of these types. One that ends with `*` stands for all that begin so. */
  readonly type?: readonly string[];
  /** Tasks with this key; case counts. */
  readonly key?: string;
  /** Tasks with a key that begins so; it needs one whole `type`. */
  readonly keyPrefix?: string;
  /** True: tasks that hold their key, and those without a key that have not ended. False: all others. */
  readonly live?: boolean;
  /**
   * Tasks with all of these tags. Up to 10,000 tasks of a tag are found by an index of tags; of more a page may be
   * `incomplete`.
   */
  readonly tag?: readonly string[];
  /** Tasks with these ids. */
  readonly id?: readonly string[];
  /** Members of the batch with this id, or of this name. */
  readonly batch?: string;
  /** Tasks that are or were runs of the schedule with this name, as long as its runs are kept. */
  readonly schedule?: string;
  /** Tasks that the operation with this id has changed, as long as it remembers them: 24 hours. */
  readonly operation?: string;
  /** For an `operation`: tasks of which one of these became; of `CHANGED` ones no undo has looked at. */
  readonly outcome?: readonly ("CHANGED" | "UNDONE" | "WITHOUT_RESULT" | "DUE_MEANWHILE" | "KEY_TAKEN" | "STARTED" | "HAS_RUN" | "TOUCHED" | "GONE" | "LOCKED")[];
  /**
   * Tasks that were created then or later. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC) such
   * as `06:00`, or `24h`: so long ago.
   */
  readonly createdFrom?: string;
  /**
   * Tasks that were created before then. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC) such as
   * `06:00`, or `24h`: so long ago.
   */
  readonly createdTo?: string;
  /**
   * Tasks that were scheduled for then or later. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC)
   * such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago.
   */
  readonly scheduledFrom?: string;
  /**
   * Tasks that were scheduled for before then. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC)
   * such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago.
   */
  readonly scheduledTo?: string;
  /**
   * Tasks whose next try is due then or later. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC)
   * such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago.
   */
  readonly dueFrom?: string;
  /**
   * Tasks whose next try is due before then. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC)
   * such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago.
   */
  readonly dueTo?: string;
  /**
   * Tasks whose last attempt started then or later. An ISO 8601 instant, a day such as `2026-11-24`, a time of today
   * (UTC) such as `06:00`, or `24h`: so long ago.
   */
  readonly startedFrom?: string;
  /**
   * Tasks whose last attempt started before then. An ISO 8601 instant, a day such as `2026-11-24`, a time of today
   * (UTC) such as `06:00`, or `24h`: so long ago.
   */
  readonly startedTo?: string;
  /**
   * Tasks that ended then or later. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC) such as
   * `06:00`, or `24h`: so long ago.
   */
  readonly finishedFrom?: string;
  /**
   * Tasks that ended before then. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC) such as
   * `06:00`, or `24h`: so long ago.
   */
  readonly finishedTo?: string;
  /** Tasks with this priority or more. */
  readonly priorityFrom?: number;
  /** Tasks with this priority or less. */
  readonly priorityTo?: number;
  /** Tasks with this count of attempts or more. */
  readonly attemptFrom?: number;
  /** Tasks with this count of attempts or less. */
  readonly attemptTo?: number;
  /** Tasks that the node with this label runs, or ran last. */
  readonly node?: string;
  /** Tasks whose last error contains this text, in upper or lower case. */
  readonly error?: string;
  /**
   * Tasks whose last error has one of these fingerprints: they failed for the same cause. Dead ones are found by an
   * index.
   */
  readonly fingerprint?: readonly string[];
  /** Tasks that ended for one of these reasons. */
  readonly reason?: readonly ("ATTEMPTS" | "CRASHES" | "NON_RETRYABLE" | "PAYLOAD_INVALID" | "RESULT_INVALID" | "REQUESTED" | "REPLACED" | "OVERLAP" | "SCHEDULE_CHANGED" | "DISCARDED" | "SKIPPED")[];
  /**
   * Tasks that one of these has created: `application`, `key:` and an API key's id, an API key's name, or `task:` and a
   * task's id.
   */
  readonly createdBy?: readonly string[];
  readonly not?: {
    /** Leaves out tasks of one of these types. One that ends with `*` stands for all that begin so. */
    readonly type?: readonly string[];
    /**
     * Leaves out tasks with any of these tags. Up to 10,000 tasks of a tag are found by an index of tags; of more a
     * page may be `incomplete`.
     */
    readonly tag?: readonly string[];
    /** Leaves out tasks that the node with this label runs, or ran last. */
    readonly node?: string;
    /** Leaves out tasks whose last error contains this text, in upper or lower case. */
    readonly error?: string;
    /** Leaves out tasks that ended for one of these reasons. */
    readonly reason?: readonly ("ATTEMPTS" | "CRASHES" | "NON_RETRYABLE" | "PAYLOAD_INVALID" | "RESULT_INVALID" | "REQUESTED" | "REPLACED" | "OVERLAP" | "SCHEDULE_CHANGED" | "DISCARDED" | "SKIPPED")[];
    /**
     * Leaves out tasks that one of these has created: `application`, `key:` and an API key's id, an API key's name, or
     * `task:` and a task's id.
     */
    readonly createdBy?: readonly string[];
  };
  /**
   * The filter as a line, such as `state:dead type:mail.* -tag:vip created:<24h`; what stands beside it must hold, too.
   */
  readonly q?: string;
  /**
   * True: all tasks of the namespace may be meant. Without it the filter names one of `type`, `id`, `batch`,
   * `schedule`, `operation`, `fingerprint`, `key`.
   */
  readonly all?: boolean;
}

/** Between which instants due times are spread. */
export interface SpreadInput {
  /** The first instant. */
  readonly from: string;
  /** The instant behind the last one. */
  readonly to: string;
}

export interface DeadGroup {
  readonly type: string;
  /**
   * The fingerprint of the errors; the filter `fingerprint` finds their tasks. Null: the type has too many causes, and
   * these are the ones without a group, together.
   */
  readonly fingerprint: string | null;
  /** What their errors say, without what differs from case to case; empty without a fingerprint. */
  readonly title: string;
  /** The function of the application that threw them; empty: unknown. */
  readonly place: string;
  /** Dead tasks; a second or two old. */
  readonly count: number;
  /** Since the group was empty last. */
  readonly firstAt: string;
  readonly lastAt: string;
  /** When somebody said last that he has looked at it. Null: nobody has since the group was empty last. */
  readonly seenAt: string | null;
  /** Why the last of them was given up. */
  readonly reason: "ATTEMPTS" | "CRASHES" | "NON_RETRYABLE" | "PAYLOAD_INVALID" | "RESULT_INVALID";
  /** Deaths in each of the last 168 hours, the present one last. */
  readonly hours: readonly number[];
  /** The last of them. Null: it is dead no more. */
  readonly sample: {
    readonly id: string;
    readonly key: string | null;
    /** When it died. */
    readonly finishedAt: string;
    readonly lastError: string | null;
    readonly attempt: number;
    readonly maxAttempts: number;
    /** The label of the node that ran it last; null: unknown. */
    readonly node: string | null;
  } | null;
}

/** How often tasks may start in the whole cluster. */
export interface RateInput {
  /** How many may start in `per`. */
  readonly count: number;
  /** In which time, at most a day. `count` and `per` come to 0.001 to 100,000 a second. */
  readonly per: number | string;
  /** How many may start at once after a rest. Default: as many as may start in a second, at least 1. */
  readonly burst?: number | undefined;
}

/** The query of `find`: lists tasks, newest first, or those of a tab in its order. */
export interface FindQuery {
  /**
   * Only this tab's tasks, in its order; none: all, newest first. `overdue`: longest overdue first. `running`: longest
   * running first. `scheduled`: not due yet, next first. `paused`: the one that was created first, first. `failing`:
   * scheduled again after an attempt that failed, next try first. `dead`: newest death first. `finished`: newest day
   * (UTC) of the end first, within a day the one that was created last, first.
   */
  readonly tab?: "overdue" | "running" | "scheduled" | "paused" | "failing" | "dead" | "finished" | undefined;
  /**
   * Tasks in one of these states. `overdue`: scheduled, and its next try is due. `failing`: scheduled again after an
   * attempt that failed. `waiting`: scheduled or paused. `ended`: succeeded, dead, cancelled or expired.
   */
  readonly state?: readonly ("scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired" | "overdue" | "failing" | "waiting" | "ended")[] | undefined;
  /** Tasks of one of these types. One that ends with `*` stands for all that begin so. */
  readonly type?: readonly string[] | undefined;
  /** Tasks with this key; case counts. */
  readonly key?: string | undefined;
  /** Tasks with a key that begins so; it needs one whole `type`. */
  readonly keyPrefix?: string | undefined;
  /** True: tasks that hold their key, and those without a key that have not ended. False: all others. */
  readonly live?: boolean | undefined;
  /**
   * Tasks with all of these tags. Up to 10,000 tasks of a tag are found by an index of tags; of more a page may be
   * `incomplete`.
   */
  readonly tag?: readonly string[] | undefined;
  /** Tasks with these ids. */
  readonly id?: readonly string[] | undefined;
  /** Members of the batch with this id, or of this name. */
  readonly batch?: string | undefined;
  /** Tasks that are or were runs of the schedule with this name, as long as its runs are kept. */
  readonly schedule?: string | undefined;
  /** Tasks that the operation with this id has changed, as long as it remembers them: 24 hours. */
  readonly operation?: string | undefined;
  /** For an `operation`: tasks of which one of these became; of `CHANGED` ones no undo has looked at. */
  readonly outcome?: readonly ("CHANGED" | "UNDONE" | "WITHOUT_RESULT" | "DUE_MEANWHILE" | "KEY_TAKEN" | "STARTED" | "HAS_RUN" | "TOUCHED" | "GONE" | "LOCKED")[] | undefined;
  /**
   * Tasks that were created then or later. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC) such
   * as `06:00`, or `24h`: so long ago.
   */
  readonly createdFrom?: string | undefined;
  /**
   * Tasks that were created before then. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC) such as
   * `06:00`, or `24h`: so long ago.
   */
  readonly createdTo?: string | undefined;
  /**
   * Tasks that were scheduled for then or later. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC)
   * such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago.
   */
  readonly scheduledFrom?: string | undefined;
  /**
   * Tasks that were scheduled for before then. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC)
   * such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago.
   */
  readonly scheduledTo?: string | undefined;
  /**
   * Tasks whose next try is due then or later. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC)
   * such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago.
   */
  readonly dueFrom?: string | undefined;
  /**
   * Tasks whose next try is due before then. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC)
   * such as `06:00`, or `2h`: so far ahead; `-2h`: so long ago.
   */
  readonly dueTo?: string | undefined;
  /**
   * Tasks whose last attempt started then or later. An ISO 8601 instant, a day such as `2026-11-24`, a time of today
   * (UTC) such as `06:00`, or `24h`: so long ago.
   */
  readonly startedFrom?: string | undefined;
  /**
   * Tasks whose last attempt started before then. An ISO 8601 instant, a day such as `2026-11-24`, a time of today
   * (UTC) such as `06:00`, or `24h`: so long ago.
   */
  readonly startedTo?: string | undefined;
  /**
   * Tasks that ended then or later. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC) such as
   * `06:00`, or `24h`: so long ago.
   */
  readonly finishedFrom?: string | undefined;
  /**
   * Tasks that ended before then. An ISO 8601 instant, a day such as `2026-11-24`, a time of today (UTC) such as
   * `06:00`, or `24h`: so long ago.
   */
  readonly finishedTo?: string | undefined;
  /** Tasks with this priority or more. */
  readonly priorityFrom?: number | undefined;
  /** Tasks with this priority or less. */
  readonly priorityTo?: number | undefined;
  /** Tasks with this count of attempts or more. */
  readonly attemptFrom?: number | undefined;
  /** Tasks with this count of attempts or less. */
  readonly attemptTo?: number | undefined;
  /** Tasks that the node with this label runs, or ran last. */
  readonly node?: string | undefined;
  /** Tasks whose last error contains this text, in upper or lower case. */
  readonly error?: string | undefined;
  /**
   * Tasks whose last error has one of these fingerprints: they failed for the same cause. Dead ones are found by an
   * index.
   */
  readonly fingerprint?: readonly string[] | undefined;
  /** Tasks that ended for one of these reasons. */
  readonly reason?: readonly ("ATTEMPTS" | "CRASHES" | "NON_RETRYABLE" | "PAYLOAD_INVALID" | "RESULT_INVALID" | "REQUESTED" | "REPLACED" | "OVERLAP" | "SCHEDULE_CHANGED" | "DISCARDED" | "SKIPPED")[] | undefined;
  /**
   * Tasks that one of these has created: `application`, `key:` and an API key's id, an API key's name, or `task:` and a
   * task's id.
   */
  readonly createdBy?: readonly string[] | undefined;
  /** Leaves out tasks of one of these types. One that ends with `*` stands for all that begin so. */
  readonly "not.type"?: readonly string[] | undefined;
  /**
   * Leaves out tasks with any of these tags. Up to 10,000 tasks of a tag are found by an index of tags; of more a page
   * may be `incomplete`.
   */
  readonly "not.tag"?: readonly string[] | undefined;
  /** Leaves out tasks that the node with this label runs, or ran last. */
  readonly "not.node"?: string | undefined;
  /** Leaves out tasks whose last error contains this text, in upper or lower case. */
  readonly "not.error"?: string | undefined;
  /** Leaves out tasks that ended for one of these reasons. */
  readonly "not.reason"?: readonly ("ATTEMPTS" | "CRASHES" | "NON_RETRYABLE" | "PAYLOAD_INVALID" | "RESULT_INVALID" | "REQUESTED" | "REPLACED" | "OVERLAP" | "SCHEDULE_CHANGED" | "DISCARDED" | "SKIPPED")[] | undefined;
  /**
   * Leaves out tasks that one of these has created: `application`, `key:` and an API key's id, an API key's name, or
   * `task:` and a task's id.
   */
  readonly "not.createdBy"?: readonly string[] | undefined;
  /**
   * The filter as a line, such as `state:dead type:mail.* -tag:vip created:<24h`; what stands beside it must hold, too.
   */
  readonly q?: string | undefined;
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `journal`: lists a task's transitions, oldest first. */
export interface JournalQuery {
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `schedules`: lists schedules by name. */
export interface SchedulesQuery {
  /** Schedules in this state. Without a `type`, a page of active ones may be `incomplete`. */
  readonly state?: "active" | "paused" | "finished" | undefined;
  /** Schedules whose tasks are of this type. */
  readonly type?: string | undefined;
  /** Schedules with a name that begins so; case counts. */
  readonly namePrefix?: string | undefined;
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `scheduleRuns`: lists a schedule's last runs and skipped instants, the newest first. */
export interface ScheduleRunsQuery {
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `previewSchedule`: tells a schedule's next instants, with what changes of the clock do to them. */
export interface PreviewScheduleQuery {
  /** How many instants. Default: `10`. */
  readonly count?: number | undefined;
  /** From when on; default: now. */
  readonly from?: string | undefined;
}

/** The query of `batches`: lists batches, the newest first. */
export interface BatchesQuery {
  /** Batches in one of these states. */
  readonly state?: readonly ("filling" | "open" | "complete" | "cancelled")[] | undefined;
  /** Batches with a name that begins so. */
  readonly namePrefix?: string | undefined;
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `members`: lists a batch's members, live and finished, the oldest first. */
export interface MembersQuery {
  /** Members in one of these states. */
  readonly state?: readonly ("scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired")[] | undefined;
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `operations`: lists operations, the newest first. */
export interface OperationsQuery {
  /** Operations in one of these states. */
  readonly state?: readonly ("running" | "done" | "stopped" | "undoing" | "undone")[] | undefined;
  /** Operations that do one of these. */
  readonly action?: readonly ("cancel" | "retry" | "restore" | "reschedule" | "run_now" | "pause" | "resume" | "discard" | "add_tag" | "remove_tag")[] | undefined;
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `operationTasks`: lists the tasks that an operation has changed, as long as it remembers them. */
export interface OperationTasksQuery {
  /** Tasks of which one of these became. */
  readonly outcome?: readonly ("CHANGED" | "UNDONE" | "WITHOUT_RESULT" | "DUE_MEANWHILE" | "KEY_TAKEN" | "STARTED" | "HAS_RUN" | "TOUCHED" | "GONE" | "LOCKED")[] | undefined;
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `deadLetters`: lists causes of dead tasks, those with the most tasks first. */
export interface DeadLettersQuery {
  /** Groups of this type. */
  readonly type?: string | undefined;
  /** Groups of which the last task was given up for one of these. */
  readonly reason?: readonly ("ATTEMPTS" | "CRASHES" | "NON_RETRYABLE" | "PAYLOAD_INVALID" | "RESULT_INVALID")[] | undefined;
  /** Groups whose title or place contains this, whatever the case. */
  readonly error?: string | undefined;
  /** Groups of which a task died at this instant or later. */
  readonly since?: string | undefined;
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `pauses`: lists what is paused in the namespace: itself, types and keys. */
export interface PausesQuery {
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `events`: tells what has happened to the cluster within a week, newest first. */
export interface EventsQuery {
  /** Events of these kinds. */
  readonly kind?: readonly ("JOINED" | "TERM" | "VIEW" | "TAKEOVER" | "SUSPECT" | "RECOVERED" | "DEAD" | "REAPED" | "DRAINING" | "DRAINED" | "LEFT" | "SETTINGS_CHANGED" | "BREAKER_OPENED" | "BREAKER_CLOSED")[] | undefined;
  /** One node's events: by its boot id, or all incarnations by its label. */
  readonly node?: string | undefined;
  /** At this instant or later. */
  readonly from?: string | undefined;
  /** Before this instant. */
  readonly to?: string | undefined;
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `types`: lists the types with their figures, those in need first. */
export interface TypesQuery {
  /** One type alone. */
  readonly type?: string | undefined;
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `history`: tells what happened, in buckets of one length. */
export interface HistoryQuery {
  /** An hour by minute, a day by ten minutes, a week by hour. Default: `"1h"`. */
  readonly range?: "1h" | "24h" | "7d" | undefined;
  /** One type alone. */
  readonly type?: string | undefined;
}

/** The query of `forecast`: tells what is to come, against what the cluster can start. */
export interface ForecastQuery {
  /** A minute by second, an hour by minute, a day by hour, 30 days. Default: `"1h"`. */
  readonly ahead?: "1m" | "1h" | "24h" | "30d" | undefined;
  /** One type alone. */
  readonly type?: string | undefined;
}

/** The query of `stream`: tells what changes, once a second, for as long as the connection is open. */
export interface StreamQuery {
  /** Separated by commas. Those of the cluster need the right `cluster`. */
  readonly topics: readonly ("cluster" | "cluster-wheel" | "stats" | "tabs" | "types" | "wheel" | "findings" | "history" | "operations")[];
}

/** The query of `apiKeys`: lists the API keys of the namespace, the newest first; revoked ones for 400 days. */
export interface ApiKeysQuery {
  /** Keys in one of these states. */
  readonly state?: readonly ("works" | "ended" | "revoked")[] | undefined;
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** The query of `sessions`: lists the live sessions of the namespace's keys, the newest first. */
export interface SessionsQuery {
  /** How many the page holds at most. Default: `50`. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before; none: the first page. */
  readonly cursor?: string | undefined;
}

/** Schedules, shows, moves, cancels and repeats the tasks of the key's namespace. */
export interface TasksCalls {
  /** Tells how many tasks each tab of the list has, at most ten seconds old. */
  counts(options?: CallOptions): Promise<TabCounts>;
  /** Schedules a task. */
  create(input: TaskInput, options?: CallOptions & OnceOption & WaitOption): Promise<Task>;
  /** Schedules many tasks; one bad item does not stop the rest. */
  createMany(input: BulkInput, options?: CallOptions & OnceOption): Promise<BulkResult>;
  /** Cancels the live task of a key. */
  cancelByKey(input: TaskKeyInput, options?: CallOptions): Promise<CancelResult>;
  /** Pauses the live task of a key. */
  pauseByKey(input: TaskKeyInput, options?: CallOptions): Promise<Task>;
  /** Resumes the paused task of a key. */
  resumeByKey(input: TaskKeyInput, options?: CallOptions): Promise<Task>;
  /** Cancels tasks by their ids, and says of each what became of it. */
  cancelMany(input: TaskIdsInput, options?: CallOptions): Promise<CancelManyResult>;
  /** Cancels the live tasks of a tag, at most 1,000, and says of each what became of it. */
  cancelByTag(input: TaskTagInput, options?: CallOptions): Promise<CancelManyResult>;
  /** Schedules finished tasks again by their ids, and says of each what became of it. */
  retryMany(input: TaskIdsInput, options?: CallOptions): Promise<RetryManyResult>;
  /** Lists tasks, newest first, or those of a tab in its order. */
  find(query?: FindQuery, options?: CallOptions): Promise<TaskPage>;
  /** Shows a task. */
  get(id: string, options?: CallOptions & WaitOption): Promise<Task>;
  /** Moves or edits a task that waits. */
  edit(id: string, input: TaskChangesInput, options?: CallOptions & IfMatchOption): Promise<Task>;
  /** Cancels a task; `cancel_requested` when it is running. */
  cancel(id: string, options?: CallOptions): Promise<CancelResult>;
  /** Makes a scheduled task due now. */
  runNow(id: string, options?: CallOptions): Promise<Task>;
  /** Pauses a scheduled task: its countdown stands still until it is resumed. */
  pause(id: string, options?: CallOptions): Promise<Task>;
  /** Resumes a paused task, due after what remained of its countdown. */
  resume(id: string, options?: CallOptions): Promise<Task>;
  /** Schedules a finished task again, due now. */
  retry(id: string, options?: CallOptions): Promise<Task>;
  /** Lists a task's transitions, oldest first. */
  journal(id: string, query?: JournalQuery, options?: CallOptions): Promise<JournalPage>;
}

/** Makes, shows, changes, pauses, triggers and deletes what runs again and again. */
export interface SchedulesCalls {
  /** Makes a schedule. */
  createSchedule(input: ScheduleInput, options?: CallOptions): Promise<Schedule>;
  /** Lists schedules by name. */
  schedules(query?: SchedulesQuery, options?: CallOptions): Promise<SchedulePage>;
  /** Makes a schedule, or gives it another definition; an equal one changes nothing. */
  putSchedule(name: string, input: ScheduleInput, options?: CallOptions & IfMatchOption): Promise<Schedule>;
  /** Shows a schedule. */
  schedule(name: string, options?: CallOptions): Promise<Schedule>;
  /** Deletes a schedule; what has not started is cancelled, what runs goes on. */
  deleteSchedule(name: string, options?: CallOptions): Promise<Schedule>;
  /** Lists a schedule's last runs and skipped instants, the newest first. */
  scheduleRuns(name: string, query?: ScheduleRunsQuery, options?: CallOptions): Promise<ScheduleRunPage>;
  /** Tells a schedule's next instants, with what changes of the clock do to them. */
  previewSchedule(name: string, query?: PreviewScheduleQuery, options?: CallOptions): Promise<SchedulePreview>;
  /** Pauses a schedule; what has not started is taken back. */
  pauseSchedule(name: string, input?: PauseInput, options?: CallOptions): Promise<Schedule>;
  /** Ends a pause. */
  resumeSchedule(name: string, options?: CallOptions): Promise<Schedule>;
  /** Runs a schedule now, outside its rules; with another payload, if one is given. */
  triggerSchedule(name: string, input?: ScheduleTriggerInput, options?: CallOptions): Promise<Task>;
  /** Runs instants of a range that passed without a run, one after the other; or only tells which. */
  backfillSchedule(name: string, input: ScheduleBackfillInput, options?: CallOptions): Promise<ScheduleBackfill>;
  /** Ends the backfill that goes on: what has not started never starts, a run that executes goes on. */
  cancelBackfill(name: string, options?: CallOptions): Promise<Schedule>;
}

/** Makes, fills, seals, shows and cancels tasks that belong together, with what happens when all have ended. */
export interface BatchesCalls {
  /** Makes a batch with its first members, all or nothing. */
  createBatch(input?: BatchInput, options?: CallOptions): Promise<Batch>;
  /** Lists batches, the newest first. */
  batches(query?: BatchesQuery, options?: CallOptions): Promise<BatchPage>;
  /** Shows a batch. */
  batch(id: string, options?: CallOptions): Promise<Batch>;
  /** Adds members to a batch that is filling; one bad item does not stop the rest. */
  addMembers(id: string, input: MembersInput, options?: CallOptions & OnceOption): Promise<AddMembersResult>;
  /** Lists a batch's members, live and finished, the oldest first. */
  members(id: string, query?: MembersQuery, options?: CallOptions): Promise<TaskPage>;
  /** Seals a batch: it takes no members any more, and completes when all have ended. */
  sealBatch(id: string, options?: CallOptions): Promise<Batch>;
  /** Cancels a batch: what has not started is taken back, what runs is asked to stop. */
  cancelBatch(id: string, options?: CallOptions): Promise<Batch>;
}

/**
 * Consumers in any language fetch tasks of types whose delivery is `pull`, each under a lease, and say what became of
 * them.
 */
export interface QueuesCalls {
  /** Fetches due tasks of a type for a consumer, and waits for the first one as long as asked. */
  claim(type: string, input?: ClaimInput, options?: CallOptions): Promise<ClaimPage>;
  /** Extends the lease of a claim; refused once somebody has asked to cancel its task. */
  extend(token: string, input?: ExtendInput, options?: CallOptions): Promise<LeaseExtended>;
  /** Says that a claim's task has succeeded; the same again answers the same. */
  complete(token: string, input?: CompleteInput, options?: CallOptions): Promise<ClaimEnd>;
  /** Says that an attempt has failed: the task is tried again after its backoff, or is dead. */
  fail(token: string, input: FailInput, options?: CallOptions): Promise<ClaimEnd>;
  /** Gives a claim back: its task is due at once, and the attempt does not count. */
  release(token: string, options?: CallOptions): Promise<ClaimEnd>;
  /** Shows who works on tasks of a type, and how many calls wait for them. */
  consumers(type: string, options?: CallOptions): Promise<ConsumerReport>;
  /** Makes a new secret for the tokens of claims; older tokens are good until their leases are over. */
  rotateSecret(options?: CallOptions): Promise<RotatedSecret>;
}

/**
 * Does one thing to all tasks that a filter means: tried dry first, in pages that any node makes, on hold or stopped at
 * any time, and undone for 24 hours. Each call is written to the audit.
 */
export interface OperationsCalls {
  /** Tries an operation dry: how many tasks it would change, which, and what an undo could put back. */
  dryRunOperation(input: OperationInput, options?: CallOptions): Promise<DryRun>;
  /** Starts an operation; it goes on by itself, whichever node dies. */
  startOperation(input: OperationInput, options?: CallOptions & OnceOption): Promise<TaskOperation>;
  /** Lists operations, the newest first. */
  operations(query?: OperationsQuery, options?: CallOptions): Promise<OperationPage>;
  /** Shows an operation, and what its undo would reach now. */
  operation(id: string, options?: CallOptions): Promise<OperationDetails>;
  /** Lists the tasks that an operation has changed, as long as it remembers them. */
  operationTasks(id: string, query?: OperationTasksQuery, options?: CallOptions): Promise<ChangedTaskPage>;
  /** Holds an operation or its undo: no task is changed after the answer, until it is resumed. */
  holdOperation(id: string, input?: OperationReasonInput, options?: CallOptions): Promise<TaskOperation>;
  /** Lets an operation on hold go on. */
  resumeOperation(id: string, input?: OperationReasonInput, options?: CallOptions): Promise<TaskOperation>;
  /** Stops an operation for good; what it has changed stays, and can be undone. */
  stopOperation(id: string, input?: OperationReasonInput, options?: CallOptions): Promise<TaskOperation>;
  /** Puts back what an operation has changed and nobody has touched since. */
  undoOperation(id: string, input?: UndoInput, options?: CallOptions): Promise<TaskOperation>;
  /** Does the same again to the tasks that an operation has changed, or, once it is undone, to those put back. */
  repeatOperation(id: string, input?: OperationReasonInput, options?: CallOptions & OnceOption): Promise<TaskOperation>;
}

/**
 * Dead tasks by cause: those of a type whose errors say the same but for numbers, ids and times, and come from the same
 * function. What is to be done about a group is an operation with the filter `{ type, state: dead, fingerprint }`.
 */
export interface DeadLettersCalls {
  /** Lists causes of dead tasks, those with the most tasks first. */
  deadLetters(query?: DeadLettersQuery, options?: CallOptions): Promise<DeadGroupPage>;
  /** Shows a cause: where its tasks died, who fails for it now, and its newest tasks. */
  deadLetter(type: string, fingerprint: string, options?: CallOptions): Promise<DeadGroupDetails>;
  /** Says that somebody has looked at a cause: it is no finding until a further task dies of it. */
  seeDeadGroup(type: string, fingerprint: string, options?: CallOptions): Promise<DeadGroupDetails>;
}

/**
 * Pauses types, keys and the namespace, and sets how many tasks of a type or of the namespace run, and how often they
 * start. A change is answered when every node obeys it (200); or after 10 s (`settingsAnswerMs`), with the nodes that
 * do not yet (202): it is made all the same.
 */
export interface SettingsCalls {
  /** Pauses a type: none of its tasks starts, what runs goes on. */
  pauseType(type: string, input?: PauseInput, options?: CallOptions): Promise<TypeChange>;
  /** Ends the pause of a type; what became due meanwhile starts, the oldest first. */
  resumeType(type: string, options?: CallOptions): Promise<TypeChange>;
  /**
   * Sets how many tasks of a type run at once and how often they start, and how long those that have ended are kept.
   */
  updateType(type: string, input: TypeChangesInput, options?: CallOptions): Promise<TypeChange>;
  /** Closes the breaker of a type: its tasks start again on all nodes. */
  closeBreaker(type: string, options?: CallOptions): Promise<TypeDetails>;
  /** Pauses a key of a type, also for tasks that get it later. */
  pauseKey(input: KeyPauseInput, options?: CallOptions): Promise<PauseChange>;
  /** Ends the pause of a key. */
  resumeKey(input: TaskKeyInput, options?: CallOptions): Promise<PauseChange>;
  /** Pauses all types of the namespace, those too that are made later. */
  pauseNamespace(input?: PauseInput, options?: CallOptions): Promise<PauseChange>;
  /** Ends the pause of the namespace; types and keys that are paused by themselves stay so. */
  resumeNamespace(options?: CallOptions): Promise<PauseChange>;
  /** Sets how many tasks of the namespace run at once in the whole cluster, and how often they start. */
  updateNamespace(input: NamespaceChangesInput, options?: CallOptions): Promise<NamespaceChange>;
  /** Shows the limits of the namespace, how full they are, and its pause. */
  namespace(options?: CallOptions): Promise<NamespaceDetails>;
  /** Lists what is paused in the namespace: itself, types and keys. */
  pauses(query?: PausesQuery, options?: CallOptions): Promise<PausePage>;
}

/** Shows the nodes, and the figures of the key's namespace. */
export interface ClusterCalls {
  /** Shows nodes, leader and view. */
  cluster(options?: CallOptions): Promise<Cluster>;
  /** Tells what has happened to the cluster within a week, newest first. */
  events(query?: EventsQuery, options?: CallOptions): Promise<ClusterEventPage>;
  /** Tells what is due within a minute, by second, and each node's share of it. */
  wheel(options?: CallOptions): Promise<ClusterWheel>;
  /** Counts tasks and shows lateness. */
  stats(options?: CallOptions): Promise<Stats>;
  /** Tells what is the matter now, and what was within the last day. */
  findings(options?: CallOptions): Promise<FindingReport>;
  /** Lists the types with their figures, those in need first. */
  types(query?: TypesQuery, options?: CallOptions): Promise<TypePage>;
  /** Shows a type: what its payloads must be, as the nodes that run it announce, its settings and its pause. */
  type(type: string, options?: CallOptions): Promise<TypeDetails>;
  /** Tells what happened, in buckets of one length. */
  history(query?: HistoryQuery, options?: CallOptions): Promise<History>;
  /** Tells what is to come, against what the cluster can start. */
  forecast(query?: ForecastQuery, options?: CallOptions): Promise<Forecast>;
  /** Tells what changes, once a second, for as long as the connection is open. */
  stream(query: StreamQuery, options?: CallOptions): Promise<Response>;
}

/**
 * Makes, rotates and revokes the API keys of the namespace. Nobody gives a role or a right that he has not. A key is
 * shown once, in the answer that makes it. Each change is written to the audit.
 */
export interface ApiKeysCalls {
  /** Makes an API key, and shows it this once. */
  createApiKey(input: ApiKeyInput, options?: CallOptions): Promise<NewApiKey>;
  /** Lists the API keys of the namespace, the newest first; revoked ones for 400 days. */
  apiKeys(query?: ApiKeysQuery, options?: CallOptions): Promise<ApiKeyPage>;
  /** Shows the API key that the call, or its session, comes with. */
  ownApiKey(options?: CallOptions): Promise<ApiKey>;
  /** Shows an API key. */
  apiKey(id: string, options?: CallOptions): Promise<ApiKey>;
  /** Changes name or end of an API key, and the types of a worker's; role and rights never change: rotate it. */
  updateApiKey(id: string, input?: ApiKeyChangesInput, options?: CallOptions): Promise<ApiKey>;
  /** Makes a key of the same name in place of an API key, which goes on for a while, and shows it this once. */
  rotateApiKey(id: string, input?: RotateApiKeyInput, options?: CallOptions): Promise<NewApiKey>;
  /** Revokes an API key and its sessions, within 5 s on all nodes; one that is revoked stays so. */
  revokeApiKey(id: string, input?: RevokeApiKeyInput, options?: CallOptions): Promise<ApiKey>;
}

/** Shows and ends the sessions of the page that keys of the namespace have begun. */
export interface SessionsCalls {
  /** Lists the live sessions of the namespace's keys, the newest first. */
  sessions(query?: SessionsQuery, options?: CallOptions): Promise<PageSessionPage>;
  /** Ends a session, within 5 s on all nodes; its key goes on. */
  endSession(id: string, options?: CallOptions): Promise<PageSession>;
}

/** Logs the page in and out: a cookie takes the place of the key. */
export interface SessionCalls {
  /** Logs the page in: answers a session cookie and its CSRF token. */
  logIn(input: LogInInput, options?: CallOptions): Promise<Session>;
  /** Shows the page's session, or who is logged in by the application's own log-in. */
  show(options?: CallOptions): Promise<Session>;
  /** Logs the page out. */
  logOut(options?: CallOptions): Promise<void>;
}

/** Tells load balancers and supervisors how the node is. Needs no key. */
export interface HealthCalls {
  /** Whether the process answers. */
  live(options?: CallOptions): Promise<Health>;
  /** Whether the node takes work: the store answers and it is not draining. */
  ready(options?: CallOptions): Promise<Health>;
}

/** All calls of the API, by what they are about. */
export interface Calls {
  /** Schedules, shows, moves, cancels and repeats the tasks of the key's namespace. */
  readonly tasks: TasksCalls;
  /** Makes, shows, changes, pauses, triggers and deletes what runs again and again. */
  readonly schedules: SchedulesCalls;
  /** Makes, fills, seals, shows and cancels tasks that belong together, with what happens when all have ended. */
  readonly batches: BatchesCalls;
  /**
   * Consumers in any language fetch tasks of types whose delivery is `pull`, each under a lease, and say what became of
   * them.
   */
  readonly queues: QueuesCalls;
  /**
   * Does one thing to all tasks that a filter means: tried dry first, in pages that any node makes, on hold or stopped
   * at any time, and undone for 24 hours. Each call is written to the audit.
   */
  readonly operations: OperationsCalls;
  /**
   * Dead tasks by cause: those of a type whose errors say the same but for numbers, ids and times, and come from the
   * same function. What is to be done about a group is an operation with the filter
   * `{ type, state: dead, fingerprint }`.
   */
  readonly deadLetters: DeadLettersCalls;
  /**
   * Pauses types, keys and the namespace, and sets how many tasks of a type or of the namespace run, and how often they
   * start. A change is answered when every node obeys it (200); or after 10 s (`settingsAnswerMs`), with the nodes that
   * do not yet (202): it is made all the same.
   */
  readonly settings: SettingsCalls;
  /** Shows the nodes, and the figures of the key's namespace. */
  readonly cluster: ClusterCalls;
  /**
   * Makes, rotates and revokes the API keys of the namespace. Nobody gives a role or a right that he has not. A key is
   * shown once, in the answer that makes it. Each change is written to the audit.
   */
  readonly apiKeys: ApiKeysCalls;
  /** Shows and ends the sessions of the page that keys of the namespace have begun. */
  readonly sessions: SessionsCalls;
  /** Logs the page in and out: a cookie takes the place of the key. */
  readonly session: SessionCalls;
  /** Tells load balancers and supervisors how the node is. Needs no key. */
  readonly health: HealthCalls;
}

/** What is sent for each call. */
export const ROWS: Readonly<Record<keyof Calls, Readonly<Record<string, Row>>>> = {
  tasks: {
    counts: {"verb":"GET","path":"/v1/tasks/counts","repeat":"reads"},
    create: {"verb":"POST","path":"/v1/tasks","repeat":"keyed","given":"body","isOnce":true},
    createMany: {"verb":"POST","path":"/v1/tasks/bulk","repeat":"keyed","given":"body","isOnce":true},
    cancelByKey: {"verb":"POST","path":"/v1/tasks/cancel","repeat":"same","given":"body"},
    pauseByKey: {"verb":"POST","path":"/v1/tasks/pause","repeat":"same","given":"body"},
    resumeByKey: {"verb":"POST","path":"/v1/tasks/resume","repeat":"same","given":"body"},
    cancelMany: {"verb":"POST","path":"/v1/tasks/bulk/cancel","repeat":"same","given":"body"},
    cancelByTag: {"verb":"POST","path":"/v1/tasks/by-tag/cancel","repeat":"same","given":"body"},
    retryMany: {"verb":"POST","path":"/v1/tasks/bulk/retry","repeat":"refused","given":"body"},
    find: {"verb":"GET","path":"/v1/tasks","repeat":"reads","given":"query","whole":["tag","not.tag"]},
    get: {"verb":"GET","path":"/v1/tasks/:id","repeat":"reads"},
    edit: {"verb":"PATCH","path":"/v1/tasks/:id","repeat":"same","given":"body"},
    cancel: {"verb":"DELETE","path":"/v1/tasks/:id","repeat":"same"},
    runNow: {"verb":"POST","path":"/v1/tasks/:id/run-now","repeat":"same"},
    pause: {"verb":"POST","path":"/v1/tasks/:id/pause","repeat":"same"},
    resume: {"verb":"POST","path":"/v1/tasks/:id/resume","repeat":"same"},
    retry: {"verb":"POST","path":"/v1/tasks/:id/retry","repeat":"refused"},
    journal: {"verb":"GET","path":"/v1/tasks/:id/journal","repeat":"reads","given":"query"},
  },
  schedules: {
    createSchedule: {"verb":"POST","path":"/v1/schedules","repeat":"refused","given":"body"},
    schedules: {"verb":"GET","path":"/v1/schedules","repeat":"reads","given":"query"},
    putSchedule: {"verb":"PUT","path":"/v1/schedules/:name","repeat":"same","given":"body"},
    schedule: {"verb":"GET","path":"/v1/schedules/:name","repeat":"reads"},
    deleteSchedule: {"verb":"DELETE","path":"/v1/schedules/:name","repeat":"same"},
    scheduleRuns: {"verb":"GET","path":"/v1/schedules/:name/runs","repeat":"reads","given":"query"},
    previewSchedule: {"verb":"GET","path":"/v1/schedules/:name/preview","repeat":"reads","given":"query"},
    pauseSchedule: {"verb":"POST","path":"/v1/schedules/:name/pause","repeat":"same","given":"body"},
    resumeSchedule: {"verb":"POST","path":"/v1/schedules/:name/resume","repeat":"same"},
    triggerSchedule: {"verb":"POST","path":"/v1/schedules/:name/trigger","repeat":"refused","given":"body"},
    backfillSchedule: {"verb":"POST","path":"/v1/schedules/:name/backfill","repeat":"refused","given":"body"},
    cancelBackfill: {"verb":"DELETE","path":"/v1/schedules/:name/backfill","repeat":"same"},
  },
  batches: {
    createBatch: {"verb":"POST","path":"/v1/batches","repeat":"refused","given":"body"},
    batches: {"verb":"GET","path":"/v1/batches","repeat":"reads","given":"query"},
    batch: {"verb":"GET","path":"/v1/batches/:id","repeat":"reads"},
    addMembers: {"verb":"POST","path":"/v1/batches/:id/members","repeat":"keyed","given":"body","isOnce":true},
    members: {"verb":"GET","path":"/v1/batches/:id/members","repeat":"reads","given":"query"},
    sealBatch: {"verb":"POST","path":"/v1/batches/:id/seal","repeat":"same"},
    cancelBatch: {"verb":"DELETE","path":"/v1/batches/:id","repeat":"same"},
  },
  queues: {
    claim: {"verb":"POST","path":"/v1/queues/:type/claims","repeat":"refused","given":"body","isPoll":true},
    extend: {"verb":"POST","path":"/v1/claims/:token/extend","repeat":"same","given":"body"},
    complete: {"verb":"POST","path":"/v1/claims/:token/complete","repeat":"same","given":"body"},
    fail: {"verb":"POST","path":"/v1/claims/:token/fail","repeat":"refused","given":"body"},
    release: {"verb":"POST","path":"/v1/claims/:token/release","repeat":"refused"},
    consumers: {"verb":"GET","path":"/v1/types/:type/consumers","repeat":"reads"},
    rotateSecret: {"verb":"POST","path":"/v1/claims/secret/rotate","repeat":"refused"},
  },
  operations: {
    dryRunOperation: {"verb":"POST","path":"/v1/operations/dry-run","repeat":"reads","given":"body"},
    startOperation: {"verb":"POST","path":"/v1/operations","repeat":"keyed","given":"body","isOnce":true},
    operations: {"verb":"GET","path":"/v1/operations","repeat":"reads","given":"query"},
    operation: {"verb":"GET","path":"/v1/operations/:id","repeat":"reads"},
    operationTasks: {"verb":"GET","path":"/v1/operations/:id/tasks","repeat":"reads","given":"query"},
    holdOperation: {"verb":"POST","path":"/v1/operations/:id/hold","repeat":"same","given":"body"},
    resumeOperation: {"verb":"POST","path":"/v1/operations/:id/resume","repeat":"same","given":"body"},
    stopOperation: {"verb":"POST","path":"/v1/operations/:id/stop","repeat":"refused","given":"body"},
    undoOperation: {"verb":"POST","path":"/v1/operations/:id/undo","repeat":"refused","given":"body"},
    repeatOperation: {"verb":"POST","path":"/v1/operations/:id/repeat","repeat":"keyed","given":"body","isOnce":true},
  },
  deadLetters: {
    deadLetters: {"verb":"GET","path":"/v1/dead-letters","repeat":"reads","given":"query"},
    deadLetter: {"verb":"GET","path":"/v1/dead-letters/:type/:fingerprint","repeat":"reads"},
    seeDeadGroup: {"verb":"POST","path":"/v1/dead-letters/:type/:fingerprint/seen","repeat":"same"},
  },
  settings: {
    pauseType: {"verb":"POST","path":"/v1/types/:type/pause","repeat":"same","given":"body"},
    resumeType: {"verb":"POST","path":"/v1/types/:type/resume","repeat":"same"},
    updateType: {"verb":"PATCH","path":"/v1/types/:type","repeat":"same","given":"body"},
    closeBreaker: {"verb":"POST","path":"/v1/types/:type/breaker/close","repeat":"same"},
    pauseKey: {"verb":"POST","path":"/v1/keys/pause","repeat":"same","given":"body"},
    resumeKey: {"verb":"POST","path":"/v1/keys/resume","repeat":"same","given":"body"},
    pauseNamespace: {"verb":"POST","path":"/v1/namespace/pause","repeat":"same","given":"body"},
    resumeNamespace: {"verb":"POST","path":"/v1/namespace/resume","repeat":"same"},
    updateNamespace: {"verb":"PATCH","path":"/v1/namespace","repeat":"same","given":"body"},
    namespace: {"verb":"GET","path":"/v1/namespace","repeat":"reads"},
    pauses: {"verb":"GET","path":"/v1/pauses","repeat":"reads","given":"query"},
  },
  cluster: {
    cluster: {"verb":"GET","path":"/v1/cluster","repeat":"reads"},
    events: {"verb":"GET","path":"/v1/cluster/events","repeat":"reads","given":"query"},
    wheel: {"verb":"GET","path":"/v1/cluster/wheel","repeat":"reads"},
    stats: {"verb":"GET","path":"/v1/stats","repeat":"reads"},
    findings: {"verb":"GET","path":"/v1/findings","repeat":"reads"},
    types: {"verb":"GET","path":"/v1/types","repeat":"reads","given":"query"},
    type: {"verb":"GET","path":"/v1/types/:type","repeat":"reads"},
    history: {"verb":"GET","path":"/v1/stats/history","repeat":"reads","given":"query"},
    forecast: {"verb":"GET","path":"/v1/stats/forecast","repeat":"reads","given":"query"},
    stream: {"verb":"GET","path":"/v1/stream","repeat":"reads","given":"query","isStream":true},
  },
  apiKeys: {
    createApiKey: {"verb":"POST","path":"/v1/api-keys","repeat":"refused","given":"body"},
    apiKeys: {"verb":"GET","path":"/v1/api-keys","repeat":"reads","given":"query"},
    ownApiKey: {"verb":"GET","path":"/v1/api-keys/self","repeat":"reads"},
    apiKey: {"verb":"GET","path":"/v1/api-keys/:id","repeat":"reads"},
    updateApiKey: {"verb":"PATCH","path":"/v1/api-keys/:id","repeat":"same","given":"body"},
    rotateApiKey: {"verb":"POST","path":"/v1/api-keys/:id/rotate","repeat":"refused","given":"body"},
    revokeApiKey: {"verb":"DELETE","path":"/v1/api-keys/:id","repeat":"same","given":"body"},
  },
  sessions: {
    sessions: {"verb":"GET","path":"/v1/sessions","repeat":"reads","given":"query"},
    endSession: {"verb":"DELETE","path":"/v1/sessions/:id","repeat":"same"},
  },
  session: {
    logIn: {"verb":"POST","path":"/v1/session","repeat":"same","given":"body"},
    show: {"verb":"GET","path":"/v1/session","repeat":"reads"},
    logOut: {"verb":"DELETE","path":"/v1/session","repeat":"same"},
  },
  health: {
    live: {"verb":"GET","path":"/health/live","repeat":"reads"},
    ready: {"verb":"GET","path":"/health/ready","repeat":"reads"},
  },
};
