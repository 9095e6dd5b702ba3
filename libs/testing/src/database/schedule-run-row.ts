import type { EpochMs } from "@tickwheel/core";
import type { OccurrenceTask, SkippedStretch } from "@tickwheel/schedules";

/** What became of an instant of a schedule, or of a stretch of them that did not run. */
export type ScheduleRunRow = {
  /** The row is found by this, see {@link placeOf}. */
  place: string;
  scheduleId: string;
  seq: number;
} & (
  | { kind: "skip"; skipped: SkippedStretch }
  | {
      kind: OccurrenceTask["kind"];
      /** As it was made; from its conclusion on as it ended. */
      occurrence: OccurrenceTask;
      stoodFor: EpochMs | null;
      /** Null: it is not concluded. */
      endedAt: EpochMs | null;
    }
);

/** The run of an occurrence. */
export type OccurrenceRow = Extract<ScheduleRunRow, { occurrence: OccurrenceTask }>;

export function placeOf({ scheduleId, seq }: { scheduleId: string; seq: number }): string {
  return `${scheduleId}/${seq}`;
}
