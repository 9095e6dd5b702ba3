import type { JournalEntry } from "@tickwheel/core";
import { keyName } from "./draft.js";
import type { StatementScope } from "./statement-scope.js";
import { journalEntry, type TaskRow } from "./task-row.js";

/** What the journal says of a transition; null: it is not journalled. */
export type JournalNote = { reason?: string | null; actor?: string | null } | null;

/** Writes a task after a transition: the row, the name of its key, the journal. */
export function writeTask(
  scope: StatementScope,
  change: { before: TaskRow | null; after: TaskRow },
  note: JournalNote,
): void {
  const { before, after } = change;
  moveKey(scope, before, after);
  scope.draft.tasks.set(after.id, after);
  if (note === null) return;
  const extra = { reason: note.reason ?? null, actor: note.actor ?? null };
  appendJournal(scope, after.id, journalEntry(before, after, { ...scope, ...extra }));
}

/** A deferral leaves no trace: the claim before it goes from the journal too. */
export function forgetClaim(scope: StatementScope, id: string): void {
  const entries = scope.draft.journals.get(id) ?? [];
  scope.draft.journals.set(id, entries.slice(0, -1));
}

function appendJournal(scope: StatementScope, id: string, entry: JournalEntry): void {
  scope.draft.journals.set(id, [...(scope.draft.journals.get(id) ?? []), entry]);
}

function moveKey({ draft }: StatementScope, before: TaskRow | null, after: TaskRow): void {
  if (after.key === null) return;
  const name = keyName(after.typeId, after.key);
  if (before?.keyLive && !after.keyLive) draft.keys.delete(name);
  if (!after.keyLive || before?.keyLive) return;
  const holder = draft.keys.get(name);
  if (holder !== undefined) throw new Error(`Task ${after.id} takes the key of task ${holder}`);
  draft.keys.set(name, after.id);
}
