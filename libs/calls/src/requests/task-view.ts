import {
  laterInstants,
  type EpochMs,
  fingerprintOf,
  type Json,
  jsonValueOf,
  type JournalEntry,
  type LatenessParts,
  outboundOf,
  payloadVersionOf,
  remainingMs,
  type TakenFrom,
  type Task,
} from "@tickwheel/core";
import type { JournalEntryFields, LatenessPartsFields, TakenFromFields, TaskFields } from "./task-view.generated.js";

/**
 * A task in code; of a definition with its payload's type. Instants are Dates of the database's clock; lengths of time
 * are milliseconds.
 *
 * @example
 * const view = await delayTasks.get(CancelOrder, id);
 * if (view?.state === "dead") alerts.send(`${view.payload.orderId}: ${view.reason} after ${view.attempt} attempts`);
 */
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
    dueAt: task.dueAt === task.scheduledAt ? scheduledAt : instantOf(task.dueAt),
    remainingMs: remainingMs(task),
    pausedAt: task.state === "paused" ? orNull(task.pausedAt) : null,
    pausedMs: task.pausedMs,
    startDeadlineAt: orNull(task.startDeadlineAt),
    createdAt: instantOf(task.createdAt),
    claimedAt: orNull(task.claimedAt),
    startedAt: orNull(task.startedAt),
    finishedAt: orNull(task.finishedAt),
    latenessMs: latenessOf(task),
    latenessParts: toPartsView(task.latenessParts, instantOf),
    attempt: task.attempt,
    maxAttempts: task.maxAttempts,
    crashCount: task.crashCount,
    priority: task.priority,
    version: task.version,
    fence: task.fence,
    fingerprint: task.errorPrint === null ? null : fingerprintOf(task.errorPrint),
    node: task.node,
    result,
    lastError: task.lastError,
    deliver: outboundOf(task),
    continues: task.continues,
    continuedBy: task.continuedBy,
    tags: task.tags,
    later: laterInstants(task).map(instantOf),
    batchId: task.batchId,
    shard: task.shard && { index: task.shard.index, total: task.shard.total },
    waitingFor,
  };
}

function latenessOf({ startedAt, dueAt, createdAt }: Task): number | null {
  return startedAt === null ? null : Math.max(0, startedAt - Math.max(dueAt, createdAt));
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
