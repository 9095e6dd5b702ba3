import type { LatenessParts } from "./lateness.js";
import type { NamespaceReader } from "./namespace-reader.js";
import type { EpochMs, TaskState } from "./task.js";

/**
 * The most entries of a task that the journal's table stores: the ways back of 1,000 attempts, the most that a task may
 * have, fit in.
 */
export const JOURNAL_ROWS = 2_000;
/** The most entries that a task's row notes itself. */
export const JOURNAL_NOTES = 20;
/** Longer errors of attempts are cut in the journal; a task keeps its last one whole. */
export const JOURNAL_ERROR_LENGTH = 4_000;

/**
 * One entry of a task's journal: a transition that happened, or the last of several that are folded.
 *
 * The journal of one task is bounded, whatever is done with it: at most {@link JOURNAL_ROWS} stored entries,
 * {@link JOURNAL_NOTES} noted ones, and what the task's row tells of its creation, claim and end. Folded are
 * - refreshes that follow each other, merges that do, and edits of one kind by one actor: the first and the last are
 *   kept;
 * - changes of a task that waits, of any kind, beyond {@link JOURNAL_NOTES};
 * - all that happens beyond {@link JOURNAL_ROWS}, but for what came last.
 */
export interface JournalEntry {
  at: EpochMs;
  from: TaskState | null;
  to: TaskState;
  /** Label of the node that ran it, null where no node was concerned. */
  node: string | null;
  fence: number;
  attempt: number;
  reason: string | null;
  actor: string | null;
  /** For an end of an execution: when its handler was called; null: it was not, or it is not known. */
  startedAt: EpochMs | null;
  /** For an end of an execution whose handler was called: where its lateness went. */
  latenessParts: LatenessParts | null;
  /** For an attempt that failed: its error, at most {@link JOURNAL_ERROR_LENGTH} characters. */
  error: string | null;
  /** How many transitions it stands for: itself, and those since the entry before it that are not kept. Mostly 1. */
  count: number;
}

/**
 * Why a task was put off untried, for the journal. `BREAKER`: its host fails, or has asked to be left alone. `SUSPECT`:
 * nodes died while it ran, and the place for such tasks is taken. `NOT_READY`: what must be written before it runs
 * could not be. The default is `BREAKER`.
 */
export type DeferralReason = "BREAKER" | "SUSPECT" | "NOT_READY";

export interface JournalRequest extends NamespaceReader {
  id: string;
  /** 1 … 200. */
  limit: number;
  /** The cursor from which to go on: the place of an entry, from 1; the order is oldest first. */
  after?: number;
}
export interface JournalPage {
  entries: JournalEntry[];
  /** The cursor of the next page; null: there is none. */
  next: number | null;
}
