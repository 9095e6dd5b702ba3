import { type EpochMs, TickwheelError } from "@tickwheel/core";
import { newPlanningState } from "../planning/planning.js";
import type {
  NewSchedule,
  OccurrenceTask,
  ScheduleChange,
  ScheduleState,
  StoredPlanning,
  StoredSchedule,
} from "./schedule-store.js";

/**
 * What a verdict does to an occurrence as it is now. `end`: it waits and ends `cancelled`; `ask`: it executes and is
 * asked to stop; `lower`: it executes and gets no further attempt.
 */
export type LiveEffect = "end" | "ask" | "lower";

/** Null: nothing is to be done. */
export function liveEffect(
  verdict: ScheduleChange["live"][number]["verdict"],
  { state, startedAt, isCancelRequested, attempt, maxAttempts }: OccurrenceTask,
): LiveEffect | null {
  if (state === "scheduled") return verdict === "withdraw" && startedAt !== null ? null : "end";
  if (state !== "running") return null;
  if (verdict === "cancel") return isCancelRequested ? null : "ask";
  return verdict === "end-retries" && attempt < maxAttempts ? "lower" : null;
}

/** Who is noted as the one who cancelled an occurrence. */
export function actorOf({ name }: Pick<StoredSchedule, "name">, { actor, content }: ScheduleChange): string {
  return actor ?? content?.actor ?? `schedule:${name}`;
}

/** How a schedule stands. */
export function scheduleState({ pause, isFinished }: StoredPlanning): ScheduleState {
  if (pause !== null) return "paused";
  return isFinished ? "finished" : "active";
}

/** The row of a schedule after a change. */
export function changedSchedule(schedule: StoredSchedule, change: ScheduleChange, now: EpochMs): StoredSchedule {
  const { content, planning, isDeleted } = change;
  const planned = { ...schedule, planning: isDeleted ? { ...planning, lookAt: null } : planning };
  if (!content) return planned;
  const { actor, ...rest } = content;
  return { ...planned, ...rest, revision: schedule.revision + 1, changedAt: now, changedBy: actor };
}

const NO_NOTES = { pauseNote: null, pausedBy: null };
const NO_RULES = { zoneRules: null, wallAt: null };
const NO_BACKFILL = { backfill: null, backfilled: [] };

/** The row of a new schedule as it is before its first plan: it is to be looked at. */
export function newStoredSchedule(
  { id, namespace, name, actor, ...content }: NewSchedule,
  now: EpochMs,
): StoredSchedule {
  const planning = {
    ...newPlanningState(now),
    lookAt: now,
    isFinished: false,
    ...NO_NOTES,
    ...NO_BACKFILL,
    ...NO_RULES,
  };
  const made = { createdAt: now, changedAt: now, createdBy: actor, changedBy: actor };
  return { id, namespace, name, ...content, revision: 1, ...made, planning };
}

/** Thrown where a namespace has as many schedules as it may have. */
export function scheduleQuotaReached(namespace: string, quota: number): TickwheelError {
  return new TickwheelError("VALIDATION_FAILED", `The namespace has ${quota} schedules already`, {
    faults: [{ path: "name", message: `is new, and the namespace has ${quota} schedules already` }],
    details: { namespace, quota },
  });
}

/** Thrown where another task holds the key of an occurrence that is to be made. */
export function occurrenceKeyHeld(name: string, existingId: string): TickwheelError {
  const message = `Another task holds the key of an occurrence of "${name}"`;
  return new TickwheelError("TASK_KEY_CONFLICT", message, { details: { existingId } });
}

/** A schedule whose occurrence's key another task holds is looked at again after so long, in milliseconds. */
export const POSTPONED_LOOK_MS = 10_000;
