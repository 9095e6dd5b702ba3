import { type Because, type HandlerReport, type Json, jsonValueOf } from "@tickwheel/core";
import type { BecauseFields, ReportFields, TaskFields } from "./task-view.generated.js";
import { type InstantForm, toTakenFromView } from "./task-view.js";

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
  { late, lastRunner, halt, breaker, ...because }: Because,
  instantOf: InstantForm<Instant>,
): BecauseFields<Instant> {
  const shown = late && { ...late, takenFrom: late.takenFrom && toTakenFromView(late.takenFrom, instantOf) };
  const last = lastRunner && { ...lastRunner, at: instantOf(lastRunner.at) };
  const pause = halt && {
    ...halt,
    since: instantOf(halt.since),
    until: halt.until === null ? null : instantOf(halt.until),
  };
  const open = breaker && { ...breaker, since: instantOf(breaker.since), until: instantOf(breaker.until) };
  return { because: { ...because, lastRunner: last, halt: pause, breaker: open, late: shown } };
}
