import {
  changedValues,
  compareRevisions,
  decideSetting,
  isOccurrence,
  isPauseInForce,
  type KnownSubject,
  NO_REVISION,
  NO_SETTING,
  type Pause,
  type PausedKey,
  type PauseSubject,
  type Revision,
  type SettingChange,
  settingFacts,
  type SettingReply,
  type Settings,
  type TaskHint,
  type TypeId,
  typeOfChange,
} from "@tickwheel/core";
import type { MemorySession } from "../database/memory-connection.js";
import type { StatementScope } from "../database/statement-scope.js";
import { ONLY_ROW, type PauseRow } from "../database/tables.js";
import { hintOf, type TaskRow } from "../database/task-row.js";
import { copyOf } from "../system/copy-of.js";
import { tell } from "./event-statements.js";
import { resumedRow } from "./row-transitions.js";
import { writeTask } from "./write-task.js";

/** The row of a pause that is over is kept for so long. */
const KEPT_MS = 60_000;

export function readSettings({ revisions, typeSettings, pauses, now }: StatementScope): Settings {
  const kept = pauses.values().filter(({ until }) => until === null || until > now - KEPT_MS);
  return copyOf({
    revision: revisions.get(ONLY_ROW)!,
    types: typeSettings.values().sort((one, other) => one.typeId - other.typeId),
    pauses: kept.map(({ place: _place, ...pause }) => pause),
  });
}

/** One transaction. The revision is locked first, and written before anything else. */
export async function changeSettings(session: MemorySession, change: SettingChange): Promise<SettingReply> {
  const inForce = await session.run(({ revisions }) => revisions.lock(ONLY_ROW, undefined, { mode: "no-key-update" }));
  const known = await session.run((scope) => knownSubject(scope, change));
  const outcome = decideSetting(change, known);
  if (outcome === "unchanged") return { outcome, revision: { ...inForce! } };
  if (outcome !== "changed") return { outcome };
  const revision = await session.run(raiseRevision);
  await session.run((scope) => write(scope, change, known));
  await session.run((scope) => {
    tell(scope, { kind: "SETTINGS_CHANGED", bootId: null, facts: settingFacts(change, known, revision) });
  });
  return { outcome, revision };
}

/** The nodes that do not say yet that they obey the revision. Null: it is not in force. */
export function nodesBehind({ revisions, nodes, beats }: StatementScope, asked: Revision): string[] | null {
  if (compareRevisions(revisions.get(ONLY_ROW)!, asked) < 0) return null;
  const isBehind = (bootId: string): boolean => {
    const [timeline, number] = beats.get(bootId)?.vitals.settings ?? [NO_REVISION.timeline, NO_REVISION.number];
    return compareRevisions({ timeline, number }, asked) < 0;
  };
  const behind = nodes.values().filter(({ state, bootId }) => state !== "dead" && isBehind(bootId));
  return behind.map(({ label }) => label).sort();
}

function knownSubject({ types, typeSettings, pauses, now }: StatementScope, change: SettingChange): KnownSubject {
  const type = typeOf(types.get(String(typeOfChange(change))), change);
  const pause = change.kind === "type" ? undefined : pauses.get(pausePlace(change.subject));
  return {
    now,
    type,
    values: change.kind === "type" ? (typeSettings.get(String(change.typeId)) ?? NO_SETTING) : NO_SETTING,
    pause: pause && isPauseInForce(pause, now) ? pause : null,
    pausedKeys: pauses.values().filter((row) => row.key !== null && isPauseInForce(row, now)).length,
  };
}

function typeOf(
  row: { namespace: string; type: string; isDropped: boolean } | undefined,
  change: SettingChange,
): KnownSubject["type"] {
  const isMeant = change.kind === "type" || row?.namespace === change.subject.namespace;
  return row && !row.isDropped && isMeant ? { namespace: row.namespace, type: row.type } : null;
}

async function raiseRevision({ revisions, timeline }: StatementScope): Promise<Revision> {
  const before = revisions.newest(ONLY_ROW)!;
  const number = before.timeline >= timeline ? before.number + 1 : 1;
  const revision = { timeline: Math.max(before.timeline, timeline), number };
  await revisions.write(ONLY_ROW, revision);
  return revision;
}

async function write(scope: StatementScope, change: SettingChange, known: KnownSubject): Promise<void> {
  const { now, pauses, typeSettings } = scope;
  await forgetPauses(scope);
  if (change.kind === "type") {
    const { typeId, actor } = change;
    const values = changedValues(known.values, change.values);
    return typeSettings.write(String(typeId), { typeId, ...values, changedAt: now, changedBy: actor });
  }
  const place = pausePlace(change.subject);
  const row = await pauses.lockNewest(place);
  if (change.kind === "resume")
    return pauses.write(place, change.subject.key === null ? undefined : { ...row!, until: now });
  const { subject, reason, actor } = change;
  const until = change.until === null ? null : Math.max(now, change.until);
  const isGoingOn = row !== undefined && row !== null && (subject.key !== null || isPauseInForce(row, now));
  const begun = { place, ...copyOf(subject), pausedAt: isGoingOn ? row.pausedAt : now };
  return pauses.write(place, { ...begun, until, reason, pausedBy: actor });
}

/** Forgets what has been over for long, and of which nothing is paused any more. */
async function forgetPauses({ pauses, tasks, now }: StatementScope): Promise<void> {
  for (const { place } of pauses.values()) {
    const isForgettable = (row: PauseRow): boolean =>
      row.until !== null && row.until <= now - KEPT_MS && !tasks.values().some((task) => wasPausedBy(row, task));
    const row = await pauses.lock(place, isForgettable, { locked: "skip" });
    if (row) await pauses.write(place, undefined);
  }
}

/**
 * The pauses in force of these keys, with whom to name; they stay as they are until the statement's transaction ends.
 */
export async function lockPausedKeys(
  { pauses, now }: StatementScope,
  keys: readonly PausedKey[],
): Promise<(row: TaskRow) => Pause | null> {
  const isNamed = (row: PauseRow): boolean => keys.some((one) => one.typeId === row.typeId && one.key === row.key);
  const known: PauseRow[] = [];
  for (const { place } of pauses.values().filter(isNamed)) {
    const row = await pauses.lock(place, undefined, { mode: "share" });
    if (row && isPauseInForce(row, now)) known.push(row);
  }
  return (task) => (isOccurrence(task) ? null : (known.find((row) => isOf(row, task)) ?? null));
}

/** Resumes what became paused while the pause of its key was in force, and forgets old pauses. */
export async function resumeEndedKeys(scope: StatementScope, limit: number): Promise<TaskHint[]> {
  const { pauses, tasks, now } = scope;
  const over = pauses.values().filter((row) => row.key !== null && !isPauseInForce(row, now));
  const found = await tasks.lockFree((task) => over.some((row) => wasPausedBy(row, task)), limit);
  const hints: TaskHint[] = [];
  for (const before of found) {
    const after = resumedRow(before, now)!;
    await writeTask(scope, { before, after }, { reason: "RESUMED" });
    hints.push(hintOf(after));
  }
  await forgetPauses(scope);
  return hints;
}

function isOf(pause: PauseRow, { typeId, key }: TaskRow): boolean {
  return key !== null && pause.typeId === typeId && pause.key === key;
}

function wasPausedBy(pause: PauseRow, task: TaskRow): boolean {
  if (task.state !== "paused" || !isOf(pause, task)) return false;
  return task.pausedAt! >= pause.pausedAt && task.pausedAt! <= (pause.until ?? Infinity);
}

/** By what the row of a pause is found. */
export function pausePlace({ namespace, typeId, key }: PauseSubject): string {
  return JSON.stringify([namespace, typeId, key] satisfies [string, TypeId | null, string | null]);
}
