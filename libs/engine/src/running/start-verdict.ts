import type { EpochMs } from "@tickwheel/core";
import { type TimeEstimate, timeUntilDueMs } from "../runtime/time-until-due.js";

/** A start that comes later than this after its claim was sent is verified first. */
export const VERIFY_AFTER_MS = 250;

/** `verify`: the store is asked first whether the task is still ours and nobody asked to cancel it. */
export type StartVerdict = "too_early" | "verify" | "run";

/**
 * [verified-start], [never-early]: what to do with a claimed task whose turn it is. A claim that took long may have
 * been overtaken by a cancel, or by the others, who held this node for dead.
 */
export function startVerdict(claimed: { dueAt: EpochMs; claimedForMs: number }, estimate: TimeEstimate): StartVerdict {
  if (timeUntilDueMs(claimed.dueAt, estimate) > 0) return "too_early";
  return claimed.claimedForMs > VERIFY_AFTER_MS ? "verify" : "run";
}
