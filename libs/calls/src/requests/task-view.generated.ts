// Made by `npm run generate`.
import type { Json } from "@tickwheel/core";

/**
 * A task as every edge shows it: code with the values of its payload and result and with Dates, REST and GraphQL with
 * their texts and with instants as ISO 8601 in UTC.
 */
export interface TaskFields<Payload, Instant, Result = Json> {
  /** UUIDv7, in lower case; the same as long as the task is kept. */
  id: string;
  /** The namespace of the application that owns it. */
  namespace: string;
  /** What is to be done, by the name that its handler has; such as `order.cancel`. */
  type: string;
  /** At most one live task of the type has it, such as an order's number; null: it has none. */
  key: string | null;
  /**
   * Where it stands. `scheduled`: it waits for its time or its next try; `paused`: its countdown stands still;
   * `running`: an attempt is under way. The others are ends, which a retry alone leaves.
   */
  state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
  /**
   * Why it is dead or cancelled, such as `ATTEMPTS`: all of them failed; of `succeeded`: `SKIPPED` where its condition
   * said no, else null.
   */
  reason:
    | "ATTEMPTS"
    | "CRASHES"
    | "NON_RETRYABLE"
    | "PAYLOAD_INVALID"
    | "RESULT_INVALID"
    | "REQUESTED"
    | "REPLACED"
    | "OVERLAP"
    | "SCHEDULE_CHANGED"
    | "DISCARDED"
    | "SKIPPED"
    | null;
  /**
   * When it was to run, as asked for; at once: its creation. A resume moves it by the time that the task was paused, if
   * it has not started.
   */
  scheduledAt: Instant;
  /**
   * When it is due: its scheduled time, or after a failed attempt the next try. For a paused task: as it was at
   * `pausedAt`.
   */
  dueAt: Instant;
  /** What remains of a paused task's countdown, in milliseconds; null: it is not paused. */
  remainingMs: number | null;
  /** Since when it is paused, or was last changed while it is paused; null: it is not paused. */
  pausedAt: Instant | null;
  /** For how long it was paused before that, in milliseconds. */
  pausedMs: number;
  /** A task that has not started by then ends `expired`; null: it may start at any time. */
  startDeadlineAt: Instant | null;
  /** When it was written, by the clock of the database. */
  createdAt: Instant;
  /** When a node last took it in order to run it; null: none has. */
  claimedAt: Instant | null;
  /** When its last attempt started; null: none has. */
  startedAt: Instant | null;
  /** When it ended; null: it has not. */
  finishedAt: Instant | null;
  /** Milliseconds from the later of due and created to the start; null before the first start. */
  latenessMs: number | null;
  /** The lateness in parts that add up to it, in whole milliseconds; null: not measured. */
  latenessParts: LatenessPartsFields<Instant> | null;
  /** The number of its last attempt, from 1; 0: none has started. One that a crash or a snooze ended does not count. */
  attempt: number;
  /** Attempts before it is dead, 1 to 1,000; 3 unless its creator or its type says otherwise. */
  maxAttempts: number;
  /** How many attempts ended with their node; these are no failed attempts. */
  crashCount: number;
  /** 0 first … 9, among tasks that are due together; 5 unless its creator or its type says otherwise. */
  priority: number;
  /** Raised by each change; a change may name the one that it is meant for. */
  version: number;
  /** Raised by each claim; a system that can refuse an older one is safe from a node that comes too late. */
  fence: number;
  /**
   * The fingerprint of `lastError`, 12 hex digits: errors that differ only in numbers, ids, times and the like have the
   * same one; null: there is no error.
   */
  fingerprint: string | null;
  /** The label, `ip:pid`, of the node that runs it, or ran it last. */
  node: string | null;
  /** The task that had the key before this one and had already started when this one took it; null: there is none. */
  continues: string | null;
  /** The latest task that took the key from this one after it had started; null: there is none. */
  continuedBy: string | null;
  /** The batch that it is a member of; null: of none. */
  batchId: string | null;
  /** Its place in a batch that was split into shards; null: it has none. */
  shard: {
    /** 0 to `total` - 1. */
    index: number;
    /** How many there are, 1 to 1,000. */
    total: number;
  } | null;
  /** The version of its payload, as its creator's definition names it; null: it has none. */
  payloadVersion: number | null;
  /**
   * Why a paused task, or one that is due, does not run; null: it runs, has ended, or is not due. `PAUSE`: it is
   * paused; or it is due, and its type, its namespace or its key is. `CONSUMER`: no consumer has fetched it yet.
   * `BREAKER`: the breaker of its type is open, or that of its host has put it off. `LIMIT`: a limit of its type or its
   * namespace lets no more start just now.
   */
  waitingFor: "HANDLER" | "CONSUMER" | "CAPACITY" | "BREAKER" | "PAUSE" | "LIMIT" | null;
  /** Any JSON, at most 64 KiB and 32 levels deep; given back as received, digit for digit. */
  payload: Payload;
  /** What its handler returned, digit for digit; null: nothing. */
  result: Result;
  /** The error of the last attempt that failed, with its stack, shortened; null: none has failed. */
  lastError: string | null;
  /** Where it is sent; null: a handler runs it, or consumers do. */
  deliver: DeliveryFields | null;
  /** What it belongs to, in the order in which it was given; empty: nothing. */
  tags: readonly string[];
  /** When the further tasks of its series are due, the next first; empty: there are none. */
  later: readonly Instant[];
}

/** Where a task is sent. */
export interface DeliveryFields {
  kind: "webhook" | "amqp" | "nats" | "kafka" | "redis";
  /** The address of a webhook. A viewer sees its origin alone, and no headers. */
  url?: string;
  /** An object of texts. */
  headers?: Record<string, string>;
  /**
   * For `webhook`: what the body of a 2xx answer must be, without spaces around it; another one is a failed attempt.
   * Default: any.
   */
  expectBody?: string;
  /** For brokers: the name of the target. */
  to?: string;
  /** For brokers: where in the target; absent: the target's own. */
  subject?: string;
}

/** Where the lateness of a start went, in whole milliseconds that add up to it. */
export interface LatenessPartsFields<Instant> {
  /** Until some node knew of the task. */
  knownMs: number;
  /** In that node's wheel. */
  wheelMs: number;
  /** For a place to run. */
  placeMs: number;
  /** For the claim. */
  claimMs: number;
  /** From the claim's answer to the start. */
  startMs: number;
  /** The time of the start is known to within so much. */
  clockErrorMs: number;
  /** The node that was to start it and did not; null: none is known. */
  takenFrom: TakenFromFields<Instant> | null;
}

/** A node from which a task was taken over. */
export interface TakenFromFields<Instant> {
  /** Its label, `ip:pid`. */
  node: string;
  /** Its last beat; null: it was not silent. */
  silentSince: Instant | null;
  takenOverAt: Instant;
}

/** What a task's handler has told last, as every edge shows it beside one task. Lists leave it out. */
export interface ReportFields<Instant> {
  /** What the handler stored last for its next attempt; null: nothing. Only where one task is shown by its id. */
  checkpoint: {
    /** What it stored. */
    state: Json;
    at: Instant;
  } | null;
  /**
   * How far the handler said last that it has come, from 0 to 1; null: it has not. Only where one task is shown by its
   * id.
   */
  progress: {
    value: number;
    note: string | null;
    at: Instant;
  } | null;
}

/** Why a task stands as it does, as every edge shows it beside one task. Lists leave it out. */
export interface BecauseFields<Instant> {
  /** Why the task stands as it does. Only where one task is shown by its id. */
  because: {
    code:
      | "SCHEDULED"
      | "RETRIES"
      | "PUT_OFF"
      | "BREAKER"
      | "PAUSED"
      | "HALTED"
      | "NO_NODE"
      | "NO_CONSUMER"
      | "LIMITED"
      | "NO_PLACE"
      | "DUE"
      | "RUNNING"
      | "STOPPING"
      | "SUCCEEDED"
      | "SKIPPED"
      | "DEAD"
      | "CANCELLED"
      | "EXPIRED";
    /** No live node runs its type, whether it is due or not. */
    hasNoNode: boolean;
    /** The last node that ran its type, where no live node does and its going is on record; else null. */
    lastRunner: {
      node: string | null;
      how: "DEAD" | "LEFT";
      at: Instant;
    } | null;
    /** The places on the live nodes that run its type, where it waits for a place; else null. */
    places: {
      inUse: number;
      all: number;
    } | null;
    /** The pause of its type, its namespace or its key, where that keeps it from starting; else null. */
    halt: {
      of: "TYPE" | "NAMESPACE" | "KEY";
      since: Instant;
      /** When it ends by itself; null: when somebody resumes it. */
      until: Instant | null;
      reason: string | null;
      /** Who paused it: `application`, `handler` (`ctx.defer`), or `key:` and the id of an API key. */
      by: string;
    } | null;
    /**
     * The limit of its type or its namespace that lets no more start just now, where that keeps it waiting; else null.
     */
    limit: {
      of: "TYPE" | "NAMESPACE";
      /** Null: it does not limit how many run. */
      maxRunning: number | null;
      /** How many run, as was read within the last seconds. */
      running: number | null;
      /** At most `count` start in `perMs` milliseconds; null: it does not limit how often they start. */
      rate: {
        count: number;
        perMs: number;
      } | null;
    } | null;
    /**
     * The breaker of its type, where that keeps it from starting; null: it is its host's that has put it off, or none.
     */
    breaker: {
      /**
       * `OPEN`: None of its tasks starts until `until`; then one node tries one. `HALF_OPEN`: One task is tried just
       * now.
       */
      state: "OPEN" | "HALF_OPEN";
      since: Instant;
      /** The next trial; of `HALF_OPEN`, when this one is over at the latest. */
      until: Instant;
      /** Trials that have failed since it opened. */
      failedTrials: number;
    } | null;
    /** How often its handler, or its receiver, has put it off. */
    snoozes: number;
    /** Its last start was late by 100 ms or more: the part that most of it went to; else null. */
    late: {
      latenessMs: number;
      /** What most of it went to. */
      part: "known" | "wheel" | "place" | "claim" | "start";
      partMs: number;
      /** The node that was to start it and did not; null: none is known. */
      takenFrom: TakenFromFields<Instant> | null;
    } | null;
  };
}

/** An entry of a journal as every edge shows it. */
export interface JournalEntryFields<Instant> {
  at: Instant;
  /** Null: it was created. */
  from: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired" | null;
  to: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
  node: string | null;
  fence: number;
  attempt: number;
  reason: string | null;
  actor: string | null;
  /** How many transitions it stands for: itself, and those since the entry before it that are folded into it. */
  count: number;
  /** For an end of an execution: when its handler was called. */
  startedAt: Instant | null;
  /** The lateness in parts that add up to it, in whole milliseconds; null: not measured. */
  latenessParts: LatenessPartsFields<Instant> | null;
  /** For an attempt that failed: its error, shortened. */
  error: string | null;
}

/** What became of a call for one task. */
export interface TaskResult<View = TaskFields<Json, Date>> {
  outcome: "created" | "existing" | "refreshed" | "replaced" | "merged";
  task: View;
  /** The idempotency key had been used for the same call: nothing was written, and this is its first answer again. */
  replayed: boolean;
}

/** What became of a cancel. `cancel_requested`: it runs, and its handler is told; `too_late`: it has ended. */
export interface CancelledTask<View = TaskFields<Json, Date>> {
  outcome: "cancelled" | "cancel_requested" | "not_found" | "too_late";
  task?: View;
}

/** What became of one of many ids that were cancelled. */
export interface CancelledItem<View = TaskFields<Json, Date>> {
  id: string;
  outcome: "cancelled" | "cancel_requested" | "not_found" | "too_late";
  /** As it is now; absent where there is none, and behind the item that reaches 2 MiB of tasks. */
  task?: View;
}

/**
 * What became of one of many ids that were retried. `state_conflict`: it has not finished; `key_conflict`: a live task
 * has its key.
 */
export interface RetriedItem<View = TaskFields<Json, Date>> {
  id: string;
  outcome: "scheduled" | "not_found" | "state_conflict" | "key_conflict";
  /** As it is now; absent where there is none, and behind the item that reaches 2 MiB of tasks. */
  task?: View;
}
