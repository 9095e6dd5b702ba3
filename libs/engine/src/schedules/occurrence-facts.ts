import type { EpochMs, OccurrenceFacts, Occurrences } from "@tickwheel/core";
import { type ScheduleStore, standIn } from "@tickwheel/schedules";
import { scheduleIdOf } from "./occurrence-draft.js";
import { definitionOf } from "./schedule-decision.js";

/**
 * What an occurrence's handler is told. A late run stands for the newest instant that is due by its first start; that
 * start is noted, so that each further attempt, and the decision at its end, find the same.
 */
export class StartedOccurrences implements Occurrences {
  constructor(private readonly store: Pick<ScheduleStore, "begin">) {}

  isOccurrence(key: string | null): boolean {
    return scheduleIdOf(key) !== null;
  }

  async begin(taskId: string, startedAt: EpochMs): Promise<OccurrenceFacts | null> {
    const started = await this.store.begin(taskId, Math.round(startedAt));
    if (!started) return null;
    const { schedule, kind, at } = started;
    const { plannedUntil } = schedule.planning;
    const run = { at, startedAt: started.startedAt, plannedUntil, isTrigger: kind !== "spec" };
    const stand = standIn(definitionOf(schedule), run);
    return {
      schedule: schedule.name,
      occurrenceAt: stand.occurrenceAt,
      missed: started.missed + stand.missed,
    };
  }
}
