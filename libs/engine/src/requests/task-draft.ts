import {
  type Backoff,
  DEFAULT_BACKOFF,
  defaultAttempts,
  deliveryKindOf,
  type DeliveryKind,
  type EpochMs,
  givenIn,
  handlerDelivery,
  MAX_DELAY_MS,
  mergeFault,
  type NewTask,
  plainReducers,
  shownText,
  type Task,
  type TaskHint,
  type TaskType,
  TickwheelError,
  type TypePolicy,
  withTrace,
} from "@tickwheel/core";
import type { TaskRequest } from "./requests.js";

const DEFAULT_PRIORITY = 5;
const DEFAULT_TIMEOUT_MS = 60_000;
const AT_ONCE: NewTask["due"] = { delayMs: 0 };

/** How a request's task is to be run. */
export function deliveryOf({ outbound, isPulled = false }: Pick<TaskRequest, "outbound" | "isPulled">): DeliveryKind {
  if (outbound) return deliveryKindOf(outbound);
  return isPulled ? "pull" : "handler";
}

/**
 * Whether a task of this type may be asked for so. A request that says nothing of its delivery takes a pull type as it
 * is.
 */
export function fitsDelivery({ delivery }: Pick<TaskType, "delivery">, asked: DeliveryKind): boolean {
  return delivery === asked || (delivery === "pull" && asked === "handler");
}

/** What a new task of a type gets where its creator says nothing. */
export interface TaskDefaults {
  maxAttempts: number;
  /** 0 first … 9. */
  priority: number;
  /** The wait between attempts. */
  backoff: Backoff;
  /** The time-out of a handler's attempt. */
  timeoutMs: number;
  /** Null: it may start however late. */
  startDeadlineMs: number | null;
}

/** The type's policy, then the documented defaults. */
export function taskDefaults(policy: TypePolicy): TaskDefaults {
  return {
    maxAttempts: policy.maxAttempts ?? defaultAttempts(policy.backoff ?? DEFAULT_BACKOFF),
    priority: policy.priority ?? DEFAULT_PRIORITY,
    backoff: policy.backoff ?? DEFAULT_BACKOFF,
    timeoutMs: policy.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    startDeadlineMs: policy.startDeadlineMs ?? null,
  };
}

/** The task that a request asks for: its own values, then the type's policy, then the documented defaults. */
export function draftTask(
  request: TaskRequest,
  policy: TypePolicy,
  { id, typeId, maxWebhookTimeoutMs }: Pick<NewTask, "id" | "typeId"> & { maxWebhookTimeoutMs: number },
): NewTask {
  const backoff = request.backoff ?? policy.backoff ?? DEFAULT_BACKOFF;
  return {
    id,
    typeId,
    key: request.key ?? null,
    payload: request.payload,
    due: dueOf(request),
    startDeadlineMs: request.startDeadlineMs ?? policy.startDeadlineMs ?? null,
    onConflict: request.onConflict ?? "reject",
    ...(request.onConflict === "merge" && { reducers: plainReducers(request.reducers ?? {}) }),
    ...(request.judge && { judge: request.judge }),
    ...(request.maxWaitMs !== undefined && { maxWaitMs: request.maxWaitMs }),
    priority: request.priority ?? policy.priority ?? DEFAULT_PRIORITY,
    maxAttempts: request.maxAttempts ?? policy.maxAttempts ?? defaultAttempts(backoff),
    backoff,
    given: givenIn(request),
    timeoutMs: request.timeoutMs ?? policy.timeoutMs ?? defaultTimeoutMs(request, maxWebhookTimeoutMs),
    delivery: withTrace(request.outbound ?? handlerDelivery(request.payloadVersion), request.trace),
    ...(request.tags !== undefined && request.tags.length > 0 && { tags: request.tags }),
    ...(request.laterMs !== undefined && { laterMs: request.laterMs }),
    actor: request.actor,
  };
}

/** Milliseconds until a request's due time, by the estimated database time; at least 0. */
export function delayOf(request: Pick<TaskRequest, "due">, now: EpochMs): number {
  const due = dueOf(request);
  return Math.max(0, "delayMs" in due ? due.delayMs : due.at - now);
}

/** The error for a due time that is too far from now; null: it is near enough. */
export function tooFar(request: Pick<TaskRequest, "due">, now: EpochMs): TickwheelError | null {
  if (delayOf(request, now) <= MAX_DELAY_MS) return null;
  const fault = { path: "scheduledAt", message: "must be at most 100 years from now" };
  return new TickwheelError("VALIDATION_FAILED", `${fault.path} ${fault.message}`, { faults: [fault] });
}

/** The error for a payload that no merge can take; null: there is none, or the request is no merge. */
export function unfitForMerge({ onConflict, payload, reducers }: TaskRequest): TickwheelError | null {
  const fault = onConflict === "merge" ? mergeFault(payload, reducers ?? {}) : null;
  if (!fault) return null;
  const { code, message } = fault;
  const path = shownText(fault.path);
  return new TickwheelError(code, `${path} ${message}`, { faults: [{ path, message }], details: { path: fault.path } });
}

export function hintOf(task: Task): TaskHint {
  const { id, typeId, version, dueAt, priority } = task;
  return { id, typeId, version, dueAt, priority };
}

/** The hint of a task that was written a moment ago; its row's own due time is the database's. */
export function hintOfSpawned({ id, typeId, due, priority }: NewTask, nowMs: EpochMs): TaskHint {
  const asked = "at" in due ? due.at : nowMs + due.delayMs;
  return { id, typeId, version: 1, dueAt: Math.max(nowMs, asked), priority };
}

function defaultTimeoutMs({ outbound }: Pick<TaskRequest, "outbound">, maxWebhookTimeoutMs: number): number {
  return outbound?.kind === "webhook" ? Math.min(DEFAULT_TIMEOUT_MS, maxWebhookTimeoutMs) : DEFAULT_TIMEOUT_MS;
}

function dueOf({ due = AT_ONCE }: Pick<TaskRequest, "due">): NewTask["due"] {
  return due;
}
