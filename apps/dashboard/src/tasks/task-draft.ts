import { parseJson, prettyJson } from "../api/json.js";
import type { FieldFault } from "../api/problem.js";
import type { ConflictPolicy, Task, TaskInput } from "../api/wire.js";

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
  /** Reducers by field, such as `bytes: add, files: append`, or as a JSON object. */
  readonly merge: string;
  readonly maxWait: string;
  /** Empty, as all that follow: the type's own. */
  readonly priority: string;
  readonly maxAttempts: string;
  /** From its time on; empty: none. */
  readonly startDeadline: string;
  /** With commas between them. */
  readonly tags: string;
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
    merge: "",
    maxWait: "",
    priority: "",
    maxAttempts: "",
    startDeadline: "",
    tags: "",
    idempotencyKey: newIdempotencyKey(),
  };
}

/**
 * A draft of another task like this one. The key is left out, since at most one live task has it; the idempotency key
 * is a new one.
 */
export function draftLike(task: Pick<Task, "type" | "payload" | "priority" | "maxAttempts" | "tags">): TaskDraft {
  const { type, payload, priority, maxAttempts, tags } = task;
  return {
    ...newDraft(),
    type,
    payload: prettyJson(payload),
    tags: tags.join(", "),
    priority: String(priority),
    maxAttempts: String(maxAttempts),
  };
}

/** 128 random bits. (`crypto.randomUUID` is missing on pages served by plain HTTP.) */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export type DraftReading =
  | { readonly ok: true; readonly input: TaskInput }
  | { readonly ok: false; readonly errors: readonly FieldFault[] };

/**
 * The task input that a draft describes, or every fault in it by the path that the API would name. It looks only at
 * what cannot be sent; the rules for what is sent are the API's.
 */
export function inputOf(draft: TaskDraft): DraftReading {
  const payload = payloadOf(draft.payload);
  const merge = takesReducers(draft) ? reducersOf(draft.merge) : NO_REDUCERS;
  const errors = [
    ...typeFaults(draft),
    ...payload.errors,
    ...timeFaults(draft),
    ...merge.errors,
    ...numberFaults(draft),
  ];
  if (errors.length > 0) return { ok: false, errors };
  const idempotencyKey = draft.idempotencyKey.trim();
  const input = {
    type: draft.type.trim(),
    payload: payload.value,
    ...timeOf(draft),
    ...keyOf(draft, merge.value),
    ...numberOf("priority", draft),
    ...numberOf("maxAttempts", draft),
    ...(draft.startDeadline.trim() !== "" && { startDeadline: durationOf(draft.startDeadline) }),
    ...tagsOf(draft),
    ...(idempotencyKey && { idempotencyKey }),
  };
  return { ok: true, input };
}

/** Whether the draft's policy combines payloads. Without a key no policy is sent. */
export function takesReducers({ key, onConflict }: TaskDraft): boolean {
  return key !== "" && onConflict === "merge";
}

/** Whether the draft's policy moves the live task. */
export function takesMaxWait({ key, onConflict }: TaskDraft): boolean {
  return key !== "" && (onConflict === "refresh" || onConflict === "merge");
}

type KeyInput = Pick<TaskInput, "key" | "onConflict" | "merge" | "maxWait">;

function keyOf(draft: TaskDraft, merge: unknown): KeyInput {
  const { key, onConflict, maxWait } = draft;
  if (key === "") return {};
  return {
    key,
    onConflict,
    ...(merge !== undefined && { merge }),
    ...(takesMaxWait(draft) && maxWait.trim() !== "" && { maxWait: durationOf(maxWait) }),
  };
}

/** A value to be sent, undefined where none is; or why it cannot be sent. */
export interface Reading {
  readonly value: unknown;
  readonly errors: readonly FieldFault[];
}

const NO_REDUCERS: Reading = { value: undefined, errors: [] };

/** `bytes: add, files: append`, or JSON for names with commas. Which reducers there are, the API says. */
function reducersOf(text: string): Reading {
  const given = text.trim();
  if (given === "") return NO_REDUCERS;
  if (given.startsWith("{")) return jsonOf("merge", given);
  const entries = given.split(",").map((part) => /^(.*):([^:]*)$/.exec(part)?.slice(1));
  if (entries.includes(undefined))
    return { value: undefined, errors: [{ path: "merge", detail: "is not a list such as bytes: add, files: append" }] };
  const pairs = entries.map((entry) => entry!.map((word) => word.trim()) as [string, string]);
  return { value: Object.fromEntries(pairs), errors: [] };
}

function jsonOf(path: string, text: string): Reading {
  try {
    return { value: parseJson(text), errors: [] };
  } catch (cause) {
    return { value: null, errors: [{ path, detail: `is not JSON: ${(cause as Error).message}` }] };
  }
}

/** A payload as it is typed. */
export function payloadOf(text: string): Reading {
  if (text.trim() === "")
    return { value: null, errors: [{ path: "payload", detail: "is empty; write null for none" }] };
  return jsonOf("payload", text);
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
  const isWhole = (text: string): boolean => /^\d*$/.test(text.trim());
  const fields = ["priority", "maxAttempts"] as const;
  return fields.filter((field) => !isWhole(draft[field])).map((path) => ({ path, detail: "is not a whole number" }));
}

/** Where nothing is typed nothing is sent: the type says it. */
function numberOf<Name extends "priority" | "maxAttempts">(name: Name, draft: TaskDraft): Partial<TaskInput> {
  const typed = draft[name].trim();
  return typed === "" ? {} : { [name]: Number(typed) };
}

function timeOf({ when, delay, scheduledAt }: TaskDraft): Pick<TaskInput, "delay" | "scheduledAt"> {
  if (when === "now") return {};
  if (when === "scheduledAt") return { scheduledAt: new Date(scheduledAt).toISOString() };
  return { delay: durationOf(delay) };
}

/** A comma too many is no tag; which tags are good, the API says. */
export function tagsOf({ tags }: Pick<TaskDraft, "tags">): Pick<TaskInput, "tags"> {
  const given = tags.split(",").flatMap((part) => part.trim() || []);
  return given.length === 0 ? {} : { tags: given };
}

/** Digits are milliseconds; any other text is for the API to read. */
export function durationOf(typed: string): NonNullable<TaskInput["delay"]> {
  const text = typed.trim();
  return /^\d+$/.test(text) ? Number(text) : (text as NonNullable<TaskInput["delay"]>);
}
