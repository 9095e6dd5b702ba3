import type { EpochMs } from "@tickwheel/core";
import { Instants } from "../instants/instants.js";
import { PLAN_AHEAD_MS } from "../spec/schedule.js";
import { type Conclusion, unplanned } from "./conclude.js";
import { hasFailedTooOften, pausedByFailures } from "./failures.js";
import { occurrenceOf } from "./occurrence.js";
import { MOST_STEPS, type PlannedOccurrence, type PlanningInput, type PlanningOutput } from "./planning.js";
import { settle } from "./settle.js";

/** Every instant up to here has had its task, but for excluded ones. */
export function openUntil({ definition, state, now }: PlanningInput): EpochMs {
  const newest = new Instants(definition).newestDueBy(now) ?? 0;
  return Math.max(state.settledUntil, Math.min(state.plannedUntil, newest));
}

/**
 * Decides for overlap `allow`: each instant has a key of its own, and its task is made 30 s before it is due. What
 * passed without a task is missed; what misfire takes of it is inserted together. Live occurrences are never looked at.
 */
export function decideOpen(asked: PlanningInput, pause?: { since: EpochMs; until: EpochMs }): PlanningOutput {
  const input: PlanningInput = { ...asked, live: null, last: null };
  const { state, now } = input;
  const settlement = settle(input, { accountedUntil: openUntil(input), pause });
  const settled = {
    ...state,
    settledUntil: settlement.settledUntil,
    plannedUntil: Math.max(state.plannedUntil, settlement.settledUntil),
  };
  const conclusion: Conclusion = { input, settlement, state: settled, verdict: "keep" };
  if (hasFailedTooOften(input, state)) return pausedByFailures(conclusion);
  const late = settlement.backlog.map(({ at, reason }): PlannedOccurrence => {
    const nominalAt = settlement.instants.dueAt(at);
    return occurrenceOf({ at, dueAt: now, nominalAt, hasLimit: reason !== "PAUSED" }, input, settlement);
  });
  settlement.backlog = [];
  const ahead = insertsAhead(conclusion);
  const plannedUntil = Math.max(settled.plannedUntil, ahead.at(-1)?.at ?? 0);
  const next = settlement.instants.nextToRun(plannedUntil);
  return {
    ...unplanned({ ...conclusion, state: { ...settled, plannedUntil } }),
    insert: onlyFirstTellsMissed([...late, ...ahead]),
    lookAt: next === null ? null : Math.max(settlement.instants.dueAt(next) - PLAN_AHEAD_MS, now + 1),
    isFinished: next === null && late.length + ahead.length === 0,
  };
}

function insertsAhead({ input, settlement, state }: Conclusion): PlannedOccurrence[] {
  const { instants } = settlement;
  const found: PlannedOccurrence[] = [];
  let at = instants.nextToRun(state.plannedUntil);
  while (at !== null && instants.dueAt(at) <= input.now + PLAN_AHEAD_MS && found.length < MOST_STEPS) {
    const dueAt = instants.dueAt(at);
    found.push(occurrenceOf({ at, dueAt, nominalAt: dueAt, hasLimit: true }, input, settlement));
    at = instants.nextToRun(at);
  }
  return found;
}

/** What one decision skipped is told to one run. */
function onlyFirstTellsMissed(occurrences: readonly PlannedOccurrence[]): PlannedOccurrence[] {
  return occurrences.map((each, place) => (place === 0 ? each : { ...each, missed: 0, hasMissedMore: false }));
}
