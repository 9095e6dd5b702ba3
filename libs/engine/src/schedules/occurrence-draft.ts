import {
  type EpochMs,
  type NewTask,
  newTaskId,
  type Random,
  SCHEDULE_KEY,
  slotOfKey,
  type TypePolicy,
} from "@tickwheel/core";
import type { RunKind, ScheduleScene, StoredSchedule } from "@tickwheel/schedules";
import { draftTask } from "../requests/task-draft.js";
import type { DraftedOccurrence } from "./drafted-occurrence.js";
import { isChain } from "./schedule-decision.js";

/** A backfill's runs give way to all others. */
const LOWEST_PRIORITY = 9;

/** What a draft needs to know of the node. */
export interface DraftParts {
  random: Random;
  maxWebhookTimeoutMs: number;
  /** What the nodes that run a type want for its tasks. */
  policyOf(schedule: StoredSchedule): TypePolicy;
}

/** The schedule whose occurrence has this key, by its id; null: it is none's. */
export function scheduleIdOf(key: string | null): string | null {
  return key !== null && key.startsWith(SCHEDULE_KEY) ? key.slice(SCHEDULE_KEY.length).split(":", 1)[0]! : null;
}

/**
 * The task of an occurrence. A chain's tasks have one key, so the store itself refuses a second live one; with overlap
 * `allow`, and in a backfill, the key has the instant.
 */
export function draftOccurrence(
  planned: DraftedOccurrence,
  { schedule, now }: ScheduleScene,
  parts: DraftParts,
): NewTask {
  const { kind, dueAt, startDeadlineAt } = planned;
  const { namespace, type, typeId, payload, taskOptions, name } = schedule;
  const key = keyOf(schedule, planned);
  return draftTask(
    {
      namespace,
      type,
      payload,
      due: { at: dueAt },
      key,
      ...taskOptions,
      ...(kind === "backfill" ? { priority: LOWEST_PRIORITY } : {}),
      ...(startDeadlineAt === null ? {} : { startDeadlineMs: Math.max(1, startDeadlineAt - dueAt) }),
      actor: `schedule:${name}`,
    },
    parts.policyOf(schedule),
    {
      id: newTaskId(now, slotOfKey(namespace, type, key), parts.random),
      typeId,
      maxWebhookTimeoutMs: parts.maxWebhookTimeoutMs,
    },
  );
}

function keyOf(schedule: StoredSchedule, { kind, at }: { kind: RunKind; at: EpochMs }): string {
  const ofChain = `${SCHEDULE_KEY}${schedule.id}`;
  if (kind === "backfill") return `${ofChain}:backfill:${at}`;
  if (isChain(schedule)) return ofChain;
  return kind === "trigger" ? `${ofChain}:trigger:${at}` : `${ofChain}:${at}`;
}
