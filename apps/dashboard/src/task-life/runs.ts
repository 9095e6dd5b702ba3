import type { JournalEntry, LatenessParts, Task, TaskState } from "../api/wire.js";

/** One run of a task: from its claim to its end, as its journal tells. */
export interface Run {
  readonly attempt: number;
  readonly fence: string;
  readonly node: string | null;
  /** Milliseconds of the epoch, as all instants here. */
  readonly claimedAt: number;
  /** When its handler was called; null: it was not, or it is not known. */
  readonly startedAt: number | null;
  /** Null: it runs. */
  readonly endedAt: number | null;
  readonly end: RunEnd;
  /** The journal's reason for its end. */
  readonly reason: string | null;
  readonly parts: LatenessParts | null;
  readonly error: string | null;
}

/** How a run ended, in the word that is shown. */
export type RunEnd =
  | "running"
  | "succeeded"
  | "skipped"
  | "failed"
  | "dead"
  | "cancelled"
  | "crashed"
  | "given back"
  | "put off";

/** The runs that the journal tells of, oldest first. */
export function runsOf(entries: readonly JournalEntry[]): Run[] {
  const runs: Run[] = [];
  let claim: JournalEntry | null = null;
  for (const entry of entries) {
    const isClaim = entry.from === "scheduled" && entry.to === "running";
    if (claim && (isClaim || (entry.from === "running" && entry.to !== "running"))) {
      runs.push(runOf(claim, isClaim ? null : entry));
      claim = null;
    }
    if (isClaim) claim = entry;
  }
  if (claim) runs.push(runOf(claim, null));
  return runs;
}

function runOf(claim: JournalEntry, end: JournalEntry | null): Run {
  return {
    attempt: claim.attempt ?? 0,
    fence: String(claim.fence),
    node: claim.node,
    claimedAt: Date.parse(claim.at),
    startedAt: end?.startedAt ? Date.parse(end.startedAt) : null,
    endedAt: end ? Date.parse(end.at) : null,
    end: end ? endOf(end) : "running",
    reason: end?.reason ?? null,
    parts: end?.latenessParts ?? null,
    error: end?.error ?? null,
  };
}

const crashes: readonly (string | null)[] = ["CRASHED", "LOOP_BLOCKED", "CRASHES"];
const ways: Partial<Record<string, RunEnd>> = { FAILED: "failed", SNOOZED: "put off" };

function endOf({ to, reason }: JournalEntry): RunEnd {
  if (crashes.includes(reason)) return "crashed";
  if (to === "scheduled") return ways[reason ?? ""] ?? "given back";
  return to === "succeeded" && reason === "SKIPPED" ? "skipped" : (to as RunEnd);
}

/** The sign and hue of an end. */
export function markOfEnd(end: RunEnd): TaskState | "failing" | "skipped" | "suspect" {
  if (end === "failed") return "failing";
  if (end === "crashed") return "suspect";
  return end === "given back" || end === "put off" ? "scheduled" : end;
}

/** When a run was due: its start without its lateness; where that was not measured, the best that the task tells. */
export function dueOf(run: Run, task: Pick<Task, "scheduledAt" | "createdAt">, isFirst: boolean): number {
  if (run.startedAt !== null && run.parts) return run.startedAt - latenessOf(run.parts);
  if (!isFirst) return run.claimedAt;
  return Math.min(run.claimedAt, Math.max(Date.parse(task.scheduledAt), Date.parse(task.createdAt)));
}

/** The sum of the parts, in milliseconds. */
export function latenessOf({ knownMs, wheelMs, placeMs, claimMs, startMs }: LatenessParts): number {
  return knownMs + wheelMs + placeMs + claimMs + startMs;
}
