import { type Conclusion, unplanned } from "./conclude.js";
import type { PlanningInput, PlanningOutput, PlanningState } from "./planning.js";

/** Whether the failures in a row are as many as pause a schedule. */
export function hasFailedTooOften({ definition }: PlanningInput, { failures }: PlanningState): boolean {
  const { pauseAfterFailures } = definition.policies;
  return pauseAfterFailures !== null && failures >= pauseAfterFailures;
}

/** Pauses a schedule whose runs fail: nothing waits, nothing is planned. */
export function pausedByFailures(conclusion: Conclusion): PlanningOutput {
  const { input, settlement, state } = conclusion;
  for (const { at } of settlement.backlog) settlement.ledger.skip(at, "PAUSED");
  settlement.backlog = [];
  return unplanned({
    ...conclusion,
    state: { ...state, pause: { since: input.now, until: null, reason: "FAILURES" } },
  });
}
