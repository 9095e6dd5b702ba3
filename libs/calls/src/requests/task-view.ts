import {
  type EpochMs,
  type Json,
  jsonValueOf,
  type JournalEntry,
  type LatenessParts,
  payloadVersionOf,
  remainingMs,
  type Shard,
  type TakenFrom,
  type Task,
  type WebhookDelivery,
  webhookOf,
} from "@tickwheel/core";
import type { WaitingFor } from "@tickwheel/engine";

/**
 * A task as every edge shows it: `DelayTaskService` with the values of its payload and result and with Dates, REST and
 * GraphQL with their texts and with instants as ISO 8601 in UTC.
 */
export interface TaskFields<Payload, Instant, Result = Json> {
  id: string;
  namespace: string;
  type: string;
  key: string | null;
  payload: Payload;
  /** Of the definition that it was given by; null: that had none, or it goes to a webhook. */
  payloadVersion: number | null;
  state: Task["state"];
  reason: Task["reason"];
  /** As asked for. A resume moves it by the time that the task was paused, if it has not started. */
  scheduledAt: Instant;
  /** The next try. Of a paused task: as it was at `pausedAt`. */
  dueAt: Instant;
  /** What remains of a paused task's countdown, in milliseconds; null: it is not paused. */
  remainingMs: number | null;
  /** Since when it is paused, or was last changed while it is paused; null: it is not paused. */
  pausedAt: Instant | null;
  /** For how long it was paused before that, in milliseconds. */
  pausedMs: number;
  /** A task that has not started by then ends `expired`. */
  startDeadlineAt: Instant | null;
  createdAt: Instant;
  /** The last claim. */
  claimedAt: Instant | null;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** Milliseconds from the later of due and created to the start; null before the first start. */
  latenessMs: number | null;
  /** `latenessMs` in parts; null: not measured, as long as it runs or where its node died. */
  latenessParts: LatenessPartsFields<Instant> | null;
  attempt: number;
  maxAttempts: number;
  crashCount: number;
  priority: number;
  version: number;
  fence: number;
  /** `ip:pid` of the node that runs or last ran it. */
  node: string | null;
  result: Result;
  lastError: string | null;
  deliver: WebhookDelivery | null;
  /** The task that had the key before this one and had already started when this one took it; null: there is none. */
  continues: string | null;
  /** The latest task that took the key from this one after it had started; null: there is none. */
  continuedBy: string | null;
  /** In the order in which they were given. */
  tags: readonly string[];
  /** The batch that it is a member of; null: of none. */
  batchId: string | null;
  /** Its place, `index` of 0 … `total` − 1, in a batch that was split into shards; null: it has none. */
  shard: Shard | null;
  /** Why a paused task, or one that is due, does not run. */
  waitingFor: WaitingFor | null;
}

/**
 * Where the lateness of a start went, in whole milliseconds that add up to it: until some node knew of the task, in
 * that node's wheel, for a place to run, for the claim, from the claim's answer to the start.
 */
export interface LatenessPartsFields<Instant> {
  knownMs: number;
  wheelMs: number;
  placeMs: number;
  claimMs: number;
  startMs: number;
  /** The start's time by the database's clock is known to within so much, in milliseconds. */
  clockErrorMs: number;
  /** The node that was to start it and did not; null: none is known. */
  takenFrom: TakenFromFields<Instant> | null;
}

/** A node from which a task was taken over. */
export interface TakenFromFields<Instant> {
  /** Its `ip:pid`. */
  node: string;
  /** Its last beat; null: it was not silent. */
  silentSince: Instant | null;
  takenOverAt: Instant;
}

/** A task in code; of a definition with its payload's type. */
export type TaskView<Payload = Json> = TaskFields<Payload, Date>;

/** How an edge shows an instant. */
export type InstantForm<Instant> = (at: EpochMs) => Instant;

/** In code. */
export const asDate: InstantForm<Date> = (at) => new Date(at);

/** A task's result as a value. */
export function resultOf(text: Task["result"]): Json {
  return text === null ? null : jsonValueOf(text);
}

export function toTaskView<Payload, Instant, Result>(
  task: Task,
  { waitingFor, payload, result }: Pick<TaskFields<Payload, Instant, Result>, "waitingFor" | "payload" | "result">,
  instantOf: InstantForm<Instant>,
): TaskFields<Payload, Instant, Result> {
  const { startedAt, dueAt, createdAt } = task;
  const orNull = (at: EpochMs | null): Instant | null => (at === null ? null : instantOf(at));
  const scheduledAt = instantOf(task.scheduledAt);
  return {
    id: task.id,
    namespace: task.namespace,
    type: task.type,
    key: task.key,
    payload,
    payloadVersion: payloadVersionOf(task),
    state: task.state,
    reason: task.reason,
    scheduledAt,
    dueAt: dueAt === task.scheduledAt ? scheduledAt : instantOf(dueAt),
    remainingMs: remainingMs(task),
    pausedAt: task.state === "paused" ? orNull(task.pausedAt) : null,
    pausedMs: task.pausedMs,
    startDeadlineAt: orNull(task.startDeadlineAt),
    createdAt: instantOf(createdAt),
    claimedAt: orNull(task.claimedAt),
    startedAt: orNull(startedAt),
    finishedAt: orNull(task.finishedAt),
    latenessMs: startedAt === null ? null : Math.max(0, startedAt - Math.max(dueAt, createdAt)),
    latenessParts: toPartsView(task.latenessParts, instantOf),
    attempt: task.attempt,
    maxAttempts: task.maxAttempts,
    crashCount: task.crashCount,
    priority: task.priority,
    version: task.version,
    fence: task.fence,
    node: task.node,
    result,
    lastError: task.lastError,
    deliver: webhookOf(task),
    continues: task.continues,
    continuedBy: task.continuedBy,
    tags: task.tags,
    batchId: task.batchId,
    shard: task.shard && { index: task.shard.index, total: task.shard.total },
    waitingFor,
  };
}

function toPartsView<Instant>(
  latenessParts: LatenessParts | null,
  instantOf: InstantForm<Instant>,
): LatenessPartsFields<Instant> | null {
  if (latenessParts === null) return null;
  const { known, wheel, place, claim, start, takenFrom } = latenessParts;
  const parts = { knownMs: known, wheelMs: wheel, placeMs: place, claimMs: claim, startMs: start };
  const clockErrorMs = latenessParts.clockErrorUs / 1_000;
  return { ...parts, clockErrorMs, takenFrom: takenFrom && toTakenFromView(takenFrom, instantOf) };
}

export function toTakenFromView<Instant>(
  { node, silentSince, takenOverAt }: TakenFrom,
  instantOf: InstantForm<Instant>,
): TakenFromFields<Instant> {
  const since = silentSince === null ? null : instantOf(silentSince);
  return { node, silentSince: since, takenOverAt: instantOf(takenOverAt) };
}

/** An entry of a journal as every edge shows it. */
export type JournalEntryFields<Instant> = Omit<JournalEntry, "at" | "startedAt" | "latenessParts"> & {
  at: Instant;
  /** Of an end of an execution: when its handler was called. */
  startedAt: Instant | null;
  /** Of an end of an execution: where the lateness of its start went. */
  latenessParts: LatenessPartsFields<Instant> | null;
};
/** An entry of a journal in code. */
export type JournalEntryView = JournalEntryFields<Date>;

export function toJournalView<Instant>(
  entries: readonly JournalEntry[],
  instantOf: InstantForm<Instant>,
): JournalEntryFields<Instant>[] {
  return entries.map(({ at, startedAt, latenessParts, error, ...entry }) => ({
    at: instantOf(at),
    ...entry,
    startedAt: startedAt === null ? null : instantOf(startedAt),
    latenessParts: toPartsView(latenessParts, instantOf),
    error,
  }));
}
