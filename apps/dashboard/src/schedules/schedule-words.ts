import type { PreviewedInstant, Schedule, ScheduleRun } from "../api/wire.js";
import type { ActorName } from "../keys/key-names.js";
import { exactDuration } from "../time/exact.js";
import { formatCount, formatNumberOf } from "../time/format.js";
import { cronWords } from "./cron-words.js";

/** When it runs, without the zone: the expression itself where there are no words for it. */
export function whenWords({ cron, every, after }: Pick<Schedule, "cron" | "every" | "after">): string {
  if (cron !== null) return cronWords(cron) ?? cron;
  if (every !== null) return `every ${exactDuration(every)}`;
  return `${exactDuration(after ?? 0)} after the last end`;
}

/** The zone that it goes by; a rate and a delay have one only for the days that are left out. */
export function zoneOf({ cron, exclude, timeZone }: Pick<Schedule, "cron" | "exclude" | "timeZone">): string | null {
  return cron !== null || exclude.length > 0 ? timeZone : null;
}

/** The sign and hue of a schedule's state. */
export const scheduleMarks: Readonly<Record<Schedule["state"], string>> = {
  active: "scheduled",
  paused: "paused",
  finished: "succeeded",
};

/** Somebody should look at it: it fails, or was paused by nobody. */
export function needsYou({ failures, pause }: Pick<Schedule, "failures" | "pause">): boolean {
  return failures > 0 || (pause !== null && pause.reason !== "REQUESTED");
}

/** Why it is paused, and by whom. */
export function pauseWords({ reason, by, note }: NonNullable<Schedule["pause"]>, actorName: ActorName): string {
  const said = note === null ? "" : `: “${note}”`;
  if (reason === "FAILURES") return `paused: it failed too often in a row${said}`;
  if (reason === "UNANNOUNCED") return `paused: no node's code defines it any more${said}`;
  return `paused${by === null ? "" : ` by ${actorName(by)}`}${said}`;
}

/** Where its definition stands. */
export function originWords(
  { application, createdBy }: Pick<Schedule, "application" | "createdBy">,
  actorName: ActorName,
): string {
  return application === null ? `by ${actorName(createdBy)}` : `code of ${application}`;
}

/** `38 schedules, 31 from code. One is paused, two need you.` Of a state: `3 paused schedules, 1 from code.` */
export function schedulesSentence(
  schedules: readonly Schedule[],
  { hasMore, state }: { hasMore: boolean; state?: Schedule["state"] | undefined },
): string {
  if (schedules.length === 0) return emptySentence({ hasMore, state });
  const inCode = schedules.filter(({ application }) => application !== null).length;
  const paused = schedules.filter(({ state }) => state === "paused").length;
  const needing = schedules.filter(needsYou).length;
  const named = state === undefined ? "schedule" : `${state} schedule`;
  const many = `${hasMore ? "The first " : ""}${formatNumberOf(schedules.length, named)}`;
  if (state !== undefined) return `${many}, ${formatCount(inCode)} from code.`;
  const standing = [
    paused > 0 && `${formatCount(paused)} ${paused === 1 ? "is" : "are"} paused`,
    needing > 0 && `${formatCount(needing)} ${needing === 1 ? "needs" : "need"} you`,
  ].filter((part) => part !== false);
  const rest = standing.length === 0 ? "None is paused or fails." : `${standing.join(", ")}.`;
  return `${many}, ${formatCount(inCode)} from code. ${rest}`;
}

/** What there is to say of an empty list. */
export function emptySentence({ hasMore, state }: { hasMore: boolean; state?: Schedule["state"] | undefined }): string {
  if (state === undefined) return "There is no schedule yet.";
  return hasMore ? `No ${state} schedule was found so far.` : `No schedule is ${state}.`;
}

const skipReasons: Readonly<Record<string, string>> = {
  EXCLUDED: "the day is left out",
  PAUSED: "it was paused",
  CATCH_UP_LIMIT: "older than what is caught up",
  OVERLAP: "the run before still went on",
  LIVE_LIMIT: "too many of its runs had not ended",
  MISSED: "nothing was there to run it",
  SCHEDULE_CHANGED: "the definition was changed",
  CANCELLED: "cancelled by hand",
  EXPIRED: "it could not start in time",
  SKIPPED: "its condition said no",
};

/** Why an instant was skipped, or how a run ended; a reason that is not known speaks for itself. */
export function reasonWords(reason: string | null): string | null {
  return reason === null ? null : (skipReasons[reason] ?? reason);
}

/** How a run stands: the state whose sign it has, and its word. */
export function runMark(run: ScheduleRun, now: number): { state: string; text: string } {
  if (run.kind === "skip") return { state: "skipped", text: "skipped" };
  const { outcome, startedAt, dueAt } = run;
  if (outcome === "gone") return { state: "notice", text: "ended" };
  if (outcome === "succeeded" && run.reason === "SKIPPED") return { state: "skipped", text: "skipped" };
  if (outcome !== null) return { state: outcome, text: outcome };
  if (startedAt !== null) return { state: "running", text: "running" };
  return Date.parse(dueAt) <= now ? { state: "overdue", text: "overdue" } : { state: "scheduled", text: "scheduled" };
}

/** What else is to be told of a run or a skip. */
export function runNotes(run: ScheduleRun): string[] {
  const why = reasonWords(run.reason);
  if (run.kind === "skip") return [why!];
  const by = { spec: null, trigger: "triggered by hand", backfill: "backfilled" }[run.kind];
  const missed = run.missed > 0 && `${run.missedMore ? "at least " : ""}${formatCount(run.missed)} missed before it`;
  const gone = run.outcome === "gone" && "its task is kept no more";
  return [by, missed, gone, why].filter((note): note is string => typeof note === "string");
}

const instantNotes: Readonly<Record<NonNullable<PreviewedInstant["note"]>, string>> = {
  EXCLUDED: "left out: the day is excluded",
  GAP_SHIFTED: "the clock jumps over its time: it runs right after",
  GAP_SKIPPED: "the clock jumps over its time: it does not run",
  FOLD_FIRST: "the clock goes back, its time comes twice: this is the first",
  FOLD_SECOND: "the clock goes back, its time comes twice: this is the second",
};

/** What an excluded day or a change of the clock does to an instant. */
export function noteWords({ note }: Pick<PreviewedInstant, "note">): string | null {
  return note === null ? null : (instantNotes[note] ?? note);
}
