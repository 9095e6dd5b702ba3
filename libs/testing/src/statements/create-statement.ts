import {
  type CreateOutcome,
  type CreateReply,
  type CreateRequest,
  type CreateResult,
  type EpochMs,
  type ExecutionRef,
  firstKeyRuns,
  type Idempotency,
  keyNameOf,
  type KeyRun,
  type NewTask,
  type RequestedTask,
  slotOfId,
  type Task,
  type TaskType,
  TickwheelError,
} from "@tickwheel/core";
import type { CallSession, MemorySession } from "../database/memory-connection.js";
import { copyOf } from "../system/copy-of.js";
import { cancelledRow, createdRow, editedRow, keylessRow } from "./row-transitions.js";
import { StatementFailure } from "../database/statement-failure.js";
import type { StatementScope } from "../database/statement-scope.js";
import type { CreateAnswer, IdempotencyRow } from "../database/tables.js";
import { type TaskRow, taskOf } from "../database/task-row.js";
import { writeTask, writeUnderKey } from "./write-task.js";

/** How long an idempotency key is remembered. */
export const IDEMPOTENCY_MS = 86_400_000;
const MAX_ATTEMPTS = 3;

/** The results of one request so far. */
class Written {
  readonly results = new Map<number, CreateResult>();
  /** The holders of the keys that the transaction has locked, by `keyNameOf`. */
  readonly holders = new Map<string, Task>();
  /** Tasks that were changed after a result may have named them, by id. */
  readonly changed = new Map<string, Task>();

  constructor(readonly namespace: string) {}

  /** The results in their order, each with its task as the whole request left it. */
  inTheEnd(count: number): CreateResult[] {
    return Array.from({ length: count }, (_, place) => {
      const result = this.results.get(place)!;
      const task = result.outcome === "rejected" ? undefined : this.changed.get(result.task.id);
      return task ? { ...result, task: copyOf(task) } : result;
    });
  }
}

/**
 * Writes tasks, or repeats the answer of an earlier request under the same idempotency key. Lock order: idempotency
 * row, keyed rows, others.
 */
export function create(session: CallSession, request: CreateRequest): Promise<CreateReply> {
  const isContended = request.idempotency || request.tasks.some(({ key }) => key !== null);
  if (!isContended) return writeTasks(session, request).then((results) => ({ kind: "written", results }));
  const write = (asked: CreateRequest, lockTimeoutMs: number | null): Promise<CreateReply> =>
    session.transaction(lockTimeoutMs, (within) => createWithin(within, asked));
  const probes = keysAlone(request).map(
    (alone) => (lockTimeoutMs: number) =>
      rolledBack(
        session.transaction(lockTimeoutMs, async (within) => {
          await createWithin(within, alone);
          throw new EnoughDone();
        }),
      ),
  );
  const name = probes.length === 1 ? request.tasks.find(({ key }) => key !== null)!.key! : request.tasks[0]!.id;
  return session.patiently(name, (lockTimeoutMs) => write(request, lockTimeoutMs), probes);
}

/** Rolls back a transaction that has done its work. */
class EnoughDone extends Error {}

async function rolledBack(work: Promise<never>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof EnoughDone)) throw error;
  });
}

/** The same create for each of its keys alone. */
function keysAlone({ namespace, tasks }: CreateRequest): CreateRequest[] {
  const byKey = new Map(tasks.filter(({ key }) => key !== null).map((task) => [lockName(task), task]));
  return [...byKey.values()].map((task) => ({ namespace, tasks: [task] }));
}

async function createWithin(session: MemorySession, request: CreateRequest): Promise<CreateReply> {
  const { idempotency } = request;
  if (!idempotency) return { kind: "written", results: await writeTasks(session, request) };
  const name = `${request.namespace}\0${idempotency.key}`;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (await session.run((scope) => beginRequest(scope, name, idempotency))) {
      const results = await writeTasks(session, request);
      await session.run((scope) => endRequest(scope, name, results));
      return { kind: "written", results };
    }
    const known = await session.run((scope) => scope.idempotency.get(name));
    if (!known?.answers) continue;
    if (known.bodyHash !== idempotency.bodyHash) return { kind: "key_reused" };
    const { answers } = known;
    return {
      kind: "replayed",
      results: await session.run((scope) => answers.map((answer) => resultOf(scope, answer))),
    };
  }
  throw new TickwheelError("STORE_UNAVAILABLE", "The idempotency key went away each time that it was looked at");
}

/** Takes the key, if it is free or forgotten. Waits for a request in flight under the same key. */
async function beginRequest(scope: StatementScope, name: string, { bodyHash }: Idempotency): Promise<boolean> {
  const row: IdempotencyRow = { name, bodyHash, at: scope.now, answers: null };
  const known = await scope.idempotency.insertOrLock(name, row);
  if (known === null) return true;
  if (scope.now - known.at < IDEMPOTENCY_MS) return false;
  scope.idempotency.put(name, row);
  return true;
}

function endRequest(scope: StatementScope, name: string, results: readonly CreateResult[]): void {
  const isKept = results.some(({ outcome }) => outcome !== "rejected");
  const answers = results.map(answerOf);
  scope.idempotency.put(name, isKept ? { ...scope.idempotency.get(name)!, answers } : undefined);
}

function answerOf(result: CreateResult): CreateAnswer {
  if (result.outcome === "rejected") return { outcome: "rejected", existingId: result.existingId };
  return { outcome: result.outcome, id: result.task.id };
}

/**
 * Writes unkeyed tasks in one statement, and keyed ones in rounds of one run per key; a round has up to five
 * statements. Each result has its task as the whole request left it.
 */
async function writeTasks(session: MemorySession, { namespace, tasks }: CreateRequest): Promise<CreateResult[]> {
  const written = new Written(namespace);
  const entries = tasks.map((task, place): RequestedTask => ({ place, task }));
  const unkeyed = entries.filter(({ task }) => task.key === null);
  if (unkeyed.length > 0) await session.run((scope) => insertFree(scope, written, unkeyed.map(aloneOf)));
  let left = entries.filter(({ task }) => task.key !== null);
  for (let attempt = 1; left.length > 0;) {
    const [runs, later] = firstKeyRuns(left, written.holders);
    const again = await writeRound(session, written, inLockOrder(runs));
    if (again.length > 0 && ++attempt > MAX_ATTEMPTS) {
      throw new TickwheelError("STORE_UNAVAILABLE", "The holder of a key went away each time that it was looked at");
    }
    left = [...again, ...later].sort((one, other) => one.place - other.place);
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
function lockName({ id, typeId, key }: NewTask): string {
  return `${String(slotOfId(id)).padStart(4, "0")} ${String(typeId).padStart(10, "0")} ${key}`;
}

/**
 * First inserts or refreshes. Then reads the holders that were met and not changed, frees their keys and inserts the
 * next cycles.
 */
async function writeRound(session: MemorySession, written: Written, runs: readonly KeyRun[]): Promise<RequestedTask[]> {
  const { met, inserted } = await session.run((scope) => insertOrRefresh(scope, written, runs));
  await insertReplaced(session, written, inserted);
  if (met.length === 0) return [];
  const holders = await session.run((scope) => met.map(({ task }) => holderSeen(scope, task)));
  const again: RequestedTask[] = [];
  const next: NextCycle[] = [];
  met.forEach(({ task, entries }, index) => {
    const holder = holders[index];
    const { place } = entries[0]!;
    if (holder) written.holders.set(keyNameOf(task), holder.task);
    if (!holder) again.push(...entries);
    else if (task.onConflict === "return") written.results.set(place, { outcome: "existing", task: holder.task });
    else if (task.onConflict === "reject") written.results.set(place, rejected(holder.task.id));
    else next.push({ task, entries, holder: holder.row });
  });
  if (next.length === 0) return again;
  await session.run(async (scope) => {
    for (const cycle of next) await freeKey(scope, written, cycle);
  });
  await insertReplaced(session, written, await session.run((scope) => insertFree(scope, written, next)));
  return again;
}

/** A run whose key has a holder, which is locked. */
interface NextCycle extends KeyRun {
  holder: TaskRow;
}

/**
 * Answers the runs that met a holder, which is now locked and was not changed, and the runs that found their keys free.
 */
async function insertOrRefresh(
  scope: StatementScope,
  written: Written,
  runs: readonly KeyRun[],
): Promise<{ met: KeyRun[]; inserted: Inserted[] }> {
  const met: KeyRun[] = [];
  const inserted: Inserted[] = [];
  const { now } = scope;
  for (const run of runs) {
    const { task } = run;
    for (;;) {
      const after = createdRow(task, typeOf(scope, written.namespace, task), now);
      const holder = await writeUnderKey(scope, { before: null, after }, { actor: task.actor });
      if (!holder) {
        tell(written, { ...run, outcome: "created" }, taskOf(after, scope));
        inserted.push({ ...run, now });
        break;
      }
      const held = await scope.tasks.lockNewest(holder.id, ({ keyLive }) => keyLive, { mode: "no-key-update" });
      if (!held) continue;
      const refreshed = await refresh(scope, held, { task, now });
      if (refreshed) tell(written, { ...run, outcome: "refreshed" }, taskOf(refreshed, scope));
      else met.push(run);
      break;
    }
  }
  return { met, inserted };
}

/** A run whose last task holds the key since `now`. */
interface Inserted extends KeyRun {
  now: EpochMs;
}

/** Keeps the results of a run's entries. The first entry gets the given outcome. `task` now holds the key. */
function tell(
  { results, holders, changed }: Written,
  { task: asked, entries, outcome, interrupted }: KeyRun & { outcome: CreateOutcome; interrupted?: ExecutionRef },
  task: Task,
): void {
  if (task.key !== null) holders.set(keyNameOf(asked), task);
  if (outcome === "refreshed") changed.set(task.id, task);
  const later = asked.onConflict === "replace" ? "replaced" : "refreshed";
  entries.forEach(({ place }, index) => {
    const told = { outcome: index === 0 ? outcome : later, task };
    results.set(place, index === 0 && interrupted ? { ...told, interrupted } : told);
  });
}

/**
 * Inserts the tasks of these runs that the next task of their run replaces at once. It is one statement for all, and no
 * statement if there are none.
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

/** Inserts a task that is replaced at once. Its row is as its insert and its replacement would have left it. */
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

/** Moves the due time of a scheduled holder, if the task asks for a refresh. */
async function refresh(
  scope: StatementScope,
  holder: TaskRow,
  { task, now }: { task: NewTask; now: EpochMs },
): Promise<TaskRow | null> {
  const after = task.onConflict === "refresh" ? editedRow(holder, { due: task.due }, now) : null;
  const { actor, refreshCount: count } = task;
  if (after) await writeTask(scope, { before: holder, after }, { reason: "REFRESHED", actor, count });
  return after;
}

function holderSeen(scope: StatementScope, { typeId, key }: NewTask): { row: TaskRow; task: Task } | null {
  for (const row of scope.tasks.values()) {
    if (row.keyLive && row.key === key && row.typeId === typeId) return { row, task: taskOf(row, scope) };
  }
  return null;
}

/**
 * Takes the key from a holder that an earlier statement locked. If the run's first task replaces it, the holder is
 * cancelled or asked to stop.
 */
async function freeKey(scope: StatementScope, { changed }: Written, { entries, holder }: NextCycle): Promise<void> {
  const { actor, onConflict } = entries[0]!.task;
  const asked = onConflict === "replace" ? cancelledRow(holder, { actor, reason: "REPLACED" }, scope.now) : null;
  const note = asked?.state === "cancelled" ? { reason: "REPLACED", actor } : null;
  const after = keylessRow(asked ?? holder);
  await writeTask(scope, { before: holder, after }, note);
  changed.set(after.id, taskOf(after, scope));
}

/** The execution that is to stop because its task was replaced. */
function interruptedBy(task: NewTask, { id, state, owner, fence }: TaskRow): ExecutionRef | undefined {
  return task.onConflict === "replace" && state === "running" && owner !== null ? { id, owner, fence } : undefined;
}

/** Inserts runs whose keys, if they have any, are free. */
async function insertFree(
  scope: StatementScope,
  written: Written,
  runs: readonly (KeyRun & { holder?: TaskRow })[],
): Promise<Inserted[]> {
  const { now } = scope;
  for (const { task, entries, holder } of runs) {
    if (await scope.tasks.lockNewest(task.id)) throw new StatementFailure("unique-violation");
    const after = createdRow(task, typeOf(scope, written.namespace, task), now);
    await writeTask(scope, { before: null, after }, { actor: task.actor });
    const outcome = holder && task.onConflict === "replace" ? "replaced" : "created";
    tell(written, { task, entries, outcome, interrupted: holder && interruptedBy(task, holder) }, taskOf(after, scope));
  }
  return runs.map(({ task, entries }) => ({ task, entries, now }));
}

function typeOf(scope: StatementScope, namespace: string, { typeId }: NewTask): TaskType {
  const type = scope.types.get(String(typeId));
  if (!type || type.namespace !== namespace) throw new Error(`There is no type ${typeId} in ${namespace}`);
  return type;
}

function resultOf(scope: StatementScope, answer: CreateAnswer): CreateResult {
  if (answer.outcome === "rejected") return rejected(answer.existingId);
  const row = scope.tasks.get(answer.id) ?? scope.history.get(answer.id);
  if (!row) throw new TickwheelError("TASK_NOT_FOUND", `Task ${answer.id} is past its retention`);
  return { outcome: answer.outcome, task: taskOf(row, scope) };
}

function rejected(existingId: string): CreateResult {
  return { outcome: "rejected", code: "TASK_KEY_CONFLICT", existingId };
}
