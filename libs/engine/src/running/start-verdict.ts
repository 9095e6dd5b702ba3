import type { EpochMs } from "@tickwheel/core";
import { type TimeEstimate, timeUntilDueMs } from "../runtime/time-until-due.js";

/** A start later than this after its claim was sent is verified first. */
export const VERIFY_AFTER_MS = 250;

/** `verify`: ask the store first whether the task is still ours and no cancel was requested. */
export type StartVerdict = "too_early" | "verify" | "run";

/**
 * [verified-start], [never-early]: what to do with a claimed task whose turn it is. During a slow claim the task may
 * have been cancelled, or taken back by nodes that held this one for dead.
 */
export function startVerdict(claimed: { dueAt: EpochMs; claimedForMs: number }, estimate: TimeEstimate): StartVerdict {
  if (timeUntilDueMs(claimed.dueAt, estimate) > 0) return "too_early";
  return claimed.claimedForMs > VERIFY_AFTER_MS ? "verify" : "run";
}
