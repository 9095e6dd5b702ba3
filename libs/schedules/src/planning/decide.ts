import { isPauseInForce } from "@tickwheel/core";
import { besideRun, type Conclusion, withNext } from "./conclude.js";
import { decideDelay } from "./delay.js";
import { isUnstarted } from "./executed-run.js";
import { hasFailedTooOften, pausedByFailures } from "./failures.js";
import { decideOpen } from "./open.js";
import type { LiveVerdict, PlanningInput, PlanningOutput, PlanningState } from "./planning.js";
import { settle, type Settlement } from "./settle.js";

/**
 * Decides what a schedule does now: which instants are settled and how, what happens to its live occurrence, which task
 * is created next, and when to ask again. Pure and total: it may be asked at any time and as often as one likes. Asked
 * twice at the same state and time, it changes nothing the second time.
 *
 * It takes a few microseconds for a schedule that is on time, about a millisecond where a thousand instants have
 * passed.
 *
 * @example
 * const { insert, skips, live, state, lookAt } = decide({ definition, state, now, live: null, last: null });
 */
export function decide(input: PlanningInput): PlanningOutput {
  const { pause, plannedUntil } = input.state;
  if (pause && isPauseInForce(pause, input.now)) return whilePaused(input);
  if (pause) return decideResume(input);
  if (input.definition.spec.kind === "after") return decideDelay(input);
  if (input.definition.policies.overlap === "allow") return decideOpen(input);
  if (isUnstarted(input)) return untouched(input);
  return concluded(input, settle(input, { accountedUntil: plannedUntil }));
}

/**
 * Ends a pause, by a call or because its time is over. Instants that were due in the pause are settled by `onResume`:
 * all of them are skipped, or the newest runs at once (after a run that still executes). The failures in a row begin at
 * 0 again. Without a pause it is `decide`.
 */
export function decideResume(input: PlanningInput): PlanningOutput {
  const { state, now } = input;
  if (!state.pause) return decide(input);
  const pause = { since: state.pause.since, until: Math.min(state.pause.until ?? now, now) };
  const open: PlanningInput = { ...input, state: { ...state, pause: null, failures: 0 } };
  if (open.definition.spec.kind === "after") return decideDelay(open, { isResume: true });
  if (open.definition.policies.overlap === "allow") return decideOpen(open, pause);
  return concluded(open, settle(open, { accountedUntil: state.plannedUntil, pause }));
}

/** Acts on the live occurrence after a settlement, then plans the next one where the key is free. */
export function concluded(input: PlanningInput, settlement: Settlement): PlanningOutput {
  const { live, state } = input;
  const verdict = verdictOf(input, settlement);
  const isFreed = live === null || (live.state === "retrying" && verdict !== "keep");
  const gaveUp = live !== null && isFreed;
  const settled: PlanningState = {
    ...state,
    failures: state.failures + (gaveUp && !live.isTrigger ? 1 : 0),
    settledUntil: settlement.settledUntil,
    plannedUntil: Math.max(state.plannedUntil, settlement.settledUntil),
  };
  const conclusion: Conclusion = { input, settlement, state: settled, verdict };
  if (!isFreed) return besideRun(conclusion);
  return hasFailedTooOften(input, settled) ? pausedByFailures(conclusion) : withNext(conclusion);
}

/** What a schedule does that keeps everything as it is. */
export function untouched(input: PlanningInput): PlanningOutput {
  return { insert: [], skips: [], live: "keep", standIn: null, state: input.state, lookAt: null, isFinished: false };
}

function whilePaused(input: PlanningInput): PlanningOutput {
  return { ...untouched(input), lookAt: input.state.pause!.until };
}

function verdictOf({ live, definition }: PlanningInput, { hasPassed }: Settlement): LiveVerdict {
  const { overlap, holdForRetry } = definition.policies;
  if (!live || !hasPassed || live.startedAt === null) return "keep";
  if (live.state === "retrying" && !holdForRetry) return "end-retries";
  if (overlap === "cancel-other") return live.isCancelRequested ? "keep" : "cancel";
  return live.state === "running" && live.hasAttemptsLeft && !holdForRetry ? "end-retries" : "keep";
}
