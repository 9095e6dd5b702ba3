import { parseJson } from "../api/json.js";
import type { FieldFault } from "../api/problem.js";
import type { ConflictPolicy, TaskInput } from "../api/wire.js";

/** What stands in the form, as typed. */
export interface TaskDraft {
  readonly type: string;
  readonly payload: string;
  readonly when: "now" | "delay" | "scheduledAt";
  readonly delay: string;
  /** As a `datetime-local` field gives it: local time without an offset. */
  readonly scheduledAt: string;
  readonly key: string;
  readonly onConflict: ConflictPolicy;
  readonly priority: string;
  readonly maxAttempts: string;
  readonly idempotencyKey: string;
}

export function newDraft(): TaskDraft {
  return {
    type: "",
    payload: "{}",
    when: "delay",
    delay: "1m",
    scheduledAt: "",
    key: "",
    onConflict: "reject",
    priority: "5",
    maxAttempts: "3",
    idempotencyKey: newIdempotencyKey(),
  };
}

/** 128 random bits. (`crypto.randomUUID` is missing on pages served by plain HTTP.) */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export type DraftReading =
  { readonly ok: true; readonly input: TaskInput } | { readonly ok: false; readonly errors: readonly FieldFault[] };

/**
 * The task input that a draft describes, or every fault in it by the path that the API would name. It looks only at
 * what cannot be sent; the rules for what is sent are the API's.
 */
export function inputOf(draft: TaskDraft): DraftReading {
  const payload = payloadOf(draft.payload);
  const errors = [...typeFaults(draft), ...payload.errors, ...timeFaults(draft), ...numberFaults(draft)];
  if (errors.length > 0) return { ok: false, errors };
  const key = draft.key === "" ? {} : { key: draft.key, onConflict: draft.onConflict };
  const idempotencyKey = draft.idempotencyKey.trim();
  const input = {
    type: draft.type.trim(),
    payload: payload.value,
    ...timeOf(draft),
    ...key,
    priority: Number(draft.priority),
    maxAttempts: Number(draft.maxAttempts),
    ...(idempotencyKey && { idempotencyKey }),
  };
  return { ok: true, input };
}

function payloadOf(text: string): { readonly value: unknown; readonly errors: readonly FieldFault[] } {
  if (text.trim() === "")
    return { value: null, errors: [{ path: "payload", detail: "is empty; write null for none" }] };
  try {
    return { value: parseJson(text), errors: [] };
  } catch (cause) {
    return { value: null, errors: [{ path: "payload", detail: `is not JSON: ${(cause as Error).message}` }] };
  }
}

function typeFaults({ type }: TaskDraft): FieldFault[] {
  return type.trim() === "" ? [{ path: "type", detail: "is empty" }] : [];
}

function timeFaults({ when, delay, scheduledAt }: TaskDraft): FieldFault[] {
  if (when === "delay" && delay.trim() === "") return [{ path: "delay", detail: "is empty" }];
  if (when === "scheduledAt" && Number.isNaN(Date.parse(scheduledAt))) {
    return [{ path: "scheduledAt", detail: "is not a date and time" }];
  }
  return [];
}

function numberFaults(draft: TaskDraft): FieldFault[] {
  const isWhole = (text: string): boolean => /^\d+$/.test(text.trim());
  const fields = ["priority", "maxAttempts"] as const;
  return fields.filter((field) => !isWhole(draft[field])).map((path) => ({ path, detail: "is not a whole number" }));
}

function timeOf({ when, delay, scheduledAt }: TaskDraft): Pick<TaskInput, "delay" | "scheduledAt"> {
  if (when === "now") return {};
  if (when === "scheduledAt") return { scheduledAt: new Date(scheduledAt).toISOString() };
  const text = delay.trim();
  return { delay: /^\d+$/.test(text) ? Number(text) : text };
}

/** The form's field that a path of the API points into: `payload.items[0]`, `/payload/items/0` → `payload`. */
export function fieldOf(path: string): string {
  return path.replace(/^[/.$]+/, "").split(/[/.[]/, 1)[0] ?? "";
}
