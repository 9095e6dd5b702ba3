import {
  type EpochMs,
  type Json,
  type JournalEntry,
  remainingMs,
  type Shard,
  type Task,
  type WebhookDelivery,
} from "@tickwheel/core";
import type { WaitingFor } from "@tickwheel/engine";

/**
 * A task as every edge shows it: `DelayTaskService` with its payload's value and with Dates, REST and GraphQL with its
 * payload's text and with instants as ISO 8601 in UTC.
 */
export interface TaskFields<Payload, Instant> {
  id: string;
  namespace: string;
  type: string;
  key: string | null;
  payload: Payload;
  state: Task["state"];
  reason: Task["reason"];
  /** As asked for. A resume moves it by the time that the task was held, if it has not started. */
  scheduledAt: Instant;
  /** The next try. Of a held task: as it was at `heldAt`. */
  dueAt: Instant;
  /** What remains of a held task's countdown, in milliseconds; null: it is not held. */
  remainingMs: number | null;
  /** Since when it is held, or was last changed while it is held; null: it is not held. */
  heldAt: Instant | null;
  /** For how long it was held before that, in milliseconds. */
  heldMs: number;
  /** A task that has not started by then ends `expired`. */
  startDeadlineAt: Instant | null;
  createdAt: Instant;
  startedAt: Instant | null;
  finishedAt: Instant | null;
  /** Milliseconds from the later of due and created to the start; null before the first start. */
  latenessMs: number | null;
  attempt: number;
  maxAttempts: number;
  crashCount: number;
  priority: number;
  version: number;
  fence: number;
  /** `ip:pid` of the node that runs or last ran it. */
  node: string | null;
  result: Json;
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
  /** Why a held task, or one that is due, does not run. */
  waitingFor: WaitingFor | null;
}

/** A task in code; of a definition with its payload's type. */
export type TaskView<Payload = Json> = TaskFields<Payload, Date>;

/** How an edge shows an instant. */
export type InstantForm<Instant> = (at: EpochMs) => Instant;

/** In code. */
export const asDate: InstantForm<Date> = (at) => new Date(at);

export function toTaskView<Payload, Instant>(
  task: Task,
  { waitingFor, payload }: Pick<TaskFields<Payload, Instant>, "waitingFor" | "payload">,
  instantOf: InstantForm<Instant>,
): TaskFields<Payload, Instant> {
  const { startedAt, dueAt, createdAt } = task;
  const orNull = (at: EpochMs | null): Instant | null => (at === null ? null : instantOf(at));
  const scheduledAt = instantOf(task.scheduledAt);
  return {
    id: task.id,
    namespace: task.namespace,
    type: task.type,
    key: task.key,
    payload,
    state: task.state,
    reason: task.reason,
    scheduledAt,
    dueAt: dueAt === task.scheduledAt ? scheduledAt : instantOf(dueAt),
    remainingMs: remainingMs(task),
    heldAt: task.state === "held" ? orNull(task.heldAt) : null,
    heldMs: task.heldMs,
    startDeadlineAt: orNull(task.startDeadlineAt),
    createdAt: instantOf(createdAt),
    startedAt: orNull(startedAt),
    finishedAt: orNull(task.finishedAt),
    latenessMs: startedAt === null ? null : Math.max(0, startedAt - Math.max(dueAt, createdAt)),
    attempt: task.attempt,
    maxAttempts: task.maxAttempts,
    crashCount: task.crashCount,
    priority: task.priority,
    version: task.version,
    fence: task.fence,
    node: task.node,
    result: task.result,
    lastError: task.lastError,
    deliver: task.webhook,
    continues: task.continues,
    continuedBy: task.continuedBy,
    tags: task.tags,
    batchId: task.batchId,
    shard: task.shard && { index: task.shard.index, total: task.shard.total },
    waitingFor,
  };
}

/** An entry of a journal as every edge shows it. */
export type JournalEntryFields<Instant> = Omit<JournalEntry, "at"> & { at: Instant };
/** An entry of a journal in code. */
export type JournalEntryView = JournalEntryFields<Date>;

export function toJournalView<Instant>(
  entries: readonly JournalEntry[],
  instantOf: InstantForm<Instant>,
): JournalEntryFields<Instant>[] {
  return entries.map((entry) => ({ ...entry, at: instantOf(entry.at) }));
}
