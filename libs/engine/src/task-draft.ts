import {
  DEFAULT_BACKOFF,
  type DeliveryKind,
  type EpochMs,
  type NewTask,
  type Task,
  type TaskHint,
} from "@tickwheel/core";
import type { ScheduleRequest, TypeDefaults } from "./task-service-types.js";

const DEFAULT_PRIORITY = 5;
const DEFAULT_MAX_ATTEMPTS = 3;
const DEFAULT_TIMEOUT_MS = 60_000;

/** How a request's task is to be run. */
export function deliveryOf(request: Pick<ScheduleRequest, "webhook">): DeliveryKind {
  return request.webhook ? "webhook" : "handler";
}

/** The task that a request asks for: its own words, then the type's defaults on this node, then the documented ones. */
export function draftTask(request: ScheduleRequest, defaults: TypeDefaults): Omit<NewTask, "id" | "typeId"> {
  return {
    key: request.key ?? null,
    payload: request.payload,
    due: request.due ?? { delayMs: 0 },
    startDeadlineMs: request.startDeadlineMs ?? defaults.startDeadlineMs ?? null,
    onConflict: request.onConflict ?? "reject",
    priority: request.priority ?? DEFAULT_PRIORITY,
    maxAttempts: request.maxAttempts ?? defaults.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
    backoff: request.backoff ?? defaults.backoff ?? DEFAULT_BACKOFF,
    timeoutMs: request.timeoutMs ?? defaults.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    webhook: request.webhook ?? null,
    actor: request.actor,
  };
}

/** Milliseconds until a request's due time, by the estimated database time; at least 0. */
export function delayOf(due: NewTask["due"], now: EpochMs): number {
  return Math.max(0, "delayMs" in due ? due.delayMs : due.at - now);
}

export function hintOf(task: Task): TaskHint {
  const { id, typeId, version, dueAt, priority } = task;
  return { id, typeId, version, dueAt, priority };
}
