import type { EpochMs } from "@tickwheel/core";
import { unplanned } from "./conclude.js";
import { isUnstarted } from "./executed-run.js";
import { triggeredOccurrence } from "./occurrence.js";
import type { PlanningInput, PlanningOutput, PlanningState } from "./planning.js";
import { type Closing, closed, isAhead, isChain } from "./withdrawal.js";

/** A pause that is asked for. `until`: it ends by itself then; null: only a resume ends it. */
export interface SchedulePauseRequest {
  until: EpochMs | null;
  /** Default `REQUESTED`. */
  reason?: "REQUESTED" | "UNANNOUNCED";
}

/**
 * Pauses a schedule. Instants that were due are settled under the policies; then the backlog is emptied, and the
 * occurrence that has not started is taken back: an overdue one and all that passed since are skipped as `PAUSED`, one
 * that is ahead is open again. A run goes on with its retries, and so does a trigger. A schedule that is paused only
 * gets another end.
 */
export function decidePause(
  input: PlanningInput,
  { until, reason = "REQUESTED" }: SchedulePauseRequest,
): PlanningOutput {
  const { state, now } = input;
  const paused = { since: state.pause?.since ?? now, until, reason: state.pause?.reason ?? reason };
  const isOverdue = isUnstarted(input) && !isAhead(input) && !input.live!.isTrigger;
  const closing = state.pause ? null : isOverdue ? closedAsPaused(input) : closed(input);
  if (!closing) return { ...nothing(input), state: { ...state, pause: paused }, lookAt: until };
  const { settlement, verdict } = closing;
  for (const { at } of settlement.backlog) settlement.ledger.skip(at, "PAUSED");
  settlement.backlog = [];
  if (verdict === "withdraw" && isChain(input)) skipIfSettled(closing, input);
  const next = { ...reopened(input, closing), pause: paused };
  return { ...unplanned({ input, settlement, verdict, state: next }), lookAt: until };
}

/**
 * Starts a run by hand, with the time of the call as its instant. In a chain it takes the key, so the occurrence ahead
 * is taken back and planned anew at its end; with overlap `allow` it runs beside the others. Works while paused. Null
 * where the chain's occurrence is overdue, running or retrying, or no further one may live: `TASK_STATE_CONFLICT`.
 */
export function decideTrigger(input: PlanningInput): PlanningOutput | null {
  const { definition, live, state } = input;
  const insert = [triggeredOccurrence(input)];
  if (definition.policies.overlap === "allow") return input.places === 0 ? null : { ...nothing(input), insert };
  if (live && !isAhead(input)) return null;
  if (state.pause) return { ...nothing(input), insert, lookAt: state.pause.until };
  const closing = closed(input);
  const { settlement, verdict } = closing;
  return { ...unplanned({ input, settlement, verdict, state: reopened(input, closing) }), insert };
}

function nothing({ state }: PlanningInput): PlanningOutput {
  return { insert: [], skips: [], live: "keep", standIn: null, state, lookAt: null, isFinished: false };
}

/** The state in which all that is not settled is open again. */
function reopened({ state }: PlanningInput, { settlement }: Closing): PlanningState {
  return { ...state, settledUntil: settlement.settledUntil, plannedUntil: settlement.settledUntil };
}

/** An overdue occurrence and all that passed since it was due are lost to the pause. */
function closedAsPaused(input: PlanningInput): Closing {
  const { definition, now, live, state } = input;
  const losing = { ...definition, policies: { ...definition.policies, onResume: "skip" as const } };
  const { settlement } = closed({ ...input, definition: losing }, { pause: { since: state.plannedUntil, until: now } });
  settlement.ledger.skip(live!.at, "PAUSED");
  return { settlement, verdict: "withdraw" };
}

/** An occurrence whose instant an edit left behind cannot be open again. */
function skipIfSettled({ settlement }: Closing, { live }: PlanningInput): void {
  if (live && live.at <= settlement.settledUntil) settlement.ledger.skip(live.at, "PAUSED");
}
