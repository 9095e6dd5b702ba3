import type { JsonText } from "./json-text.js";
import type { LatenessParts } from "./lateness.js";
import type { TraceContext } from "./trace-context.js";

/**
 * The task as every part of Tickwheel speaks of it: names, states and records. The moves between states are in
 * `transitions.ts`.
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [field: string]: Json };

/** An instant of the database's clock, in milliseconds since 1970-01-01T00:00:00Z, whole milliseconds. */
export type EpochMs = number;

/** The longest key of a task, in UTF-16 units. The shortest has one. */
export const MAX_KEY_LENGTH = 256;

/** Small number of a (namespace, type), given by the store at the type's first task and never reused. */
export type TypeId = number;

/** A node's identity: a random positive 63-bit integer in decimal. `ip:pid` is its label, never its identity. */
export type BootId = string;

/**
 * In place of a node's boot id: the consumer that pulled the task runs it, as long as its lease lasts. No node has this
 * id, so nothing that is done about nodes concerns such a task.
 */
export const CONSUMER: BootId = "0";

/**
 * The states at the edge. `succeeded`, `dead`, `cancelled` and `expired` are terminal: only an explicit retry leaves
 * one.
 */
export const TASK_STATES = ["scheduled", "paused", "running", "succeeded", "dead", "cancelled", "expired"] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** States of a task that waits for its time. The countdown of a `paused` one stands still. */
export const WAITING_STATES: readonly TaskState[] = ["scheduled", "paused"];
/** Whether a task in this state waits, paused or not. */
export function isWaitingState(state: TaskState): boolean {
  return WAITING_STATES.includes(state);
}
/** States that a task leaves only by an explicit retry. */
export const TERMINAL_STATES: readonly TaskState[] = ["succeeded", "dead", "cancelled", "expired"];
/** All others: the states of a task that has not ended. */
export const LIVE_STATES: readonly TaskState[] = ["scheduled", "paused", "running"];

/** Why a task is `dead`. */
export const DEAD_REASONS = ["ATTEMPTS", "CRASHES", "NON_RETRYABLE", "PAYLOAD_INVALID", "RESULT_INVALID"] as const;
export type DeadReason = (typeof DEAD_REASONS)[number];
/**
 * Why a task is `cancelled`. Occurrences of a schedule also by `OVERLAP`: the next one's turn had come, and by
 * `SCHEDULE_CHANGED`. A dead one by `DISCARDED`: an operation has taken it away.
 */
export const CANCEL_REASONS = ["REQUESTED", "REPLACED", "OVERLAP", "SCHEDULE_CHANGED", "DISCARDED"] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];
/** Why a task has `succeeded` although its handler was not called: its condition said no. */
export const SKIPPED = "SKIPPED";
export const TERMINAL_REASONS = [...DEAD_REASONS, ...CANCEL_REASONS, SKIPPED] as const;
export type TerminalReason = (typeof TERMINAL_REASONS)[number];

/** What a create does that meets a live task with the same (namespace, type, key). */
export const CONFLICT_POLICIES = ["reject", "return", "replace", "refresh", "merge"] as const;
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];

/** What an accepted create did. */
export type CreateOutcome = "created" | "existing" | "refreshed" | "replaced" | "merged";

/**
 * How a merge combines a field of the new payload with the same field of the stored one. `replace`: the new value;
 * `add`: the exact sum of two numbers; `append`: the new list behind the stored one; `max`, `min`: the greater or the
 * smaller of two numbers.
 */
export const REDUCERS = ["replace", "add", "append", "max", "min"] as const;
export type Reducer = (typeof REDUCERS)[number];
/** The reducers of a merge by top-level field of the payload. A field that is not named has `replace`. */
export type Reducers = Readonly<Record<string, Reducer>>;

/**
 * How a type's tasks are run; fixed by the type's first task. `broker`: a node publishes them to a message broker.
 * `pull`: consumers fetch them, and no node runs any.
 */
export type DeliveryKind = "handler" | "webhook" | "broker" | "pull";
/** Where a webhook task is delivered. */
export interface WebhookDelivery {
  kind: "webhook";
  url: string;
  headers?: Record<string, string>;
  /** What the body of a good answer must be, without spaces around it; absent: any. */
  expectBody?: string;
  /** The trace of its creation; read by `traceOf`, and never shown. Absent: there is none. */
  trace?: TraceContext;
}

/** The message brokers that tasks can be delivered to. */
export const BROKER_KINDS = ["amqp", "nats", "kafka", "redis"] as const;
export type BrokerKind = (typeof BROKER_KINDS)[number];

/** To which broker a task is published, and where there. */
export interface BrokerDelivery {
  kind: BrokerKind;
  /** The name of a target in the options of the nodes. */
  to: string;
  /** A routing key, subject, topic or stream; absent: the target's own. */
  subject?: string;
  headers?: Record<string, string>;
  /** As of a webhook. */
  trace?: TraceContext;
}

/** How a task leaves the node that runs it. */
export type OutboundDelivery = WebhookDelivery | BrokerDelivery;

/** What is kept of a handler's task: of which version its payload is, and the trace of its creation. */
export interface HandlerDelivery {
  kind: "handler";
  /** 1 … 32,767. Absent: it has none. */
  payloadVersion?: number;
  /** As of a webhook. */
  trace?: TraceContext;
}
/** How a task is delivered. Null in its place: by a handler, and there is neither a version nor a trace. */
export type Delivery = OutboundDelivery | HandlerDelivery;

/**
 * The wait before the next attempt. `delayMs`, `initialMs`, `maxMs`, `delaysMs` in milliseconds; `jitter` is a share,
 * 0 … 1. A ladder has a wait for each attempt that failed, and repeats its last one.
 */
export type Backoff =
  | { kind: "fixed"; delayMs: number }
  | { kind: "exponential"; initialMs: number; maxMs: number; jitter: number }
  | { kind: "ladder"; delaysMs: readonly number[] };

/**
 * A due time as a caller gives it: an instant, or a delay that the database's clock resolves when the row is written.
 */
export type Due = { at: EpochMs } | { delayMs: number };

/** What a type's handler wants for its tasks; it holds where their creator says nothing. */
export interface TypePolicy {
  maxAttempts?: number;
  backoff?: Backoff;
  timeoutMs?: number;
  startDeadlineMs?: number;
  /** 0 first … 9. */
  priority?: number;
  /** The JSON Schema (draft 2020-12) of its payloads, as text; at most 16 KiB. Absent: there is none. */
  payloadSchema?: string;
  /** The version of its payloads. Absent: they have none. */
  payloadVersion?: number;
}

/**
 * The options of a task that its creator may have given, as the bits of a number. Those that he did not are the type's
 * as he knew it, and where the task is run its handler's own.
 */
export const GIVEN = { maxAttempts: 1, backoff: 2, timeoutMs: 4 } as const;
export const ALL_GIVEN = 7;
/** A further bit of the same number: it is a task of a series that goes on. */
export const GOES_ON = 8;

/** The bits of a new task. */
export function bitsOf({ given = ALL_GIVEN, laterMs = [] }: Pick<NewTask, "given" | "laterMs">): number {
  return given | (laterMs.length > 0 ? GOES_ON : 0);
}

/** Which options are given, as {@link GIVEN} has them. Each create comes here. */
export function givenIn({ maxAttempts, backoff, timeoutMs }: { [Name in keyof typeof GIVEN]?: unknown }): number {
  return (
    (maxAttempts === undefined ? 0 : GIVEN.maxAttempts) |
    (backoff === undefined ? 0 : GIVEN.backoff) |
    (timeoutMs === undefined ? 0 : GIVEN.timeoutMs)
  );
}

/** A registered (namespace, type). */
export interface TaskType {
  id: TypeId;
  namespace: string;
  type: string;
  delivery: DeliveryKind;
  /** As the nodes that run it announced it last. Absent: no node has. */
  policy?: TypePolicy;
}

/** A task as it is stored, read in one snapshot of the live table and history. */
export interface Task {
  /** UUIDv7; bits 52 … 63 (`rand_a`) are the slot. */
  id: string;
  typeId: TypeId;
  namespace: string;
  type: string;
  key: string | null;
  /** Whether the task holds its (namespace, type, key). */
  keyLive: boolean;
  /** As it was received. */
  payload: JsonText;
  state: TaskState;
  reason: TerminalReason | null;
  /** What the caller asked for. A resume moves it by the time that the task was paused, if it has not started. */
  scheduledAt: EpochMs;
  /** The next try. For a paused task: as it was at `pausedAt`; see `remainingMs`. */
  dueAt: EpochMs;
  /** A task that has not started by then ends `expired`; null: however late, it runs. Moves with `scheduledAt`. */
  startDeadlineAt: EpochMs | null;
  /** No refresh and no merge moves `dueAt` beyond this instant; null: none of them has a `maxWait`. */
  waitUntil: EpochMs | null;
  /**
   * Since when it is paused; its last refresh, merge or edit counts as a new beginning. For a task that ended while it
   * was paused: since when it was. Null: it is not paused.
   */
  pausedAt: EpochMs | null;
  /** For how long it was paused before `pausedAt`, in milliseconds, since it was created or retried. */
  pausedMs: number;
  createdAt: EpochMs;
  claimedAt: EpochMs | null;
  startedAt: EpochMs | null;
  /**
   * Where the lateness of the last start went; null: it has not started, it runs, or its node died before it could
   * tell.
   */
  latenessParts: LatenessParts | null;
  finishedAt: EpochMs | null;
  attempt: number;
  maxAttempts: number;
  crashCount: number;
  /** How often its handler has put it off, since it was created or retried. */
  snoozeCount: number;
  /** 0 first … 9. Orders tasks that are due together. */
  priority: number;
  version: number;
  fence: number;
  /** The node that runs or last ran it. */
  owner: BootId | null;
  /** The owner's `ip:pid`, where it is still known. */
  node: string | null;
  backoff: Backoff;
  timeoutMs: number;
  /** Which of `maxAttempts`, `backoff` and `timeoutMs` its creator gave, see {@link GIVEN}. */
  given: number;
  delivery: Delivery | null;
  cancelRequestedAt: EpochMs | null;
  /** The text of its JSON, digit for digit as it was told; null: there is none. */
  result: JsonText | null;
  lastError: string | null;
  /** The print of `lastError`, see `printOf`; null: there is no error. */
  errorPrint: number | null;
  createdBy: string;
  cancelledBy: string | null;
  /** The task that held the key before and was still live, but had started, when this one took the key. */
  continues: string | null;
  /** The latest task that took the key from this one after it had started. */
  continuedBy: string | null;
  /** In the order in which they were given; empty: it has none. */
  tags: readonly string[];
  /** How long behind it the next task of its series is due, then how long behind that the one after. Empty: none is. */
  laterMs: readonly number[];
  /** The batch that it is a member of. */
  batchId: string | null;
  /** Its place in a batch that was split into shards; null: it was not. */
  shard: Shard | null;
}

/** The place of a member in a batch that was split: `index` of 0 … `total` − 1. */
export interface Shard {
  index: number;
  total: number;
}

/** What an execution knows of the batch that its task is a member of. */
export interface Membership {
  batchId: string;
  /** Null: the batch was not split into shards. */
  shard: Shard | null;
}

/** How long a paused task waits once it is resumed, in milliseconds; null: it is not paused. */
export function remainingMs({ state, dueAt, pausedAt }: Pick<Task, "state" | "dueAt" | "pausedAt">): number | null {
  return state === "paused" ? Math.max(0, dueAt - (pausedAt ?? dueAt)) : null;
}

/** A fault of a payload; `path` begins with `payload`. */
export interface PayloadFault {
  path: string;
  message: string;
}

/**
 * Judges the payload that a merge comes to, by the schema of its type; no fault: it fits. It is asked by the store
 * before anything is committed, so it answers at once. What it throws undoes the whole write.
 */
export type MergeJudge = (payload: JsonText) => readonly PayloadFault[];

/** A task to be written. `id` and `slot` come from {@link newTaskId}. */
export interface NewTask {
  id: string;
  typeId: TypeId;
  key: string | null;
  payload: JsonText;
  due: Due;
  /** From `scheduledAt`; null: none. A refresh leaves that of the task which holds the key. */
  startDeadlineMs: number | null;
  onConflict: ConflictPolicy;
  /** The reducers of a merge, which are sound (see `mergeFault`). Default: each field is replaced. */
  reducers?: Reducers;
  /** The judge of a merge whose type has a schema. Default: what the merge comes to is not judged. */
  judge?: MergeJudge;
  /**
   * For a refresh or a merge: its task becomes due at the latest this long after its creation. Default: no such bound.
   */
  maxWaitMs?: number;
  priority: number;
  maxAttempts: number;
  backoff: Backoff;
  timeoutMs: number;
  /** Which of these its creator gave, see {@link GIVEN}. Default: all. */
  given?: number;
  delivery: Delivery | null;
  /**
   * At most `MAX_TAGS`, each once, see `tags.ts`. A refresh or a merge leaves those of the task which holds the key.
   * Default: none.
   */
  tags?: readonly string[];
  /** For a series: how long its further tasks are due behind each other, the next first. Default: there are none. */
  laterMs?: readonly number[];
  /** Who asked for it: an API key's id, `application`, … Kept as `createdBy` and in the journal. */
  actor: string;
  /** The batch that it is a member of; only the store of batches may say so. Default: none. */
  batchId?: string;
  /** Its place in a batch that was split into shards. Default: none. */
  shard?: Shard;
  /** For a refresh: the others that were folded into it before it was written. Default: none. */
  folded?: FoldedRefreshes;
}

/** Refreshes of one key that another one, behind them, stands for. Its `maxWaitMs` is the least of all. */
export interface FoldedRefreshes {
  count: number;
  /** The earliest of their instants; null: each of them has a delay. */
  earliestAt: EpochMs | null;
  /** The least of their delays; null: each of them has an instant. */
  leastDelayMs: number | null;
}

/** What a node needs to know to wake up for a task: never more than a hint. */
export interface TaskHint {
  id: string;
  typeId: TypeId;
  version: number;
  dueAt: EpochMs;
  priority: number;
}

/**
 * Names one execution. A write about an execution counts only while the row is `running` under this owner and fence.
 */
export interface ExecutionRef {
  id: string;
  owner: BootId;
  fence: number;
}

/** A write in a handler's own transaction. */
export interface HandlerWrite extends ExecutionRef {
  /**
   * True: the transaction must still be the one that `beginWithin` has marked. Where it was ended by hand meanwhile
   * nothing is written, and the call throws `TRANSACTION_UNAVAILABLE`. Default: nobody asks.
   */
  isBegun?: boolean;
}

/** A task that this node has just moved to `running`. */
export interface ClaimedTask extends ExecutionRef {
  typeId: TypeId;
  key: string | null;
  payload: JsonText;
  scheduledAt: EpochMs;
  dueAt: EpochMs;
  createdAt: EpochMs;
  claimedAt: EpochMs;
  attempt: number;
  maxAttempts: number;
  crashCount: number;
  snoozeCount: number;
  priority: number;
  backoff: Backoff;
  timeoutMs: number;
  /** Which of these its creator gave, see {@link GIVEN}. */
  given: number;
  delivery: Delivery | null;
  /** Absent: it is no member of a batch. */
  member?: Membership;
}
