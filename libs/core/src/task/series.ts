import { ALL_GIVEN, type EpochMs, type NewTask, type Task } from "./task.js";

/** The most tasks of one series. */
export const MAX_SERIES_TASKS = 100;

/** When the further tasks of a series are due, the next first. */
export function laterInstants({ scheduledAt, laterMs }: Pick<Task, "scheduledAt" | "laterMs">): EpochMs[] {
  let at = scheduledAt;
  return laterMs.map((gapMs) => (at += gapMs));
}

/**
 * The next task of a series: the same at its next instant, under the same key. It is made when this one starts,
 * so whatever becomes of this one, the series goes on; and it ends when the task that holds the key is cancelled.
 */
export function nextOfSeries(before: Task, id: string): NewTask {
  const { typeId, key, payload, priority, maxAttempts, backoff, timeoutMs, given, delivery, tags, createdBy } = before;
  const [gapMs, ...laterMs] = before.laterMs;
  return {
    id,
    typeId,
    key,
    payload,
    priority,
    maxAttempts,
    backoff,
    timeoutMs,
    delivery,
    tags,
    laterMs,
    due: { at: before.scheduledAt + gapMs! },
    startDeadlineMs: before.startDeadlineAt === null ? null : before.startDeadlineAt - before.scheduledAt,
    onConflict: "reject",
    given: given & ALL_GIVEN,
    actor: createdBy,
  };
}
