import { parseDurationMs } from "@tickwheel/core/filter";
import type { ConflictPolicy } from "../api/wire.js";
import { exactDuration } from "../time/exact.js";
import { formatNumberOf } from "../time/format.js";
import type { TaskDraft } from "./task-draft.js";

/** What a draft will do once it is sent. Pure: the caller says what time it is, and how an instant is written. */

interface DraftMoment {
  /** Milliseconds of the epoch. */
  readonly now: number;
  readonly instantText: (instant: number) => string;
}

/** What a task gets where the form says nothing. */
export interface DraftDefaults {
  readonly maxAttempts: number;
  readonly priority: number;
}

/** When the draft is due, in milliseconds of the epoch; null: what is typed is no time yet. */
export function dueOf({ when, delay, scheduledAt }: TaskDraft, now: number): number | null {
  if (when === "now") return now;
  if (when === "scheduledAt") {
    const at = Date.parse(scheduledAt);
    return Number.isNaN(at) ? null : at;
  }
  const typed = delay.trim();
  const delayMs = parseDurationMs(/^\d+$/.test(typed) ? Number(typed) : typed);
  return delayMs === null ? null : now + delayMs;
}

const policyWords: Record<ConflictPolicy, string> = {
  reject: "nothing is created, and the answer is a conflict",
  return: "nothing is created, and the answer is that task",
  replace: "that task is cancelled, and this one takes its place",
  refresh: "nothing is created: that task gets this time and payload",
  merge: "nothing is created: this payload is added to that task, which gets this time",
};

/**
 * `It runs in 1 min, at 2026-11-21 09:01:00.000. At most 3 attempts, priority 5. If a live task has the key a, nothing
 * is created, and the answer is a conflict.`
 */
export function draftSentences(
  draft: TaskDraft,
  defaults: DraftDefaults | null,
  { now, instantText }: DraftMoment,
): string[] {
  const due = dueOf(draft, now);
  return [
    due === null ? "Its time cannot be read yet." : `${runsWords(due, now)} ${instantText(due)}.`,
    limitsWords(draft, defaults),
    draft.key === "" ? "" : `If a live task has the key ${draft.key}, ${policyWords[draft.onConflict]}.`,
  ].filter((sentence) => sentence !== "");
}

function runsWords(due: number, now: number): string {
  if (due > now) return `It runs in ${exactDuration(Math.ceil((due - now) / 1_000) * 1_000)}, at`;
  return due === now ? "It runs at once, now at" : "It runs at once, since its time is over: it was";
}

function limitsWords({ maxAttempts, priority }: TaskDraft, defaults: DraftDefaults | null): string {
  const typed = (text: string, otherwise: number | undefined): number | null =>
    /^\d+$/.test(text.trim()) ? Number(text) : (otherwise ?? null);
  const most = typed(maxAttempts, defaults?.maxAttempts);
  const first = typed(priority, defaults?.priority);
  const parts = [
    ...(most === null ? [] : [`at most ${formatNumberOf(most, "attempt")}`]),
    ...(first === null ? [] : [`priority ${first}`]),
  ];
  const text = parts.join(", ");
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
