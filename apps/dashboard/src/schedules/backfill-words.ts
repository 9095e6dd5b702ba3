import type { BackfillInput } from "../api/asked.js";
import type { BackfillInstant, BackfillProgress, ScheduleBackfill } from "../api/wire.js";
import { formatCount, formatNumberOf } from "../time/format.js";
import { reasonWords } from "./schedule-words.js";

/** The range as it is sent; null: an end of it is not typed yet. Local times, as the controls give them. */
export function rangeOf(from: string, to: string): Pick<BackfillInput, "from" | "to"> | null {
  const start = Date.parse(from);
  const end = Date.parse(to);
  if (Number.isNaN(start) || Number.isNaN(end)) return null;
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() };
}

/** What would be made. */
export function planWords({ count, instants, more }: ScheduleBackfill): string {
  if (more) return `The range has more than ${formatCount(instants.length)} instants: take a shorter one.`;
  if (instants.length === 0) return "The range has no instant.";
  if (count === 0) return "Nothing would run.";
  return `${formatNumberOf(count, "run")} would be made, behind every other task that is due, one after the other.`;
}

const fates: Readonly<Record<BackfillInstant["fate"], string>> = {
  ready: "has not run",
  ran: "has run, or runs: it is left out",
  pending: "is not decided yet: it is left out",
  unknown: "may have run: older runs are not kept",
};

/** What becomes of an instant, and why it had no run. */
export function fateWords({ fate, skipped }: BackfillInstant): string {
  if (skipped === "BEFORE_CREATION") return "is from before the schedule was made";
  return fate === "ready" && skipped !== null ? `was skipped: ${reasonWords(skipped)}` : fates[fate];
}

/** How far it has come. */
export function progressWords({ count, left }: BackfillProgress): string {
  if (left === 0) return `A backfill goes on: the last of its ${formatNumberOf(count, "run")} is due.`;
  return `A backfill goes on: ${formatCount(left)} of its ${formatNumberOf(count, "run")} ${left === 1 ? "waits" : "wait"}.`;
}
