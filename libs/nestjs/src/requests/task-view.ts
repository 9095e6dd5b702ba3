import type { Json, JournalEntry, Task } from "@tickwheel/core";
import type { WaitingFor } from "@tickwheel/engine";
import { isoInstant } from "../input/iso-instant.js";

/**
 * A task as every edge shows it: REST and GraphQL with its payload as text, `DelayTaskService` with its value. Instants
 * are ISO 8601 in UTC.
 */
export interface TaskView<Payload = Json> {
  id: string;
  namespace: string;
  type: string;
  key: string | null;
  payload: Payload;
  state: Task["state"];
  reason: Task["reason"];
  /** As asked for. */
  scheduledAt: string;
  /** The next try. */
  dueAt: string;
  /** A task that has not started by then ends `expired`. */
  startDeadlineAt: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
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
  deliver: { kind: "webhook"; url: string; headers?: Record<string, string> } | null;
  /** The task that had the key before this one and had already started when this one took it; null: there is none. */
  continues: string | null;
  /** The latest task that took the key from this one after it had started; null: there is none. */
  continuedBy: string | null;
  /** In the order in which they were given. */
  tags: readonly string[];
  /** Why a scheduled task does not run although it is due. */
  waitingFor: WaitingFor | null;
}

export function toTaskView<Payload>(
  task: Task,
  { waitingFor, payload }: Pick<TaskView<Payload>, "waitingFor" | "payload">,
): TaskView<Payload> {
  const { startedAt, dueAt, createdAt } = task;
  const scheduledAt = isoInstant(task.scheduledAt);
  return {
    id: task.id,
    namespace: task.namespace,
    type: task.type,
    key: task.key,
    payload,
    state: task.state,
    reason: task.reason,
    scheduledAt,
    dueAt: dueAt === task.scheduledAt ? scheduledAt : isoInstant(dueAt),
    startDeadlineAt: isoOrNull(task.startDeadlineAt),
    createdAt: isoInstant(createdAt),
    startedAt: isoOrNull(startedAt),
    finishedAt: isoOrNull(task.finishedAt),
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
    waitingFor,
  };
}

/** An entry of a journal as every edge shows it. */
export type JournalEntryView = Omit<JournalEntry, "at"> & { at: string };

export function toJournalView(entries: readonly JournalEntry[]): JournalEntryView[] {
  return entries.map((entry) => ({ ...entry, at: isoInstant(entry.at) }));
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : isoInstant(at);
}
