import type { EpochMs } from "@tickwheel/core";
import type { PlanningInput } from "./planning.js";

/** The run that executes, or that executed last: what overlaps with others. */
export interface ExecutedRun {
  /** Its instant. */
  at: EpochMs;
  /** From when on instants pass beside it. A trigger counts from the call. */
  startedAt: EpochMs;
  /** Until when it executed; of one that executes, now. */
  until: EpochMs;
  isTrigger: boolean;
}

/** The run that decides which instants were overlapped; null where none is known. */
export function executedRun({ definition, live, last, now }: PlanningInput): ExecutedRun | null {
  if (live && (live.startedAt !== null || live.isTrigger)) {
    const { at, attemptEndedAt, isTrigger } = live;
    const isWaiting = live.state === "retrying" && !definition.policies.holdForRetry;
    const until = isWaiting ? (attemptEndedAt ?? now) : now;
    return { at, startedAt: isTrigger ? at : live.startedAt!, until, isTrigger };
  }
  if (!last || (last.startedAt === null && !last.isTrigger)) return null;
  const { at, endedAt, isTrigger } = last;
  return { at, startedAt: isTrigger ? at : last.startedAt!, until: endedAt, isTrigger };
}

/** Whether the live occurrence is a row that will still run: it settles nothing. */
export function isUnstarted({ live }: PlanningInput): boolean {
  return live !== null && live.startedAt === null;
}
