import type { OccurrenceTask, PlannedOccurrence, RunKind } from "@tickwheel/schedules";

/** An occurrence to create, and what asked for it. */
export type DraftedOccurrence = PlannedOccurrence & { kind: RunKind };

/** Whether an occurrence's task has not ended. */
export function isLive({ state }: OccurrenceTask): boolean {
  return state === "scheduled" || state === "running";
}
