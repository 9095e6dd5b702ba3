import type { EpochMs, SchedulerOptions } from "@tickwheel/core";

/** The inputs of the decision whether to claim. */
export interface ClaimSituation {
  /** It is a member of the cluster, has a recent good beat, is not draining and is not giving tasks back. */
  mayWork: boolean;
  isInFlight: boolean;
  /** Writes about executions that the store has not acknowledged. */
  waitingSettles: number;
  /** The first task that waits and has a place to run; null: none. */
  firstDueAt: EpochMs | null;
  /** Whether there are places for tasks that are not due yet. */
  hasRoomAhead: boolean;
  dbNow: EpochMs;
  nowMonoMs: number;
  lastSentMonoMs: number;
  /** After a claim that failed or was fenced. */
  pausedUntilMonoMs: number;
}

/**
 * [claim-in-batches]: in how many milliseconds to claim; 0: at once; null: not before something changes. One claim is
 * in flight at a time. Tasks that are due are claimed without delay. For tasks due soon, a claim keeps a little
 * distance from the last one, so that one statement serves several milliseconds of due times, but is early enough for
 * its answer to arrive in time. If most places are taken, the claim waits until the task is due: a task claimed early
 * takes a place from one that could run. While too many results wait for the store [all-bounded], nothing is claimed.
 */
export function claimInMs(
  situation: ClaimSituation,
  options: Pick<SchedulerOptions, "claimAheadMs" | "settleBacklogSize">,
): number | null {
  const { firstDueAt, nowMonoMs } = situation;
  if (!couldClaim(situation, options) || firstDueAt === null) return null;
  const dueInMs = Math.max(0, firstDueAt - situation.dbNow);
  const aheadMs = situation.hasRoomAhead ? situation.lastSentMonoMs + options.claimAheadMs / 2 - nowMonoMs : Infinity;
  const pauseMs = situation.pausedUntilMonoMs - nowMonoMs;
  return Math.max(0, Math.ceil(Math.max(Math.min(dueInMs, aheadMs), pauseMs)));
}

/** Whether nothing of this node's own stands in the way of a claim but a pause after a failure. */
function couldClaim(
  { mayWork, isInFlight, waitingSettles }: ClaimSituation,
  { settleBacklogSize }: Pick<SchedulerOptions, "settleBacklogSize">,
): boolean {
  return mayWork && !isInFlight && waitingSettles <= settleBacklogSize;
}

/**
 * Whether a claim that is decided now is an offer to every ready task: it is sent, or only places are missing. A task
 * that it leaves out waits for a place.
 */
export function isOffer(
  situation: ClaimSituation,
  claimInMs: number | null,
  options: Pick<SchedulerOptions, "settleBacklogSize">,
): boolean {
  if (claimInMs !== null) return claimInMs === 0;
  const isPaused = situation.pausedUntilMonoMs > situation.nowMonoMs;
  return situation.firstDueAt === null && !isPaused && couldClaim(situation, options);
}
