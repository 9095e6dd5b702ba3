import {
  type CreateOutcome,
  type CreateRequest,
  type CreateResult,
  type EpochMs,
  type ExecutionRef,
  firstKeyRuns,
  isWaiting,
  keyNameOf,
  type KeyRun,
  mergePath,
  misfitOf,
  rejectedAmong,
  type NewTask,
  type RejectedCreate,
  type RequestedTask,
  slotOfId,
  type Task,
  type TaskType,
  TickwheelError,
} from "@tickwheel/core";
import type { MemorySession } from "../database/memory-connection.js";
import { StatementFailure } from "../database/statement-failure.js";
import type { StatementScope } from "../database/statement-scope.js";
import { type TaskRow, taskOf } from "../database/task-row.js";
import { type Fold, foldPayload } from "./fold-payload.js";
import { cancelledRow, createdRow, keylessRow, mergedRow, refreshedRow } from "./row-transitions.js";
import { writeTask, writeUnderKey } from "./write-task.js";
import { refused, Written } from "./written-requests.js";

const MAX_ATTEMPTS = 3;

/**
 * Unkeyed tasks in one statement; keyed ones in rounds of one run per key. Each result tells its task as the whole
 * request left it.
 */
export async function writeTasks(session: MemorySession, { namespace, tasks }: CreateRequest): Promise<CreateResult[]> {
  const written = new Written(namespace);
  const entries = tasks.map((task, place): RequestedTask => ({ place, task }));
  const unkeyed = entries.filter(({ task }) => task.key === null);
  if (unkeyed.length > 0) await session.run((scope) => insertFree(scope, written, unkeyed.map(aloneOf)));
  let left = entries.filter(({ task }) => task.key !== null);
  for (let attempt = 1; left.length > 0;) {
    const [runs, later] = firstKeyRuns(left, written.holders, written.groups);
    const { gone, again } = await writeRound(session, written, inLockOrder(runs));
    if (gone.length > 0 && ++attempt > MAX_ATTEMPTS) {
      throw new TickwheelError("STORE_UNAVAILABLE", "The holder of a key went away each time that it was looked at");
    }
    left = [...gone, ...again, ...later].sort((one, other) => one.place - other.place);
  }
  return written.inTheEnd(tasks.length);
}

function aloneOf(entry: RequestedTask): KeyRun {
  return { task: entry.task, entries: [entry] };
}

function inLockOrder(runs: readonly KeyRun[]): KeyRun[] {
  return runs.toSorted((one, other) => (lockName(one.task) < lockName(other.task) ? -1 : 1));
}

/** Sorts by (slot, type, key). */
export function lockName({ id, typeId, key }: NewTask): string {
  return `${String(slotOfId(id)).padStart(4, "0")} ${String(typeId).padStart(10, "0")} ${key}`;
}

/** What of a round is still to be written. */
interface Rest {
  /** Entries whose holder was gone when it was looked at. */
  gone: RequestedTask[];
  /** Merges that are to be written again, in smaller groups. */
  again: RequestedTask[];
}

/**
 * Inserts the tasks whose keys are free, which locks the holders of the others; refreshes and merges those that wait;
 * reads the holders that are left, frees the keys that go on, and inserts the next cycles.
 */
async function writeRound(session: MemorySession, written: Written, runs: readonly KeyRun[]): Promise<Rest> {
  const { met, inserted, again } = await session.run((scope) => insertOrLock(scope, written, runs));
  await insertReplaced(session, written, inserted);
  again.push(...(await foldRests(session, written, inserted)));
  const left: KeyRun[] = [];
  for (const run of met) {
    const { onConflict } = run.task;
    const isTaken =
      (onConflict === "refresh" && (await session.run((scope) => refresh(scope, written, run)))) ||
      (onConflict === "merge" && (await mergeAll(session, written, { run, again })));
    if (!isTaken) left.push(run);
  }
  const gone: RequestedTask[] = [];
  again.push(...(await meetHolders(session, written, { met: left, gone })));
  return { gone, again };
}

/** Answers, frees or goes on with the holders of these runs, which are locked. Answers merges to write again. */
async function meetHolders(
  session: MemorySession,
  written: Written,
  { met, gone }: { met: readonly KeyRun[]; gone: RequestedTask[] },
): Promise<RequestedTask[]> {
  if (met.length === 0) return [];
  const holders = await session.run((scope) => met.map(({ task }) => holderSeen(scope, task)));
  const next: NextCycle[] = [];
  const again: RequestedTask[] = [];
  met.forEach(({ task, entries }, index) => {
    const holder = holders[index];
    const { place } = entries[0]!;
    const misfit = misfitOf([task], task);
    if (holder) written.holders.set(keyNameOf(task), holder.task);
    if (!holder) gone.push(...entries);
    else if (task.onConflict === "return") written.results.set(place, { outcome: "existing", task: holder.task });
    else if (task.onConflict === "reject") written.results.set(place, keyConflict(holder.task.id));
    else if (misfit) again.push(...refused(written, entries, { misfit, existingId: task.id }));
    else next.push({ task, entries, holder: holder.row });
  });
  if (next.length === 0) return again;
  await session.run(async (scope) => {
    for (const cycle of next) await freeKey(scope, written, cycle);
  });
  const inserted = await session.run((scope) => insertFree(scope, written, next));
  await insertReplaced(session, written, inserted);
  return [...again, ...(await foldRests(session, written, inserted))];
}

/** A run whose key has a holder, which is locked. */
interface NextCycle extends KeyRun {
  holder: TaskRow;
}

/**
 * Answers the runs that met a holder, which is locked now and was not changed, and the rows of those that found their
 * keys free.
 */
async function insertOrLock(
  scope: StatementScope,
  written: Written,
  runs: readonly KeyRun[],
): Promise<{ met: KeyRun[]; inserted: Inserted[]; again: RequestedTask[] }> {
  const met: KeyRun[] = [];
  const inserted: Inserted[] = [];
  const again: RequestedTask[] = [];
  const { now } = scope;
  for (const run of runs) {
    const { task } = run;
    const misfit = misfitOf([task], task);
    for (;;) {
      const after = createdRow(task, typeOf(scope, written.namespace, task), now);
      const holder = misfit
        ? await scope.underFreeKey({ ...task, key: task.key! }, () => undefined)
        : await writeUnderKey(scope, { before: null, after }, { actor: task.actor });
      if (!holder && misfit) {
        again.push(...refused(written, run.entries, { misfit, existingId: task.id }));
        break;
      }
      if (!holder) {
        tell(written, { ...run, outcome: "created" }, taskOf(after, scope));
        inserted.push({ ...run, now });
        break;
      }
      const isHeld = await scope.tasks.lockNewest(holder.id, ({ keyLive }) => keyLive, { mode: "no-key-update" });
      if (!isHeld) continue;
      met.push(run);
      break;
    }
  }
  return { met, inserted, again };
}

/** A run that holds its key since `now`. */
interface Inserted extends KeyRun {
  now: EpochMs;
}

/**
 * Keeps what the entries of a run are answered with, the first one with the outcome that is given; `task` holds the key
 * now. The further entries of a merge are still to be folded in.
 */
function tell(
  { results, holders, changed }: Written,
  { task: asked, entries, outcome, interrupted }: KeyRun & { outcome: CreateOutcome; interrupted?: ExecutionRef },
  task: Task,
): void {
  if (task.key !== null) holders.set(keyNameOf(asked), task);
  if (outcome === "refreshed") changed.set(task.id, task);
  const later = asked.onConflict === "replace" ? "replaced" : "refreshed";
  const told = asked.onConflict === "merge" ? entries.slice(0, 1) : entries;
  told.forEach(({ place }, index) => {
    const result = { outcome: index === 0 ? outcome : later, task } as const;
    results.set(place, index === 0 && interrupted ? { ...result, interrupted } : result);
  });
}

/**
 * The tasks of these runs that the next one of their run replaces at once: one statement for all, and none where there
 * are none.
 */
async function insertReplaced(session: MemorySession, written: Written, inserted: readonly Inserted[]): Promise<void> {
  const long = inserted.filter(({ task, entries }) => task.onConflict === "replace" && entries.length > 1);
  if (long.length === 0) return;
  await session.run(async (scope) => {
    for (const { entries, now } of long)
      for (const [index, { place, task }] of entries.slice(0, -1).entries()) {
        const { actor } = entries[index + 1]!.task;
        const row = await insertReplacedTask(scope, written, { task, actor, now });
        written.results.set(place, { ...written.results.get(place)!, task: taskOf(row, scope) } as CreateResult);
      }
  });
}

/** A task that is born replaced: its row as its insert and the replacement after it would have left it. */
async function insertReplacedTask(
  scope: StatementScope,
  { namespace }: Written,
  { task, actor, now }: { task: NewTask; actor: string; now: EpochMs },
): Promise<TaskRow> {
  if (await scope.tasks.lockNewest(task.id)) throw new StatementFailure("unique-violation");
  const waiting = keylessRow(createdRow(task, typeOf(scope, namespace, task), now));
  await writeTask(scope, { before: null, after: waiting }, { actor: task.actor });
  const after = cancelledRow(waiting, { actor, reason: "REPLACED" }, now)!;
  await writeTask(scope, { before: waiting, after }, { reason: "REPLACED", actor });
  return after;
}

/** Moves the due time of a holder that waits. It is locked, and the clock is read after that. False: it has started. */
async function refresh(scope: StatementScope, written: Written, run: KeyRun): Promise<boolean> {
  const { task } = run;
  const holder = holderSeen(scope, task)?.row;
  const after = holder ? refreshedRow(holder, task, scope.now) : null;
  if (!after) return false;
  const count = 1 + (task.folded?.count ?? 0);
  await writeTask(scope, { before: holder!, after }, { reason: "REFRESHED", actor: task.actor, count });
  tell(written, { ...run, outcome: "refreshed" }, taskOf(after, scope));
  return true;
}

/** Folds the further entries of merges into the rows that their first ones have just made. */
async function foldRests(
  session: MemorySession,
  written: Written,
  inserted: readonly Inserted[],
): Promise<RequestedTask[]> {
  const again: RequestedTask[] = [];
  for (const { task, entries } of inserted) {
    if (task.onConflict !== "merge" || entries.length === 1) continue;
    await mergeAll(session, written, { run: { task, entries: entries.slice(1) }, again });
  }
  return again;
}

/**
 * Folds the entries of a run into the holder, which is locked. False: it is gone or has started. Entries that do not
 * fit together are left for `again`.
 */
async function mergeAll(
  session: MemorySession,
  written: Written,
  { run, again }: { run: KeyRun; again: RequestedTask[] },
): Promise<boolean> {
  const left = await session.run((scope) => merge(scope, written, run));
  if (left === null) return false;
  again.push(...left);
  return true;
}

/** Null: the holder is gone or has started. Else the entries that are to be tried again. */
async function merge(
  scope: StatementScope,
  written: Written,
  { task, entries }: KeyRun,
): Promise<readonly RequestedTask[] | null> {
  const holder = holderSeen(scope, task)?.row;
  if (!holder || !isWaiting(holder)) return null;
  const payloads = entries.map((entry) => entry.task.payload);
  const fold = foldPayload(holder.payload, task.reducers ?? {}, payloads);
  if ((fold.kind === "too_large" || fold.kind === "overflow") && written.groups.halvesOf(entries)) return entries;
  for (const [index, { place }] of entries.entries()) {
    const fault = faultOf(fold, index);
    if (!fault) continue;
    const rejected = { outcome: "rejected", existingId: holder.id, ...fault } as const;
    const isTogether = fold.kind === "too_large" || fold.kind === "overflow";
    written.results.set(place, isTogether ? rejectedAmong(entries, rejected) : rejected);
  }
  if (fold.kind !== "merged") return [];
  const good = entries.filter((_, index) => !fold.refused.has(index));
  const tasks = good.map((entry) => entry.task);
  const misfit = misfitOf(tasks, { payload: fold.payload, delivery: holder.delivery });
  if (misfit) return refused(written, entries, { misfit, existingId: holder.id });
  const after = mergedRow(holder, { payload: fold.payload, tasks }, scope.now);
  const { actor } = good.at(-1)!.task;
  await writeTask(scope, { before: holder, after }, { reason: "MERGED", actor, count: good.length });
  const merged = taskOf(after, scope);
  written.holders.set(keyNameOf(task), merged);
  written.changed.set(merged.id, merged);
  for (const { place } of good) written.results.set(place, { outcome: "merged", task: merged });
  return [];
}

/** Why the merge of this index is not in what a fold came to; null: it is. */
function faultOf(fold: Fold, index: number): Pick<RejectedCreate, "code" | "path"> | null {
  if (fold.kind === "too_large") return { code: "PAYLOAD_TOO_LARGE" };
  if (fold.kind === "overflow") return conflict(fold.field);
  if (fold.kind === "unmergeable") return conflict(null);
  return fold.refused.has(index) ? conflict(fold.refused.get(index)!) : null;
}

function conflict(field: string | null): Pick<RejectedCreate, "code" | "path"> {
  return { code: "MERGE_CONFLICT", path: mergePath(field) };
}

function holderSeen(scope: StatementScope, { typeId, key }: NewTask): { row: TaskRow; task: Task } | null {
  for (const row of scope.tasks.values()) {
    if (row.keyLive && row.key === key && row.typeId === typeId) return { row, task: taskOf(row, scope) };
  }
  return null;
}

/**
 * A holder that was locked before gives up its key: replaced, it is cancelled or asked to stop, by the first of the
 * run; a task that has started goes on without it.
 */
async function freeKey(
  scope: StatementScope,
  { changed }: Written,
  { task, entries, holder }: NextCycle,
): Promise<void> {
  const { actor, onConflict } = entries[0]!.task;
  const isReplaced = onConflict === "replace";
  const asked = isReplaced ? cancelledRow(holder, { actor, reason: "REPLACED" }, scope.now) : null;
  const note = asked?.state === "cancelled" ? { reason: "REPLACED", actor } : null;
  const after = keylessRow(asked ?? holder, isReplaced ? holder.continuedBy : task.id);
  await writeTask(scope, { before: holder, after }, note);
  changed.set(after.id, taskOf(after, scope));
}

/** The execution that is to stop because its task was replaced. */
function interruptedBy(task: NewTask, { id, state, owner, fence }: TaskRow): ExecutionRef | undefined {
  return task.onConflict === "replace" && state === "running" && owner !== null ? { id, owner, fence } : undefined;
}

/** Runs whose keys, if they have any, are free. */
async function insertFree(
  scope: StatementScope,
  written: Written,
  runs: readonly (KeyRun & { holder?: TaskRow })[],
): Promise<Inserted[]> {
  const { now } = scope;
  for (const { task, entries, holder } of runs) {
    if (await scope.tasks.lockNewest(task.id)) throw new StatementFailure("unique-violation");
    const isReplaced = task.onConflict === "replace";
    const continues = holder && !isReplaced ? holder.id : null;
    const after = { ...createdRow(task, typeOf(scope, written.namespace, task), now), continues };
    await writeTask(scope, { before: null, after }, { actor: task.actor });
    const outcome = holder && isReplaced ? "replaced" : "created";
    tell(written, { task, entries, outcome, interrupted: holder && interruptedBy(task, holder) }, taskOf(after, scope));
  }
  return runs.map(({ task, entries }) => ({ task, entries, now }));
}

function typeOf(scope: StatementScope, namespace: string, { typeId }: NewTask): TaskType {
  const type = scope.types.get(String(typeId));
  if (!type || type.namespace !== namespace) throw new Error(`There is no type ${typeId} in ${namespace}`);
  return type;
}

/** The answer to a create that met a holder and left it unchanged. */
function keyConflict(existingId: string): CreateResult {
  return { outcome: "rejected", code: "TASK_KEY_CONFLICT", existingId };
}
