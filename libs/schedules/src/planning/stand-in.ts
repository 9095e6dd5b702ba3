import type { EpochMs } from "@tickwheel/core";
import { Instants } from "../instants/instants.js";
import type { ScheduleDefinition } from "../definition/schedule.js";
import { MOST_STEPS, type StandIn } from "./planning.js";

/** An occurrence whose first attempt starts. */
export interface StartingRun {
  /** Its instant, as the task has it. */
  at: EpochMs;
  /** The start of its *first* attempt. */
  startedAt: EpochMs;
  /** `plannedUntil` of the schedule's row: instants up to there have been settled otherwise. */
  plannedUntil: EpochMs;
  isTrigger?: boolean;
}

/**
 * What a run stands for that starts late: with misfire `last` the newest instant that is due by its start, with its own
 * and those between as missed; else itself. Asked by the node when the first attempt starts; the first decision after
 * it finds the same. `missed` is on top of what the task was told when it was planned.
 *
 * @example standIn(everySecond, { at, startedAt: at + 30_000, plannedUntil: at }) // { occurrenceAt: at + 30_000, missed: 30, … }
 */
export function standIn(definition: ScheduleDefinition, run: StartingRun): StandIn {
  const itself: StandIn = { occurrenceAt: run.at, missed: 0, hasMissedMore: false };
  const { misfire, overlap } = definition.policies;
  const isChain = overlap !== "allow" && definition.spec.kind !== "after";
  if (misfire.kind !== "last" || !isChain || run.isTrigger) return itself;
  const instants = new Instants(definition);
  let at = instants.newestDueBy(run.startedAt);
  let newest: EpochMs | null = null;
  let passed = 0;
  const limitMs = definition.policies.catchUpLimitMs ?? Infinity;
  const oldest = Math.max(run.at, run.plannedUntil);
  for (let steps = 0; at !== null && at > oldest && steps <= MOST_STEPS; steps += 1, at = instants.previous(at)) {
    if (instants.isExcluded(at) || run.startedAt - instants.dueAt(at) > limitMs) continue;
    newest ??= at;
    passed += 1;
  }
  if (newest === null) return itself;
  return { occurrenceAt: newest, missed: Math.min(passed, MOST_STEPS), hasMissedMore: passed > MOST_STEPS };
}
