import { type KeyRun, type NewTask, slotOfId } from "@tickwheel/core";

/**
 * One statement writes at most about this many rows and characters of payloads. To prepare more at once would block the
 * event loop.
 */
const INSERT_ROWS = 1_000;
const INSERT_LENGTH = 1_048_576;

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
export function partsBySlot(round: readonly KeyRun[]): KeyRun[][] {
  if (isOnePart(round.flatMap(writtenOf))) return [[...round]];
  const bySlot = new Map<number, KeyRun[]>();
  for (const run of round) {
    const slot = slotOfId(run.task.id);
    const runs = bySlot.get(slot);
    if (runs) runs.push(run);
    else bySlot.set(slot, [run]);
  }
  return partsOfGroups([...bySlot].sort(([one], [other]) => one - other).map(([, runs]) => runs));
}

/** Combines groups to parts. No group is split. */
function partsOfGroups(groups: Iterable<readonly KeyRun[]>): KeyRun[][] {
  const parts: KeyRun[][] = [];
  let length = INSERT_LENGTH;
  for (const group of groups) {
    if (length >= INSERT_LENGTH || parts.at(-1)!.length >= INSERT_ROWS) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)!.push(...group);
    for (const run of group) for (const { payload } of writtenOf(run)) length += payload.length;
  }
  return parts;
}

/** The tasks of a run whose payloads its statements carry: all merges, and one task for the others. */
function writtenOf({ task, entries }: KeyRun): NewTask[] {
  return task.onConflict === "merge" ? entries.map((entry) => entry.task) : [task];
}
