import { JSON_NULL } from "./json-text.js";
import type { Task } from "./task.js";

/** The longest payload, in bytes of its text. */
export const MAX_PAYLOAD_BYTES = 65_536;
/** A page of a list ends with the task that reaches so many bytes: 2 MiB. */
export const PAGE_BYTES = 2_097_152;
/** About how many bytes a task has without what can be long. */
export const TASK_BYTES = 1_024;

/** What of a task can be long; its delivery as it is stored, or as it is shown. */
type LongFields = Pick<Task, "payload" | "result" | "lastError" | "tags"> & { delivery: object | null };

/** About how many bytes a task is as JSON. */
export function bytesOf(task: LongFields): number {
  return TASK_BYTES + longBytesOf(task);
}

/** How many of these bytes are its payload, result, delivery, last error and tags. */
export function longBytesOf({ payload, result, delivery, lastError, tags }: LongFields): number {
  const lengths = (result?.length ?? 0) + lengthOf(delivery) + lengthOf(tags.length === 0 ? null : tags);
  return (payload === JSON_NULL ? 0 : payload.length) + (lastError?.length ?? 0) + lengths;
}

function lengthOf(value: unknown): number {
  return value === null ? 0 : JSON.stringify(value).length;
}
