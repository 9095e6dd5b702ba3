import type { EpochMs } from "@tickwheel/core";
import { Instants } from "../instants/instants.js";
import type { ScheduleDefinition } from "../definition/schedule.js";
import { besideRun, type Conclusion, unplanned, withNext } from "./conclude.js";
import { decide } from "./decide.js";
import { decideDelay } from "./delay.js";
import { isUnstarted } from "./executed-run.js";
import { occurrenceOf } from "./occurrence.js";
import { decideOpen } from "./open.js";
import type { PlanningInput, PlanningOutput, PlanningState } from "./planning.js";
import { type Closing, closed, isChain } from "./withdrawal.js";

/**
 * Gives a schedule another definition (`next`, with the id and the creation of the old one). Instants that were due are
 * settled under the old one. The occurrence that is ahead is taken back and planned anew; one that is overdue, runs or
 * waits for a retry stays. Nothing in the past is run because of an edit. An equal definition changes nothing: it is
 * `decide`, unless what its tasks are made of has changed (`changesTasks`): then the occurrence that is ahead is made
 * anew all the same.
 */
export function decideEdit(
  input: PlanningInput,
  next: ScheduleDefinition,
  { changesTasks = false }: { changesTasks?: boolean } = {},
): PlanningOutput {
  if (!changesTasks && isSameDefinition(input.definition, next)) return decide(input);
  const closing = closedForEdit(input);
  const { settlement, verdict } = closing;
  const instants = new Instants(next);
  for (const { at } of settlement.backlog) if (!instants.has(at)) settlement.ledger.skip(at, "SCHEDULE_CHANGED");
  const reached = reachedInstant(input, closing);
  const isKept = reached !== null && instants.has(reached);
  if (reached !== null && !isKept) settlement.ledger.skip(reached, "SCHEDULE_CHANGED");
  const until = Math.max(input.now, settlement.settledUntil, isKeptLive(input, closing) ? input.live!.at : 0);
  const backlog = settlement.backlog.filter(({ at }) => instants.has(at));
  const state: PlanningState = { ...input.state, backlog, plannedUntil: until, settledUntil: until };
  const conclusion: Conclusion = {
    input: { ...input, definition: next, state, live: verdict === "withdraw" ? null : input.live },
    settlement: { ...settlement, instants, backlog, settledUntil: until },
    state,
    verdict,
  };
  return planned(conclusion, isKept ? reached : null);
}

/** Plans under the new definition. `reached`: an instant that has come, and whose due time has not. */
function planned(conclusion: Conclusion, reached: EpochMs | null): PlanningOutput {
  const { input, settlement, state } = conclusion;
  const output = unplanned(conclusion);
  if (state.pause) return { ...output, lookAt: state.pause.until };
  if (input.definition.spec.kind === "after") return joined(output, decideDelay(input, { isEdit: true }));
  if (!isChain(input)) return joined(output, decideOpen(input));
  if (input.live) return besideRun(conclusion);
  if (reached === null) return withNext(conclusion);
  const nominalAt = settlement.instants.dueAt(reached);
  const chosen = { at: reached, dueAt: Math.max(nominalAt, input.now), nominalAt, hasLimit: true };
  return { ...output, insert: [occurrenceOf(chosen, input, settlement)] };
}

/** What closing the old definition and opening the new one come to. */
function joined(closing: PlanningOutput, opening: PlanningOutput): PlanningOutput {
  return { ...opening, skips: [...closing.skips, ...opening.skips], live: closing.live, standIn: closing.standIn };
}

function closedForEdit(input: PlanningInput): Closing {
  const { state, now, definition } = input;
  if (state.pause) {
    const losing = { ...definition, policies: { ...definition.policies, onResume: "skip" as const } };
    return closed({ ...input, definition: losing }, { pause: { since: state.pause.since, until: now } });
  }
  return closed(input, { catchesUpNone: isUnstarted(input) });
}

/** The instant that was taken back although it has come: its jitter has not passed. */
function reachedInstant({ live, now, definition }: PlanningInput, { verdict }: Closing): EpochMs | null {
  if (verdict !== "withdraw" || !live || live.at > now || definition.spec.kind === "after") return null;
  return live.at;
}

function isKeptLive({ live }: PlanningInput, { verdict }: Closing): boolean {
  return live !== null && verdict === "keep";
}

/** Whether two definitions decide the same, whatever the order in which their days are written. */
export function isSameDefinition(one: ScheduleDefinition, other: ScheduleDefinition): boolean {
  return canonical(one) === canonical(other);
}

function canonical(definition: ScheduleDefinition): string {
  const ordered = { ...definition, exclude: [...new Set(definition.exclude)].sort() };
  return JSON.stringify(ordered, (_key, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([first], [second]) => (first < second ? -1 : 1)))
      : value,
  );
}
