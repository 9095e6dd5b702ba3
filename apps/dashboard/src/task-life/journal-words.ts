import type { JournalEntry } from "../api/wire.js";
import { formatCount } from "../time/format.js";
import { errorLineOf } from "./error-text.js";

/** An entry of a journal in words: its sign and hue, what happened, and by whom or where. */
export interface JournalWords {
  readonly mark: string;
  readonly text: string;
  readonly detail: string;
}

/** @param maxAttempts of the task, now */
export function journalWords(entry: JournalEntry, maxAttempts: number): JournalWords {
  const { mark, text } = whatHappened(entry, maxAttempts);
  return { mark, text: `${text}${foldedText(entry.count)}`, detail: detailOf(entry) };
}

function whatHappened(entry: JournalEntry, maxAttempts: number): { mark: string; text: string } {
  const { from, to, reason, attempt } = entry;
  if (from === null) return { mark: "scheduled", text: to === "scheduled" ? "Created" : `Created, and ${to} at once` };
  if (to === "running" && from === "scheduled")
    return { mark: "running", text: `Claimed, attempt ${formatCount(attempt)} of ${formatCount(maxAttempts)}` };
  if (to === "running")
    return { mark: "expired", text: `Asked to stop${reason === "REPLACED" ? ": another task replaces it" : ""}` };
  if (from === "running" && to === "scheduled") return wayBack(entry);
  if (from === to) return { mark: to, text: changes[reason ?? ""] ?? `Changed (${reason ?? "no reason told"})` };
  if (to === "paused") return { mark: "paused", text: "Paused" };
  if (from === "paused" && to === "scheduled") return { mark: "scheduled", text: "Resumed" };
  if (to === "scheduled") return { mark: "scheduled", text: "Retried, by request" };
  return ending(entry);
}

const changes: Partial<Record<string, string>> = {
  RESCHEDULED: "Rescheduled",
  EDITED: "Edited",
  REFRESHED: "Refreshed: pushed back by another create with its key",
  MERGED: "Merged with another create of its key",
  BREAKER: "Put off untried: its host fails, or has asked to be left alone",
  SUSPECT: "Put off untried: nodes died while it ran, and another such task runs",
  NOT_READY: "Put off untried: what comes before its start could not be written",
};

function wayBack({ reason, error }: JournalEntry): { mark: string; text: string } {
  if (reason === "FAILED") return { mark: "failing", text: `Failed${error === null ? "" : `: ${errorLineOf(error)}`}` };
  return { mark: "suspect", text: waysBack[reason ?? ""] ?? `Given back (${reason ?? "no reason told"})` };
}

const waysBack: Partial<Record<string, string>> = {
  SNOOZED: "Put off by its handler, or its receiver",
  CRASHED: "Its node died: taken back",
  LOOP_BLOCKED: "Its node died with a blocked event loop: taken back",
  DRAIN: "Given back: its node shut down",
  LEASE_LOST: "Given back: its node had lost its lease",
  NOT_STARTED: "Given back before it started",
  BREAKER_OPEN: "Given back before it started: the breaker of its type had opened",
  LOST_REPLY: "Given back: its node did not know of the claim",
  WAITED_FOR_ITSELF: "Given back: an earlier run of it still held what it needs",
};

function ending({ to, reason, error }: JournalEntry): { mark: string; text: string } {
  const why = error === null ? (reason === null ? "" : ` (${reason})`) : `: ${errorLineOf(error)}`;
  if (to === "succeeded")
    return reason === "SKIPPED"
      ? { mark: "skipped", text: "Skipped by its condition" }
      : { mark: to, text: "Succeeded" };
  const names: Partial<Record<string, string>> = { dead: "Dead", cancelled: "Cancelled", expired: "Expired" };
  return { mark: to, text: `${names[to] ?? to}${why}` };
}

function foldedText(count: number): string {
  return count > 1 ? ` (${formatCount(count)} changes, this is the last)` : "";
}

function detailOf({ node, actor, fence, to, from }: JournalEntry): string {
  const isRun = to === "running" || from === "running";
  return [actor === null ? null : `by ${actor}`, node, isRun && fence !== null ? `fence ${fence}` : null]
    .filter((text) => text !== null)
    .join(", ");
}
