import { type NewTask, newTaskId, type Random, slotOfKey, type TypePolicy } from "@tickwheel/core";
import type { PlannedOccurrence, ScheduleScene, StoredSchedule } from "@tickwheel/schedules";
import { draftTask } from "../requests/task-draft.js";
import { isChain } from "./schedule-decision.js";

/** Keys of occurrences begin so; no caller may choose such a key. */
export const SCHEDULE_KEY = "schedule:";

/** What a draft needs to know of the node. */
export interface DraftParts {
  random: Random;
  longestWebhookTimeoutMs: number;
  /** What the nodes that run a type want for its tasks. */
  policyOf(schedule: StoredSchedule): TypePolicy;
}

/** The schedule whose occurrence has this key, by its id; null: it is none's. */
export function scheduleIdOf(key: string | null): string | null {
  return key !== null && key.startsWith(SCHEDULE_KEY) ? key.slice(SCHEDULE_KEY.length).split(":", 1)[0]! : null;
}

/**
 * The task of an occurrence. A chain's tasks have one key, so the store itself refuses a second live one; with overlap
 * `allow` the key has the instant.
 */
export function draftOccurrence(
  planned: PlannedOccurrence,
  { schedule, now }: ScheduleScene,
  parts: DraftParts,
): NewTask {
  const { at, dueAt, startDeadlineAt, isTrigger } = planned;
  const { namespace, type, typeId, payload, taskOptions, name } = schedule;
  const key = `${SCHEDULE_KEY}${schedule.id}${isChain(schedule) ? "" : `:${isTrigger ? "trigger:" : ""}${at}`}`;
  return draftTask(
    {
      namespace,
      type,
      payload,
      due: { at: dueAt },
      key,
      ...taskOptions,
      ...(startDeadlineAt === null ? {} : { startDeadlineMs: Math.max(1, startDeadlineAt - dueAt) }),
      actor: `schedule:${name}`,
    },
    parts.policyOf(schedule),
    {
      id: newTaskId(now, slotOfKey(namespace, type, key), parts.random),
      typeId,
      longestWebhookTimeoutMs: parts.longestWebhookTimeoutMs,
    },
  );
}
