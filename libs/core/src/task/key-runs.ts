import type { NewTask, Task, TypeId } from "./task.js";

/** A requested task, and the place of its result. */
export interface RequestedTask {
  place: number;
  task: NewTask;
}

/**
 * Consecutive entries of one key that are written together. The row of `task` asks for the key on behalf of all of
 * them.
 */
export interface KeyRun {
  task: NewTask;
  entries: readonly RequestedTask[];
}

/** Names the key of a task in memory. Tasks without a key have no name that counts. */
export function keyNameOf({ typeId, key }: { typeId: TypeId; key: string | null }): string {
  return `${typeId}\0${key}`;
}

/**
 * Splits entries into the first run of each key and the rest.
 *
 * Successive replacements are one run, since only the last one can hold the key. Successive refreshes are one run if
 * their holder is known to be waiting: only the due time of the last one can stay, and its write stands for them all.
 * The first refresh of a key is a run of its own, since it is not known yet whether there is a holder.
 *
 * @param holders the holders that the transaction has locked, by `keyNameOf`
 */
export function firstKeyRuns(
  left: readonly RequestedTask[],
  holders: ReadonlyMap<string, Task>,
): [KeyRun[], RequestedTask[]] {
  const first = new Map<string, RequestedTask[]>();
  const ended = new Set<string>();
  const later: RequestedTask[] = [];
  for (const entry of left) {
    const key = keyNameOf(entry.task);
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

function runOf(entries: readonly RequestedTask[]): KeyRun {
  const { task } = entries.at(-1)!;
  if (entries.length === 1 || task.onConflict !== "refresh") return { task, entries };
  const refreshCount = entries.reduce((sum, entry) => sum + (entry.task.refreshCount ?? 1), 0);
  return { task: { ...task, refreshCount }, entries };
}
