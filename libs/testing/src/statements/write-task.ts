import { withEntry, withoutClaim } from "../database/journal.js";
import { StatementFailure } from "../database/statement-failure.js";
import type { StatementScope } from "../database/statement-scope.js";
import { journalEntry, type JournalRun, type TaskRow } from "../database/task-row.js";

/**
 * The journal's facts about a transition, and how many transitions the entry stands for. Null: it is not journalled.
 */
export type JournalNote = {
  reason?: string | null;
  actor?: string | null;
  count?: number;
  run?: JournalRun | null;
} | null;

export interface TaskWrite {
  /** Null: the row is new. */
  before: TaskRow | null;
  after: TaskRow;
}

/**
 * Writes a task after a transition, and its journal. The transaction must hold the row before.
 *
 * @throws StatementFailure `unique-violation` where another task holds its key
 */
export async function writeTask(scope: StatementScope, change: TaskWrite, note: JournalNote): Promise<void> {
  const holder = await writeUnderKey(scope, change, note);
  if (holder) throw new StatementFailure("unique-violation");
}

/** The same, but if another task holds the key, nothing is written and the holder is answered. */
export async function writeUnderKey(
  scope: StatementScope,
  { before, after }: TaskWrite,
  note: JournalNote,
): Promise<TaskRow | null> {
  await scope.tasks.passGate(after.id);
  const write = (): void => {
    scope.tasks.put(after.id, after);
    if (note !== null) appendJournal(scope, { before, after }, note);
  };
  if (after.key !== null && after.keyLive && !before?.keyLive) {
    return scope.underFreeKey({ typeId: after.typeId, key: after.key }, write);
  }
  write();
  return null;
}

/** Writes a task that has ended: it leaves the live table for history. The transaction must hold the row before. */
export async function finishTask(
  scope: StatementScope,
  change: { before: TaskRow; after: TaskRow },
  note: NonNullable<JournalNote>,
): Promise<void> {
  const { after } = change;
  await scope.tasks.delete(after.id);
  scope.history.put(after.id, after);
  appendJournal(scope, change, note);
}

/** Deletes a task that has ended, with its journal. The transaction must hold its row. */
export async function forgetTask(scope: StatementScope, id: string): Promise<void> {
  await scope.tasks.delete(id);
  scope.journals.put(id, undefined);
}

/** Removes the claim before a deferral from the journal, and tells the deferral as a change of a task that waits. */
export function tellPutOff(scope: StatementScope, row: TaskRow, reason: string): void {
  scope.journals.put(row.id, withoutClaim(scope.journals.newest(row.id)));
  appendJournal(scope, { before: row, after: row }, { reason });
}

function appendJournal(scope: StatementScope, { before, after }: TaskWrite, note: NonNullable<JournalNote>): void {
  const extra = {
    reason: note.reason ?? null,
    actor: note.actor ?? null,
    count: note.count ?? 1,
    run: note.run ?? null,
  };
  const entry = journalEntry(before, after, { now: scope.now, label: (owner) => scope.label(owner), ...extra });
  scope.journals.put(after.id, withEntry(scope.journals.newest(after.id), entry));
}
