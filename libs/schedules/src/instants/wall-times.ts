import type { EpochMs } from "@tickwheel/core";
import { CronInstants } from "../cron/cron-instants.js";
import { zoneClock } from "../cron/zone-clock.js";
import type { ScheduleDefinition } from "../definition/schedule.js";

/**
 * The wall time for which a cron occurrence stands, as the epoch milliseconds it would have in UTC; for one that was
 * shifted out of a gap the wall time that was asked for. Null for other specs. Kept beside the instant, it survives a
 * new tzdata.
 */
export function wallTimeOf(definition: ScheduleDefinition, at: EpochMs): number | null {
  const { spec, timeZone, policies } = definition;
  if (spec.kind !== "cron") return null;
  return new CronInstants({ cron: spec.cron, timeZone, gap: policies.gap, fold: policies.fold }).wallAskedFor(at);
}

/**
 * Where an occurrence belongs under the rules that this process has: the same wall time, or null where it now falls
 * into a gap that is skipped. The same instant: nothing has moved. `plannedFor` is the instant under the old rules.
 */
export function instantOfWallTime(
  { timeZone, policies }: ScheduleDefinition,
  { wall, plannedFor }: { wall: number; plannedFor: EpochMs },
): EpochMs | null {
  const clock = zoneClock(timeZone);
  const instants = clock.instantsOf(wall);
  if (instants.length === 0) return policies.gap === "shift" ? clock.firstFrom(wall) : null;
  // An hour that runs in both passes, by policy or because it follows elapsed time, keeps its pass.
  if (instants.includes(plannedFor)) return plannedFor;
  return policies.fold === "last" ? instants.at(-1)! : instants[0]!;
}
