import type { EpochMs } from "@tickwheel/core";
import { parseCron } from "../cron/cron-fields.js";
import { Instants } from "../instants/instants.js";
import { instantOfWallTime } from "../instants/wall-times.js";
import type { ScheduleDefinition } from "../definition/schedule.js";
import { unplanned } from "./conclude.js";
import { decide } from "./decide.js";
import { decideEdit } from "./edit.js";
import { occurrenceOf } from "./occurrence.js";
import type { PlanningInput, PlanningOutput } from "./planning.js";
import { closed, isAhead, isChain } from "./withdrawal.js";

/**
 * Takes over a schedule that was planned under an older tzdata. The occurrence that is ahead keeps its wall time: it
 * moves to where this process's rules have it, and one that would have been by now is due now. Nothing that is settled
 * is judged again, and with nothing to move this is `decide`.
 *
 * With overlap `allow` nothing moves: its rows are made 30 s ahead at most.
 *
 * @param wallAt the wall time of the occurrence that is ahead, as `wallTimeOf` told it under the old rules; null: none
 */
export function decideNewRules(input: PlanningInput, wallAt: number | null): PlanningOutput {
  const { definition, live, state, now } = input;
  if (wallAt === null || state.pause || !live || live.isTrigger || !isChain(input) || !isAhead(input))
    return decide(input);
  const at = movedTo(definition, { wallAt, plannedFor: live.at });
  if (at === live.at) return decide(input);
  if (at === null) return decideEdit(input, definition, { changesTasks: true });
  if (at <= state.settledUntil) return decide(input);
  const { settlement, verdict } = closed(input);
  const nominalAt = settlement.instants.dueAt(at);
  const chosen = { at, dueAt: Math.max(nominalAt, now), nominalAt, hasLimit: true };
  const insert = [occurrenceOf(chosen, input, settlement)];
  return { ...unplanned({ input, settlement, state: { ...state, plannedUntil: at }, verdict }), insert };
}

/**
 * Null: nothing runs at that wall time any more. An instant that follows elapsed time stays as long as it still
 * matches.
 */
function movedTo(
  definition: ScheduleDefinition,
  { wallAt, plannedFor }: { wallAt: number; plannedFor: EpochMs },
): EpochMs | null {
  const { spec } = definition;
  if (spec.kind !== "cron") return plannedFor;
  if (!parseCron(spec.cron).fields?.isFixed && new Instants(definition).has(plannedFor)) return plannedFor;
  return instantOfWallTime(definition, { wall: wallAt, plannedFor });
}
