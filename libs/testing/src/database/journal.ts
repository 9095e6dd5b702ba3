import {
  JOURNAL_NOTES,
  isWaitingState,
  JOURNAL_ROWS,
  type JournalEntry,
  type JournalPage,
  type JournalRequest,
} from "@tickwheel/core";
import { copyOf } from "../system/copy-of.js";

/**
 * A task's journal: the stored entries, then those that the Postgres store would read from the task's row. The
 * functions are pure: each returns a new journal.
 *
 * It folds as the Postgres store does. A change of a task that waits is folded with those before it. If no more entries
 * may be stored, a way back to `scheduled` is folded with all entries that are not stored.
 */
export interface Journal {
  readonly entries: readonly JournalEntry[];
  readonly storedCount: number;
}

const EMPTY: Journal = { entries: [], storedCount: 0 };

export function withEntry(journal: Journal = EMPTY, entry: JournalEntry): Journal {
  const { entries, storedCount } = journal;
  if (!isWaitingState(entry.to) || entry.from === null) return { entries: [...entries, entry], storedCount };
  return isWaitingState(entry.from) ? withChange(journal, entry) : withWayBack(journal, entry);
}

/** Removes the last entry, which is a claim. */
export function withoutClaim({ entries, storedCount }: Journal = EMPTY): Journal {
  return { entries: entries.slice(0, -1), storedCount };
}

/** A page of the journal, oldest first. A cursor is a place, from 1. */
export function pageOf({ entries }: Journal = EMPTY, { limit, after = 0 }: JournalRequest): JournalPage {
  const end = after + limit;
  return { entries: copyOf(entries.slice(after, end)), next: end < entries.length ? end : null };
}

function withChange({ entries, storedCount }: Journal, change: JournalEntry): Journal {
  const notes = entries.slice(Math.max(storedCount, 1));
  const before = notes.at(-2);
  const last = notes.at(-1);
  const isRun = before !== undefined && isSameChange(before, change) && isSameChange(last!, change);
  if (!isRun && notes.length < JOURNAL_NOTES) return { entries: [...entries, change], storedCount };
  const folded = { ...change, count: last!.count + change.count };
  return { entries: [...entries.slice(0, -1), folded], storedCount };
}

function isSameChange(one: JournalEntry, other: JournalEntry): boolean {
  if (other.from !== other.to) return false;
  const isByAnybody = one.reason === "REFRESHED" || one.reason === "MERGED";
  return one.reason === other.reason && (isByAnybody || one.actor === other.actor);
}

function withWayBack({ entries, storedCount }: Journal, entry: JournalEntry): Journal {
  if (entries.length < JOURNAL_ROWS) return { entries: [...entries, entry], storedCount: entries.length + 1 };
  const count = entries.slice(storedCount).reduce((sum, told) => sum + told.count, entry.count);
  return { entries: [...entries.slice(0, storedCount), { ...entry, count }], storedCount };
}
