import {
  type Because,
  type HandlerReport,
  type Json,
  jsonValueOf,
  type LastRunner,
  type LateStart,
} from "@tickwheel/core";
import { type InstantForm, type TakenFromFields, type TaskFields, toTakenFromView } from "./task-view.js";

/** What a task's handler has told last, as every edge shows it beside one task. Lists leave it out. */
export interface ReportFields<Instant> {
  /** Null: the handler has stored none. */
  checkpoint: { state: Json; at: Instant } | null;
  /** `value`: 0 to 1. Null: the handler has told none. */
  progress: { value: number; note: string | null; at: Instant } | null;
}

/** Why a task stands as it does, as every edge shows it beside one task. Lists leave it out. */
export interface BecauseFields<Instant> {
  because: Omit<Because, "late" | "lastRunner"> & {
    lastRunner: (Omit<LastRunner, "at"> & { at: Instant }) | null;
    late: (Omit<LateStart, "takenFrom"> & { takenFrom: TakenFromFields<Instant> | null }) | null;
  };
}

/** One task in code, with what its handler has told last and why it stands as it does. */
export type TaskDetails<Payload = Json> = TaskFields<Payload, Date> & ReportFields<Date> & BecauseFields<Date>;

export function toReportView<Instant>(
  { checkpoint, progress }: HandlerReport,
  instantOf: InstantForm<Instant>,
): ReportFields<Instant> {
  return {
    checkpoint: checkpoint && { state: jsonValueOf(checkpoint.state), at: instantOf(checkpoint.at) },
    progress: progress && { ...progress, at: instantOf(progress.at) },
  };
}

export function toBecauseView<Instant>(
  { late, lastRunner, ...because }: Because,
  instantOf: InstantForm<Instant>,
): BecauseFields<Instant> {
  const shown = late && { ...late, takenFrom: late.takenFrom && toTakenFromView(late.takenFrom, instantOf) };
  const last = lastRunner && { ...lastRunner, at: instantOf(lastRunner.at) };
  return { because: { ...because, lastRunner: last, late: shown } };
}
