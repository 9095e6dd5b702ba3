import type { Task } from "../api/wire.js";

/** What a task is called. Pure: the caller knows the schedules' names and how an instant is written. */
export interface TaskName {
  readonly text: string;
  /** What it stands for, whole: the key, else the id. */
  readonly whole: string;
  /** Where its middle may be left out: a key and an id; words are cut at their end. */
  readonly isCode: boolean;
}

interface NameSources {
  /** By the schedule's id; undefined: it is not known. */
  readonly scheduleName: (id: string) => string | undefined;
  readonly instantText: (instant: number) => string;
}

/** The key of a schedule's task begins so. */
const ofSchedule = "schedule:";

/** The schedule that made a task, by its id, and the instant that its key tells; null: no schedule did. */
export function occurrenceOf(key: string | null): { scheduleId: string; at: number | null } | null {
  if (key === null || !key.startsWith(ofSchedule)) return null;
  const [scheduleId = "", ...rest] = key.slice(ofSchedule.length).split(":");
  const at = Number(rest.at(-1));
  return { scheduleId, at: rest.length > 0 && Number.isFinite(at) ? at : null };
}

type Nameable = Pick<Task, "id" | "key"> & Partial<Pick<Task, "scheduledAt" | "payload" | "payloadMasked">>;

/**
 * By its key; of a schedule's task by the schedule and its instant.
 *
 * @param otherwise what a task without a key is called by; default: its id
 */
export function taskName(task: Nameable, sources: NameSources, otherwise: "id" | "payload" = "id"): TaskName {
  const { id, key, scheduledAt, payload, payloadMasked } = task;
  const whole = key ?? id;
  const occurrence = occurrenceOf(key);
  if (occurrence) {
    const { scheduleId, at } = occurrence;
    const instant = at ?? (scheduledAt === undefined ? null : Date.parse(scheduledAt));
    const name = sources.scheduleName(scheduleId) ?? `a schedule that is not known (${scheduleId})`;
    return { text: instant === null ? name : `${name}, ${sources.instantText(instant)}`, whole, isCode: false };
  }
  const field = key === null && otherwise === "payload" && !payloadMasked ? firstField(payload) : null;
  return field === null ? { text: whole, whole, isCode: true } : { text: field, whole, isCode: false };
}

/** No more of a payload names a task. */
const mostShown = 60;

/** `orderId: 4711`; null: the payload has no field that says much. */
function firstField(payload: unknown): string | null {
  if (typeof payload !== "object" || payload === null) return typeof payload === "string" ? shortened(payload) : null;
  const [first] = Object.entries(payload);
  if (first === undefined) return null;
  const [name, value] = first;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return shortened(Array.isArray(payload) ? text : `${name}: ${text}`);
}

const shortened = (text: string): string => (text.length > mostShown ? `${text.slice(0, mostShown - 1)}…` : text);
