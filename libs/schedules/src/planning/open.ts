import type { EpochMs } from "@tickwheel/core";
import { Instants } from "../instants/instants.js";
import { PLAN_AHEAD_MS } from "../definition/schedule.js";
import { type Conclusion, unplanned } from "./conclude.js";
import { hasFailedTooOften, pausedByFailures } from "./failures.js";
import { occurrenceOf } from "./occurrence.js";
import {
  MOST_STEPS,
  type PlannedOccurrence,
  type PlanningInput,
  type PlanningOutput,
  type WaitingInstant,
} from "./planning.js";
import { settle, type Settlement } from "./settle.js";

/** While no further occurrence may live, the schedule is looked at no more often; the end of one tells at once. */
const PAUSE_WHILE_FULL_MS = 20_000;

/** Every instant up to here has had its task, but for excluded ones. */
export function openUntil({ definition, state, now }: PlanningInput): EpochMs {
  const newest = new Instants(definition).newestDueBy(now) ?? 0;
  return Math.max(state.settledUntil, Math.min(state.plannedUntil, newest));
}

/**
 * Decides for overlap `allow`: each instant has a key of its own, and its task is made 30 s before it is due. Instants
 * that passed without a task are missed; those that misfire takes of them are inserted together. It knows only how many
 * more live occurrences there may be (`places`). Without a place what is due is skipped as `LIVE_LIMIT`, what is ahead
 * waits, and the next look is later: so a schedule whose tasks nobody runs costs little.
 */
export function decideOpen(asked: PlanningInput, pause?: { since: EpochMs; until: EpochMs }): PlanningOutput {
  const input: PlanningInput = { ...asked, live: null, last: null };
  const { state, now, places = Infinity } = input;
  const settlement = settle(input, { accountedUntil: openUntil(input), pause, isFull: places === 0 });
  const settled = {
    ...state,
    settledUntil: settlement.settledUntil,
    plannedUntil: Math.max(state.plannedUntil, settlement.settledUntil),
  };
  const conclusion: Conclusion = { input, settlement, state: settled, verdict: "keep" };
  if (hasFailedTooOften(input, state)) return pausedByFailures(conclusion);
  const chosen = newestOf(settlement, places);
  const late = chosen.map(({ at, reason }): PlannedOccurrence => {
    const nominalAt = settlement.instants.dueAt(at);
    return occurrenceOf({ at, dueAt: now, nominalAt, hasLimit: reason !== "PAUSED" }, input, settlement);
  });
  settlement.backlog = [];
  const ahead = insertsAhead(conclusion, places - late.length);
  const plannedUntil = Math.max(settled.plannedUntil, ahead.at(-1)?.at ?? 0);
  const next = settlement.instants.nextToRun(plannedUntil);
  const pauseMs = late.length + ahead.length < places ? 1 : PAUSE_WHILE_FULL_MS;
  return {
    ...unplanned({ ...conclusion, state: { ...settled, plannedUntil } }),
    insert: onlyFirstTellsMissed([...late, ...ahead]),
    lookAt: next === null ? null : Math.max(settlement.instants.dueAt(next) - PLAN_AHEAD_MS, now + pauseMs),
    isFinished: next === null && late.length + ahead.length === 0,
  };
}

/** As many of what waits as there are places, the newest. The others are skipped. */
function newestOf({ backlog, ledger }: Settlement, places: number): WaitingInstant[] {
  const beyond = Math.max(backlog.length - places, 0);
  for (const { at } of backlog.slice(0, beyond)) ledger.skip(at, "LIVE_LIMIT");
  return backlog.slice(beyond);
}

function insertsAhead({ input, settlement, state }: Conclusion, places: number): PlannedOccurrence[] {
  const { instants } = settlement;
  const most = Math.min(places, MOST_STEPS);
  const found: PlannedOccurrence[] = [];
  let at = instants.nextToRun(state.plannedUntil);
  while (at !== null && instants.dueAt(at) <= input.now + PLAN_AHEAD_MS && found.length < most) {
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
