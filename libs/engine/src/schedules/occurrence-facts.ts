import type { EpochMs, OccurrenceFacts, Occurrences } from "@tickwheel/core";
import { type OccurrenceStart, type ScheduleStore, standIn, type StartedOccurrence } from "@tickwheel/schedules";
import { scheduleIdOf } from "./occurrence-draft.js";
import { definitionOf } from "./schedule-decision.js";

/** How many starts share a statement. */
const BATCH = 500;

interface WaitingStart {
  start: OccurrenceStart;
  resolve(started: StartedOccurrence | null): void;
  reject(error: unknown): void;
}

/**
 * What an occurrence's handler is told. A late run stands for the newest instant that is due by its first start; that
 * start is noted, so that each further attempt, and the decision at its end, find the same.
 *
 * Starts that come while a statement is under way share the next one. So a thousand schedules of one second cost a few
 * statements, and a lone start waits for nobody.
 */
export class StartedOccurrences implements Occurrences {
  private waiting: WaitingStart[] = [];
  private isWriting = false;

  constructor(private readonly store: Pick<ScheduleStore, "begin">) {}

  isOccurrence(key: string | null): boolean {
    return scheduleIdOf(key) !== null;
  }

  async begin(taskId: string, startedAt: EpochMs): Promise<OccurrenceFacts | null> {
    const started = await this.started({ taskId, startedAt: Math.round(startedAt) });
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

  private started(start: OccurrenceStart): Promise<StartedOccurrence | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ start, resolve, reject });
      if (!this.isWriting) void this.write();
    });
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH);
      try {
        const begun = await this.store.begin(batch.map(({ start }) => start));
        for (const [place, one] of batch.entries()) one.resolve(begun[place]!);
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    this.isWriting = false;
  }
}
