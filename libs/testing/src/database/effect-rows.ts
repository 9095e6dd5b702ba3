import type { EpochMs, HandlerReport } from "@tickwheel/core";

/** A step of a handler that is done. */
export interface StepRow {
  /** The row is found by this, see {@link stepPlace}. */
  place: string;
  taskId: string;
  name: string;
  result: string | null;
  createdAt: EpochMs;
}

/** What a task's handler has told last. */
export interface ReportRow extends HandlerReport {
  taskId: string;
}

export function stepPlace({ taskId, name }: { taskId: string; name: string }): string {
  return `${taskId}/${name}`;
}
