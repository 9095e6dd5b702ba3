import type { EpochMs } from "@tickwheel/core";
import { occurrenceOf } from "./occurrence.js";
import type { LiveVerdict, PlannedOccurrence, PlanningInput, PlanningOutput, PlanningState } from "./planning.js";
import type { Settlement } from "./settle.js";

/** A settlement, and what the decision does beside settling. */
export interface Conclusion {
  input: PlanningInput;
  settlement: Settlement;
  /** The state so far. */
  state: PlanningState;
  verdict: LiveVerdict;
}

/** The output of a decision that plans nothing. */
export function unplanned({ settlement, state, verdict }: Conclusion): PlanningOutput {
  return {
    insert: [],
    skips: settlement.ledger.stretches(),
    live: verdict,
    standIn: settlement.standIn,
    state: { ...state, backlog: settlement.backlog },
    lookAt: null,
    isFinished: false,
  };
}

/** The output of a decision after which the key is free: the head of the backlog now, else the next instant. */
export function withNext(conclusion: Conclusion): PlanningOutput {
  const { input, settlement, state } = conclusion;
  const output = unplanned(conclusion);
  const [head, ...waiting] = settlement.backlog;
  if (head) {
    const nominalAt = settlement.instants.dueAt(head.at);
    const chosen = { at: head.at, dueAt: input.now, nominalAt, hasLimit: head.reason !== "PAUSED" };
    return { ...output, insert: [occurrenceOf(chosen, input, settlement)], state: { ...state, backlog: waiting } };
  }
  const next = nextOccurrence(conclusion);
  if (!next) return { ...output, isFinished: true };
  return { ...output, insert: [next], state: { ...output.state, plannedUntil: next.at } };
}

function nextOccurrence({ input, settlement, state }: Conclusion): PlannedOccurrence | null {
  const at = settlement.instants.firstDueAfter(input.now, state.plannedUntil);
  if (at === null) return null;
  const dueAt = settlement.instants.dueAt(at);
  return occurrenceOf({ at, dueAt, nominalAt: dueAt, hasLimit: true }, input, settlement);
}

/** The output of a decision beside a run that goes on. */
export function besideRun(conclusion: Conclusion): PlanningOutput {
  return { ...unplanned(conclusion), lookAt: nextLook(conclusion) };
}

/** When the next instant changes something for the run that goes on; null: only its end does. */
function nextLook({ input, settlement, state, verdict }: Conclusion): EpochMs | null {
  const { live, definition, now } = input;
  if (!live || verdict === "cancel" || live.isCancelRequested) return null;
  const { overlap, holdForRetry } = definition.policies;
  const losesRetries =
    !holdForRetry && verdict !== "end-retries" && (live.state === "retrying" || live.hasAttemptsLeft);
  if (overlap !== "cancel-other" && !losesRetries) return null;
  const next = settlement.instants.firstDueAfter(now, state.plannedUntil);
  return next === null ? null : settlement.instants.dueAt(next);
}
