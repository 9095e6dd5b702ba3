import type { EpochMs } from "@tickwheel/core";
import { ExcludedDays } from "../instants/excluded-days.js";
import { jitterMs } from "../instants/jitter.js";
import type { DelaySpec } from "../definition/schedule.js";
import { hasFailedTooOften } from "./failures.js";
import type { PlannedOccurrence, PlanningInput, PlanningOutput, PlanningState } from "./planning.js";

/** What asks for the next occurrence of a fixed delay, where it is not the end of a run. */
export interface DelayCause {
  /** The end of a pause. */
  isResume?: boolean;
  /** A new definition: nothing that is past already is run because of it. */
  isEdit?: boolean;
}

/**
 * Decides for a fixed delay: one open instant, the end of the last run plus the delay, and only when nothing lives. The
 * first is the window's start, else the creation plus the delay. One that has passed already is due now. Where the last
 * end is no longer known, it counts from now. An excluded day moves it to the first moment of the next free one.
 */
export function decideDelay(input: PlanningInput, cause: DelayCause = {}): PlanningOutput {
  const { state, live } = input;
  if (live) return outcome(state);
  if (hasFailedTooOften(input, state))
    return outcome({ ...state, pause: { since: input.now, until: null, reason: "FAILURES" } });
  const { endsAt } = input.definition.window;
  const at = openInstant(input, cause);
  if (endsAt !== null && at >= endsAt) return { ...outcome(state), isFinished: true };
  const settledUntil = Math.max(state.settledUntil, Math.min(state.plannedUntil, input.now));
  return { ...outcome({ ...state, settledUntil, plannedUntil: at }), insert: [occurrenceAt(at, input)] };
}

function outcome(state: PlanningState): PlanningOutput {
  return { insert: [], skips: [], live: "keep", standIn: null, state, lookAt: null, isFinished: false };
}

function openInstant(input: PlanningInput, cause: DelayCause): EpochMs {
  const { definition, now } = input;
  const { afterMs } = definition.spec as DelaySpec;
  const wanted = Math.max(countedInstant(input), definition.window.startsAt ?? 0);
  const hasPassed = wanted < now;
  const isDropped =
    hasPassed && (isTooOld(wanted, input) || (cause.isResume && definition.policies.onResume === "skip"));
  const at = isDropped ? now + afterMs : cause.isEdit ? Math.max(now, wanted) : wanted;
  return new ExcludedDays(definition.exclude, definition.timeZone).firstFreeFrom(at);
}

function countedInstant({ definition, state, last, now }: PlanningInput): EpochMs {
  const { afterMs } = definition.spec as DelaySpec;
  if (last) return last.endedAt + afterMs;
  const isFirst = state.plannedUntil === definition.createdAt;
  if (!isFirst) return now + afterMs;
  return definition.window.startsAt ?? definition.createdAt + afterMs;
}

function isTooOld(at: EpochMs, { definition, now }: PlanningInput): boolean {
  const { catchUpLimitMs } = definition.policies;
  return catchUpLimitMs !== null && now - at > catchUpLimitMs;
}

function occurrenceAt(at: EpochMs, { definition, now }: PlanningInput): PlannedOccurrence {
  const { jitterMs: mostMs, startDeadlineMs, catchUpLimitMs } = definition.policies;
  const dueAt = at <= now ? now : at + jitterMs({ scheduleId: definition.id, at, mostMs });
  const deadlineMs = Math.min(startDeadlineMs ?? Infinity, catchUpLimitMs ?? Infinity);
  return {
    at,
    dueAt,
    missed: 0,
    hasMissedMore: false,
    startDeadlineAt: deadlineMs === Infinity ? null : dueAt + deadlineMs,
    isTrigger: false,
  };
}
