import { type HandlerReport, type Json, jsonValueOf } from "@tickwheel/core";
import type { InstantForm, TaskFields } from "./task-view.js";

/** What a task's handler has told last, as every edge shows it beside one task. Lists leave it out. */
export interface ReportFields<Instant> {
  /** Null: the handler has stored none. */
  checkpoint: { state: Json; at: Instant } | null;
  /** `value`: 0 to 1. Null: the handler has told none. */
  progress: { value: number; note: string | null; at: Instant } | null;
}

/** One task in code, with what its handler has told last. */
export type TaskDetails<Payload = Json> = TaskFields<Payload, Date> & ReportFields<Date>;

export function toReportView<Instant>(
  { checkpoint, progress }: HandlerReport,
  instantOf: InstantForm<Instant>,
): ReportFields<Instant> {
  return {
    checkpoint: checkpoint && { state: jsonValueOf(checkpoint.state), at: instantOf(checkpoint.at) },
    progress: progress && { ...progress, at: instantOf(progress.at) },
  };
}
