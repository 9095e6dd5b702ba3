import { type NewTask, slotOfId, type Task, type TypeId } from "@tickwheel/core";

/** A requested task, and the place of its result. */
export interface Entry {
  place: number;
  task: NewTask;
}

/**
 * Consecutive entries of one key that are written together. The row of `task` asks for the key on behalf of all of
 * them.
 */
export interface Run {
  task: NewTask;
  entries: readonly Entry[];
}

/**
 * One statement writes at most about this many rows and characters of payloads. To prepare more at once would block the
 * event loop.
 */
const INSERT_ROWS = 1_000;
const INSERT_LENGTH = 1_048_576;

export function keyOf({ typeId, key }: { typeId: TypeId; key: string | null }): string {
  return `${typeId}\0${key}`;
}

/**
 * Splits entries into the first run of each key and the rest.
 *
 * Successive replacements are one run, since only the last one can hold the key. Successive refreshes are one run if
 * their holder is known to be waiting: only the due time of the last one can stay, and its write stands for them all.
 * The first refresh of a key is a run of its own, since it is not known yet whether there is a holder.
 *
 * @param holders the holders that this transaction has locked, by `keyOf`
 */
export function firstRuns(left: readonly Entry[], holders: ReadonlyMap<string, Task>): [Run[], Entry[]] {
  const first = new Map<string, Entry[]>();
  const ended = new Set<string>();
  const later: Entry[] = [];
  for (const entry of left) {
    const key = keyOf(entry.task);
    const run = first.get(key);
    if (!run) first.set(key, [entry]);
    else if (!ended.has(key) && isOneRun(run[0]!.task, entry.task, holders.get(key))) run.push(entry);
    else {
      ended.add(key);
      later.push(entry);
    }
  }
  return [[...first.values()].map(runOf), later];
}

function isOneRun(first: NewTask, next: NewTask, holder: Task | undefined): boolean {
  if (first.onConflict !== next.onConflict) return false;
  return first.onConflict === "replace" || (first.onConflict === "refresh" && holder?.state === "scheduled");
}

function runOf(entries: readonly Entry[]): Run {
  const { task } = entries.at(-1)!;
  if (entries.length === 1 || task.onConflict !== "refresh") return { task, entries };
  const refreshCount = entries.reduce((sum, entry) => sum + (entry.task.refreshCount ?? 1), 0);
  return { task: { ...task, refreshCount }, entries };
}

/**
 * Whether tasks are few and short enough for one statement: at most 1,000 tasks with at most 1,048,576 characters of
 * payloads.
 */
export function isOnePart(tasks: readonly Pick<NewTask, "payload">[]): boolean {
  if (tasks.length > INSERT_ROWS) return false;
  let length = 0;
  for (const { payload } of tasks) length += payload.length;
  return length <= INSERT_LENGTH;
}

/**
 * Splits items into parts of one statement each. No item is read before its part is asked for, so a long bulk is
 * prepared in turns.
 */
export function* partsOf<One extends { task: NewTask }>(all: Iterable<One>): Generator<One[]> {
  let part: One[] = [];
  let length = 0;
  for (const one of all) {
    part.push(one);
    length += one.task.payload.length;
    if (part.length < INSERT_ROWS && length < INSERT_LENGTH) continue;
    yield part;
    part = [];
    length = 0;
  }
  if (part.length > 0) yield part;
}

/**
 * The same, but no slot is split between parts, however full it is: the statements of a round lock in the order of
 * (slot, type, key).
 */
export function partsBySlot(round: readonly Run[]): Run[][] {
  if (isOnePart(round.map(({ task }) => task))) return [[...round]];
  const bySlot = new Map<number, Run[]>();
  for (const run of round) {
    const slot = slotOfId(run.task.id);
    const runs = bySlot.get(slot);
    if (runs) runs.push(run);
    else bySlot.set(slot, [run]);
  }
  return partsOfGroups([...bySlot].sort(([one], [other]) => one - other).map(([, runs]) => runs));
}

/** Combines groups to parts. No group is split. */
function partsOfGroups(groups: Iterable<readonly Run[]>): Run[][] {
  const parts: Run[][] = [];
  let length = INSERT_LENGTH;
  for (const group of groups) {
    if (length >= INSERT_LENGTH || parts.at(-1)!.length >= INSERT_ROWS) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)!.push(...group);
    for (const { task } of group) length += task.payload.length;
  }
  return parts;
}
