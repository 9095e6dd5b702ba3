import {
  type CreateReply,
  type CreateRequest,
  type CreateResult,
  type EpochMs,
  type ExecutionRef,
  type Idempotency,
  type NewTask,
  slotOfId,
  type Task,
  type TaskType,
  TickwheelError,
} from "@tickwheel/core";
import type { CallSession, MemorySession } from "../database/memory-connection.js";
import { cancelledRow, createdRow, editedRow, keylessRow } from "./row-transitions.js";
import { StatementFailure } from "../database/statement-failure.js";
import type { StatementScope } from "../database/statement-scope.js";
import type { CreateAnswer, IdempotencyRow } from "../database/tables.js";
import { type TaskRow, taskOf } from "../database/task-row.js";
import { writeTask, writeUnderKey } from "./write-task.js";

/** How long an idempotency key is remembered. */
export const IDEMPOTENCY_MS = 86_400_000;
const MAX_ATTEMPTS = 3;

/** A task that is to be written, and where its answer goes. */
interface Entry {
  place: number;
  task: NewTask;
}
type Results = Map<number, CreateResult>;

/** Writes tasks, or answers what an earlier request under the same idempotency key wrote. Lock order: idempotency row, keyed rows, others. */
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

/** Rolls a transaction back that has done what it was for. */
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

/** Takes the key, if it is free or forgotten. A request in flight under the same key is waited for. */
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

/** Unkeyed tasks in one statement; keyed ones in rounds of one task per key, each of up to four. */
async function writeTasks(session: MemorySession, request: CreateRequest): Promise<CreateResult[]> {
  const results: Results = new Map();
  const entries = request.tasks.map((task, place): Entry => ({ place, task }));
  const unkeyed = entries.filter(({ task }) => task.key === null);
  if (unkeyed.length > 0)
    await session.run((scope) => insertFree(scope, request.namespace, { entries: unkeyed, results }));
  let left = entries.filter(({ task }) => task.key !== null);
  for (let attempt = 1; left.length > 0;) {
    const [round, later] = splitByKey(left);
    const again = await writeRound(session, request.namespace, { entries: round, results });
    if (again.length > 0 && ++attempt > MAX_ATTEMPTS) {
      throw new TickwheelError("STORE_UNAVAILABLE", "The holder of a key went away each time that it was looked at");
    }
    left = [...again, ...later].sort((one, other) => one.place - other.place);
  }
  return entries.map(({ place }) => results.get(place)!);
}

/** What is written, and where its answers go; of next cycles, which execution each has replaced. */
interface Batch {
  entries: readonly Entry[];
  results: Results;
  replaced?: ReadonlyMap<number, ExecutionRef | undefined>;
}

/** The first task of each key, in the lock order, and the rest. */
function splitByKey(entries: readonly Entry[]): [Entry[], Entry[]] {
  const first = new Map<string, Entry>();
  const later: Entry[] = [];
  for (const entry of entries) {
    const name = lockName(entry.task);
    if (first.has(name)) later.push(entry);
    else first.set(name, entry);
  }
  return [[...first].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry), later];
}

/** Sorts by (slot, type, key). */
function lockName({ id, typeId, key }: NewTask): string {
  return `${String(slotOfId(id)).padStart(4, "0")} ${String(typeId).padStart(10, "0")} ${key}`;
}

/** Insert or refresh, then read the holders that were met and left alone, free the keys that go on, insert the next cycles. */
async function writeRound(session: MemorySession, namespace: string, batch: Batch): Promise<Entry[]> {
  const { results } = batch;
  const met = await session.run((scope) => insertOrRefresh(scope, namespace, batch));
  if (met.length === 0) return [];
  const holders = await session.run((scope) => met.map(({ task }) => holderSeen(scope, task)));
  const again: Entry[] = [];
  const next: { entry: Entry; holder: TaskRow }[] = [];
  met.forEach((entry, index) => {
    const holder = holders[index];
    const { onConflict } = entry.task;
    if (!holder) again.push(entry);
    else if (onConflict === "return") results.set(entry.place, { outcome: "existing", task: holder.task });
    else if (onConflict === "reject") results.set(entry.place, rejected(holder.task.id));
    else next.push({ entry, holder: holder.row });
  });
  if (next.length === 0) return again;
  await session.run(async (scope) => {
    for (const { entry, holder } of next) await freeKey(scope, holder, entry.task);
  });
  const entries = next.map(({ entry }) => entry);
  const replaced = new Map(next.map(({ entry, holder }) => [entry.place, interruptedBy(entry.task, holder)]));
  await session.run((scope) => insertFree(scope, namespace, { entries, results, replaced }));
  return again;
}

/** Answers the entries that met a holder, which is locked now and was not changed. */
async function insertOrRefresh(
  scope: StatementScope,
  namespace: string,
  { entries, results }: Batch,
): Promise<Entry[]> {
  const met: Entry[] = [];
  const { now } = scope;
  for (const entry of entries) {
    const { place, task } = entry;
    for (;;) {
      const after = createdRow(task, typeOf(scope, namespace, task), now);
      const holder = await writeUnderKey(scope, { before: null, after }, { actor: task.actor });
      if (!holder) {
        results.set(place, { outcome: "created", task: taskOf(after, scope) });
        break;
      }
      const held = await scope.tasks.lockNewest(holder.id, ({ keyLive }) => keyLive, { mode: "no-key-update" });
      if (!held) continue;
      const refreshed = await refresh(scope, held, { task, now });
      if (refreshed) results.set(place, { outcome: "refreshed", task: taskOf(refreshed, scope) });
      else met.push(entry);
      break;
    }
  }
  return met;
}

/** Moves the due time of a scheduled holder, if that is asked for. */
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

/** A holder that was locked before gives up its key: replaced, it is cancelled or asked to stop. */
async function freeKey(scope: StatementScope, holder: TaskRow, task: NewTask): Promise<void> {
  const asked =
    task.onConflict === "replace" ? cancelledRow(holder, { actor: task.actor, reason: "REPLACED" }, scope.now) : null;
  const note = asked?.state === "cancelled" ? { reason: "REPLACED", actor: task.actor } : null;
  await writeTask(scope, { before: holder, after: keylessRow(asked ?? holder) }, note);
}

/** The execution that is to stop because its task was replaced. */
function interruptedBy(task: NewTask, { id, state, owner, fence }: TaskRow): ExecutionRef | undefined {
  return task.onConflict === "replace" && state === "running" && owner !== null ? { id, owner, fence } : undefined;
}

/** Tasks whose keys, if they have any, are free. */
async function insertFree(scope: StatementScope, namespace: string, batch: Batch): Promise<void> {
  const { entries, results, replaced: holders = new Map<number, ExecutionRef | undefined>() } = batch;
  const { now } = scope;
  for (const { place, task } of entries) {
    if (await scope.tasks.lockNewest(task.id)) throw new StatementFailure("unique-violation");
    const after = createdRow(task, typeOf(scope, namespace, task), now);
    await writeTask(scope, { before: null, after }, { actor: task.actor });
    const outcome = task.key !== null && task.onConflict === "replace" ? "replaced" : "created";
    const interrupted = holders.get(place);
    results.set(place, { outcome, task: taskOf(after, scope), ...(interrupted && { interrupted }) });
  }
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
