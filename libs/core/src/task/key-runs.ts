import { haveSameReducers } from "./merge.js";
import { keyNameOf, MergeGroups, type RequestedTask } from "./merge-groups.js";
import { type Due, type FoldedRefreshes, isWaitingState, type NewTask, type Task } from "./task.js";

/**
 * Consecutive entries of one key that are written together. The row of `task` asks for the key on behalf of all of
 * them: the first of merges, the last of others.
 */
export interface KeyRun {
  task: NewTask;
  entries: readonly RequestedTask[];
}

/**
 * Splits entries into the first run of each key and the rest.
 *
 * Successive replacements are one run, since only the last one can hold the key. Successive refreshes are one run if
 * their holder is known to be waiting: only the due time of the last one can stay, and its write stands for them all.
 * The first refresh of a key is a run of its own, since it is not known yet whether there is a holder. Successive
 * merges with the same reducers are one run, up to a bound, since one statement folds them all.
 *
 * @param holders the holders that the transaction has locked, by `keyNameOf`
 * @param groups which merges were found not to fit together
 */
export function firstKeyRuns(
  left: readonly RequestedTask[],
  holders: ReadonlyMap<string, Task>,
  groups: Pick<MergeGroups, "areTogether"> = new MergeGroups(),
): [KeyRun[], RequestedTask[]] {
  const first = new Map<string, Growth>();
  const later: RequestedTask[] = [];
  for (const entry of left) {
    const key = keyNameOf(entry.task);
    const run = first.get(key);
    const { length } = entry.task.payload;
    if (!run) first.set(key, { entries: [entry], length, hasEnded: false });
    else if (!run.hasEnded && isOneRun(run, entry, { holder: holders.get(key), groups })) {
      run.entries.push(entry);
      run.length += length;
    } else {
      run.hasEnded = true;
      later.push(entry);
    }
  }
  return [[...first.values()].map(({ entries }) => runOf(entries)), later];
}

/** One statement folds at most this many merges of a key, with at most this many characters of payloads. */
const MOST_MERGES = 1_000;
const LONGEST_MERGES = 1_048_576;

/** A run that may take further entries. */
interface Growth {
  entries: RequestedTask[];
  /** The length of its payloads, in characters. */
  length: number;
  hasEnded: boolean;
}

interface Around {
  holder: Task | undefined;
  groups: Pick<MergeGroups, "areTogether">;
}

function isOneRun(run: Growth, next: RequestedTask, { holder, groups }: Around): boolean {
  const first = run.entries[0]!;
  const { onConflict } = first.task;
  if (onConflict !== next.task.onConflict) return false;
  if (onConflict === "merge") return isOneFold(run, next.task) && groups.areTogether(first, next);
  return onConflict === "replace" || (onConflict === "refresh" && isWaiting(holder));
}

function isOneFold({ entries, length }: Growth, next: NewTask): boolean {
  if (entries.length >= MOST_MERGES || length + next.payload.length > LONGEST_MERGES) return false;
  return haveSameReducers(entries[0]!.task, next);
}

/** Whether a holder takes refreshes and merges: it waits, paused or not, and has not started. */
export function isWaiting(holder: Pick<Task, "state" | "startedAt"> | undefined): boolean {
  return holder !== undefined && isWaitingState(holder.state) && holder.startedAt === null;
}

function runOf(entries: readonly RequestedTask[]): KeyRun {
  const first = entries[0]!.task;
  const last = entries.at(-1)!.task;
  if (first.onConflict === "merge") return { task: first, entries };
  if (first.onConflict !== "refresh") return { task: last, entries };
  return { task: foldRefreshes(entries.map(({ task }) => task)), entries };
}

/**
 * One refresh for several of one key. The last one decides when the task is due, but a task that one of the others
 * makes due stays due, and the least `maxWaitMs` holds for all.
 */
export function foldRefreshes(tasks: readonly NewTask[]): NewTask {
  const last = tasks.at(-1)!;
  if (tasks.length === 1) return last;
  const before = tasks.slice(0, -1).flatMap(({ due, folded }) => [foldedOf(due), ...(folded ? [folded] : [])]);
  const all = last.folded ? [...before, last.folded] : before;
  const folded: FoldedRefreshes = {
    count: all.reduce((sum, { count }) => sum + count, 0),
    earliestAt: least(all.map(({ earliestAt }) => earliestAt)),
    leastDelayMs: least(all.map(({ leastDelayMs }) => leastDelayMs)),
  };
  const maxWaitMs = least(tasks.map((task) => task.maxWaitMs ?? null));
  return maxWaitMs === null ? { ...last, folded } : { ...last, folded, maxWaitMs };
}

function foldedOf(due: Due): FoldedRefreshes {
  return "at" in due
    ? { count: 1, earliestAt: due.at, leastDelayMs: null }
    : { count: 1, earliestAt: null, leastDelayMs: due.delayMs };
}

function least(numbers: readonly (number | null)[]): number | null {
  let found: number | null = null;
  for (const number of numbers) if (number !== null && (found === null || number < found)) found = number;
  return found;
}
