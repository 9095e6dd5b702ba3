import {
  changedValues,
  compareRevisions,
  decideSetting,
  isOccurrence,
  isOtherLimit,
  isOtherSetting,
  isPauseInForce,
  type KnownSubject,
  type LimitValues,
  namespaceOfChange,
  NO_LIMIT,
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
  type TypeSettingValues,
} from "@tickwheel/core";
import type { MemorySession } from "../database/memory-connection.js";
import type { StatementScope } from "../database/statement-scope.js";
import { ONLY_ROW, type PauseRow, type TypeRow } from "../database/tables.js";
import { hintOf, type TaskRow } from "../database/task-row.js";
import { copyOf } from "../system/copy-of.js";
import { tell } from "./event-statements.js";
import { readFlowLimits, writeFlowLimit } from "./limit-rows.js";
import { resumedRow } from "./row-transitions.js";
import { writeTask } from "./write-task.js";

/** The row of a pause that is over is kept for so long. */
const KEPT_MS = 60_000;

export function readSettings(scope: StatementScope): Settings {
  const { revisions, typeSettings, pauses, now } = scope;
  const kept = pauses.values().filter(({ until }) => until === null || until > now - KEPT_MS);
  return copyOf({
    revision: revisions.get(ONLY_ROW)!,
    types: typeSettings.values().sort((one, other) => one.typeId - other.typeId),
    limits: readFlowLimits(scope),
    pauses: kept.map(({ place: _place, ...pause }) => pause),
  });
}

/** One transaction. The revision is locked first, and written before anything else. */
export async function changeSettings(session: MemorySession, change: SettingChange): Promise<SettingReply> {
  const inForce = await session.run(({ revisions }) => revisions.lock(ONLY_ROW, undefined, { mode: "no-key-update" }));
  await session.run((scope) => lockPullTypes(scope, change));
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

/**
 * Waits for the pulls under way of the types that a change concerns; those behind it see the change. A pull decides by
 * the rows alone, so no node is asked about them.
 */
async function lockPullTypes({ types }: StatementScope, change: SettingChange): Promise<void> {
  const typeId = typeOfChange(change);
  const namespace = namespaceOfChange(change);
  const isMeant = (row: TypeRow): boolean =>
    row.delivery === "pull" && (typeId === null ? row.namespace === namespace : row.id === typeId);
  const meant = types.values().filter(isMeant);
  for (const { id } of meant.sort((one, other) => one.id - other.id)) await types.lock(String(id));
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

function knownSubject(scope: StatementScope, change: SettingChange): KnownSubject {
  const { types, typeSettings, pauses, now } = scope;
  const type = typeOf(types.get(String(typeOfChange(change))), change);
  const namespace = namespaceOfChange(change) ?? type?.namespace ?? null;
  const pause = "subject" in change ? pauses.get(pausePlace(change.subject)) : undefined;
  const setting = change.kind === "type" ? typeSettings.get(String(change.typeId)) : undefined;
  const limits = readFlowLimits(scope).filter((limit) => limit.namespace === namespace);
  const limit = limits.find(({ typeId }) => typeId === typeOfChange(change));
  return {
    now,
    type,
    values: { ...settingOf(setting ?? NO_SETTING), ...limitOf(limit ?? NO_LIMIT) },
    pause: pause && isPauseInForce(pause, now) ? pause : null,
    pausedKeys: pauses.values().filter((row) => row.key !== null && isPauseInForce(row, now)).length,
    limits: limits.filter(({ typeId }) => types.get(String(typeId))?.isDropped !== true).length,
  };
}

function typeOf(
  row: { namespace: string; type: string; isDropped: boolean } | undefined,
  change: SettingChange,
): KnownSubject["type"] {
  const isMeant = change.kind === "type" || row?.namespace === namespaceOfChange(change);
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
  const { now, pauses } = scope;
  await forgetPauses(scope);
  if (change.kind === "type" || change.kind === "namespace") return writeValues(scope, change, known);
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

/** Writes what differs: the row of a type's settings, the one of its limits, or both. */
async function writeValues(
  scope: StatementScope,
  change: Extract<SettingChange, { values: unknown }>,
  known: KnownSubject,
): Promise<void> {
  const { actor: changedBy } = change;
  const values = changedValues(known.values, change.values);
  const typeId = typeOfChange(change);
  if (typeId !== null && isOtherSetting(values, known.values)) {
    const row = { typeId, ...settingOf(values), changedAt: scope.now, changedBy };
    await scope.typeSettings.write(String(typeId), row);
  }
  if (!isOtherLimit(values, known.values)) return;
  const namespace = namespaceOfChange(change) ?? known.type!.namespace;
  await writeFlowLimit(scope, { namespace, typeId }, { ...limitOf(values), changedBy });
}

function settingOf({
  concurrency,
  keepSucceededMs,
  keepCancelledMs,
  keepDeadMs,
}: TypeSettingValues): TypeSettingValues {
  return { concurrency, keepSucceededMs, keepCancelledMs, keepDeadMs };
}

function limitOf({ maxRunning, rate }: LimitValues): LimitValues {
  return { maxRunning, rate };
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
  return (task) => pauseAmong(known, task);
}

/** Whether the namespace or the type as a whole is paused. */
export function isTypePaused({ pauses, now }: StatementScope, { id, namespace }: TypeRow): boolean {
  const isMeant = ({ typeId, key }: PauseRow): boolean => key === null && (typeId === null || typeId === id);
  const all = pauses.values().filter((row) => row.namespace === namespace && isMeant(row));
  return all.some((row) => isPauseInForce(row, now));
}

/**
 * The pauses in force of the type's keys, with whom to name. For a transaction that holds the type's row against
 * changes of the settings.
 */
export function pausedKeysOf({ pauses, now }: StatementScope, typeId: TypeId): (row: TaskRow) => Pause | null {
  const known = pauses.values().filter((row) => row.typeId === typeId && row.key !== null && isPauseInForce(row, now));
  return (task) => pauseAmong(known, task);
}

/** Null: the key is not paused, or the task is an occurrence, whose schedule decides about its time. */
function pauseAmong(known: readonly PauseRow[], task: TaskRow): Pause | null {
  return isOccurrence(task) ? null : (known.find((row) => isOf(row, task)) ?? null);
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
