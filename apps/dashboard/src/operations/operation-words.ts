import type { DryRun, OperationAction, TaskOperation } from "../api/wire.js";
import { formatCount, formatDuration, formatNumberOf } from "../time/format.js";

/** What a button says that asks for the action. */
export const actionNames: Readonly<Record<OperationAction, string>> = {
  cancel: "Cancel…",
  retry: "Retry…",
  restore: "Restore…",
  reschedule: "Reschedule…",
  run_now: "Run now…",
  pause: "Pause…",
  resume: "Resume…",
  discard: "Discard…",
  add_tag: "Add tag…",
  remove_tag: "Take tag away…",
};

/** The action as the beginning of a sentence: "Cancel 412 tasks". */
const verbs: Readonly<Record<OperationAction, string>> = {
  cancel: "Cancel",
  retry: "Retry",
  restore: "Restore",
  reschedule: "Reschedule",
  run_now: "Run now",
  pause: "Pause",
  resume: "Resume",
  discard: "Discard",
  add_tag: "Tag",
  remove_tag: "Take a tag from",
};

/** What would become of the tasks. */
export const wouldBe: Readonly<Record<OperationAction, string>> = {
  cancel: "Would be cancelled",
  retry: "Would be retried",
  restore: "Would be scheduled again",
  reschedule: "Would be moved",
  run_now: "Would be due now",
  pause: "Would be paused",
  resume: "Would go on",
  discard: "Would be taken away",
  add_tag: "Would get the tag",
  remove_tag: "Would lose the tag",
};

/** What it does to many tasks, and is coloured so: it cannot be taken for harmless. */
export function isDangerous(action: OperationAction): boolean {
  return action === "cancel" || action === "discard";
}

/** @example titleOf("cancel", 412) // "Cancel 412 tasks" */
export function titleOf(action: OperationAction, count: number): string {
  return `${verbs[action]} ${formatNumberOf(count, "task")}`;
}

/** The same of tasks that are not counted yet. */
export function titleOfMany(action: OperationAction): string {
  return `${verbs[action]} tasks`;
}

/** What an operation does, to how many where that is known: the changed ones, or those that were counted. */
export function nameOf({ action, options, changed, estimate, finishedAt }: TaskOperation): string {
  const count = finishedAt === null ? (estimate ?? changed) : changed;
  const what = options.tag === null ? "" : ` (${options.tag})`;
  const pace = options.rate === null ? "" : ` at ${formatCount(options.rate)} a second`;
  return `${titleOf(action, count)}${what}${pace}`;
}

/** The state as a mark has it: an icon and a word. */
export function markOf({ state, heldAt, stopReason }: TaskOperation): { state: string; text: string } {
  if (heldAt !== null) return { state: "paused", text: "on hold" };
  switch (state) {
    case "running":
      return { state: "running", text: "running" };
    case "undoing":
      return { state: "running", text: "being undone" };
    case "done":
      return { state: "succeeded", text: "done" };
    case "undone":
      return { state: "cancelled", text: "undone" };
    case "stopped":
      return { state: stopReason === "BY_HAND" ? "cancelled" : "failing", text: stopWords[stopReason ?? "BY_HAND"] };
  }
}

const stopWords = {
  BY_HAND: "stopped",
  LIMIT: "stopped at its limit",
  FAILING: "stopped: they fail again",
} as const;

/** Why tasks were found and not changed. */
export const passedWords: Readonly<Record<TaskOperation["passed"][number]["code"], string>> = {
  NO_LONGER: "no longer matched",
  ASKED: "asked to stop",
  KEY_TAKEN: "key taken",
  OVERDUE: "time has passed",
  LOCKED: "held by others",
};

/** Why tasks were not put back, and what else became of them. */
export const outcomeWords: Readonly<Record<string, string>> = {
  CHANGED: "changed",
  UNDONE: "as it was",
  DUE_MEANWHILE: "came due meanwhile",
  KEY_TAKEN: "key taken by another task",
  STARTED: "runs now",
  HAS_RUN: "has run",
  TOUCHED: "changed by somebody else",
  GONE: "past its retention",
  LOCKED: "held by others",
  WITHOUT_RESULT: "as it was, without its result",
};

/** @example countsText([{ code: "KEY_TAKEN", count: 2 }], outcomeWords) // "2 key taken by another task" */
export function countsText(
  counts: readonly { code: string; count: number }[],
  words: Readonly<Record<string, string>>,
): string {
  return counts.map(({ code, count }) => `${formatCount(count)} ${words[code] ?? code}`).join(", ");
}

export function totalOf(counts: readonly { count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** How far it has come, from 0 to 1, of each part. For an undo: what is put back, and what cannot be. */
export function progressParts(operation: TaskOperation): { state: string; share: number }[] {
  const { state, changed, passed, estimate, undone, leftBehind } = operation;
  const [done, left, all] =
    state === "undoing" || state === "undone"
      ? [undone, totalOf(leftBehind), changed]
      : [changed, totalOf(passed), Math.max(estimate ?? 0, changed + totalOf(passed))];
  if (all === 0) return [];
  return [
    { state: "succeeded", share: done / all },
    { state: "cancelled", share: left / all },
  ].filter(({ share }) => share > 0);
}

/** @example "done in about 27 s", or "" where nobody knows */
export function endText({ endsAbout }: TaskOperation, now: number): string {
  return endsAbout === null ? "" : `done in about ${formatDuration(Math.max(0, Date.parse(endsAbout) - now))}`;
}

/** The sentence of the page of operations. */
export function operationsSentence(open: number): string {
  const runs = open === 0 ? "None runs." : open === 1 ? "One is open." : `${formatCount(open)} are open.`;
  return `${runs} What was done to many tasks in the last 24 hours can be undone here, as far as nobody has touched them since.`;
}

/** How many tasks a dry run has counted, as a text. */
export function countText({ count, isAtLeast, incomplete }: DryRun): string {
  if (isAtLeast) return `more than ${formatCount(count)}`;
  return incomplete ? `${formatCount(count)} so far` : formatCount(count);
}

/** What an undo could put back, as a sentence. */
export function undoSentence({ undo }: Pick<DryRun, "undo">): string {
  if (undo === "NONE") return "It cannot be undone: those that run are only asked to stop.";
  const limit = undo === "PARTLY" ? "but for those that run, or will have run" : "as far as nobody has touched them";
  return `It can be undone for 24 h, ${limit}.`;
}

/** From so many tasks on their number is typed before anything happens; before a discard always. */
const typedFrom = 100;

export function isTyped(action: OperationAction, count: number): boolean {
  return count > 0 && (count >= typedFrom || action === "discard");
}
