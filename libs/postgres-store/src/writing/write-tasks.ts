import {
  type CreateOutcome,
  type CreateRequest,
  type CreateResult,
  type EpochMs,
  type ExecutionRef,
  type NewTask,
  slotOfId,
  type Task,
  type TaskType,
  TickwheelError,
  type TypeId,
} from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { findKeyHolders } from "../statements/create/find-key-holders.js";
import { freeKeys } from "../statements/create/free-keys.js";
import { insertKeyedTasks } from "../statements/create/insert-keyed-tasks.js";
import { insertTask, insertTasks } from "../statements/create/insert-tasks.js";
import { refreshOrInsertTasks } from "../statements/create/refresh-or-insert-tasks.js";

/** The names of the types of a request, read before its transaction begins. */
export type Naming = ReadonlyMap<TypeId, TaskType>;

export interface WriteContext {
  request: CreateRequest;
  types: Naming;
  asOf: EpochMs | null;
}

/** A task that is to be written, and where its result goes. */
interface Entry {
  place: number;
  task: NewTask;
}

/** One whose key, if it has any, is free. */
interface Insertion extends Entry {
  outcome: CreateOutcome;
  interrupted?: ExecutionRef;
}

const MAX_ATTEMPTS = 3;
/** One statement writes about so many rows and characters of payloads at most: to put more together at once would keep the loop. */
const INSERT_ROWS = 1_000;
const INSERT_LENGTH = 1_048_576;

/**
 * Writes tasks in the session's transaction and answers in the order given.
 *
 * Unkeyed ones are one insert for each part (see `isOnePart`). Keyed ones go in rounds of one task per key, since one statement cannot touch a
 * row twice; each part of a round is at most four statements: insert or refresh (which locks every holder it meets), read the holders, free
 * the keys that go on to a next cycle, insert that. What only asks for a key's holder needs no round behind one that met the key: the holder
 * is locked by this transaction, and read once.
 */
export async function writeTasks(session: Session, context: WriteContext): Promise<CreateResult[]> {
  const writing = new Writing(session, context);
  const unkeyed: Insertion[] = [];
  let left: Entry[] = [];
  for (const [place, task] of context.request.tasks.entries())
    if (task.key === null) unkeyed.push({ place, task, outcome: "created" });
    else left.push({ place, task });
  await writing.insert(unkeyed);
  for (let attempt = 1; left.length > 0;) {
    const [round, later] = splitByKey(left);
    const again: Entry[] = [];
    for (const part of partsOf(round)) again.push(...(await writing.writePart(part)));
    if (again.length > 0 && ++attempt > MAX_ATTEMPTS) {
      throw new TickwheelError("STORE_UNAVAILABLE", "The holder of a key went away each time that it was looked at");
    }
    left = [...again, ...writing.answerByHolders(later, again)].sort((one, other) => one.place - other.place);
  }
  return writing.results;
}

/** The first task of each key, and the rest. */
function splitByKey(entries: readonly Entry[]): [Entry[], Entry[]] {
  const seen = new Set<string>();
  const later: Entry[] = [];
  const round = entries.filter((entry) => {
    const key = keyOf(entry.task);
    const isFirst = !seen.has(key);
    if (isFirst) seen.add(key);
    else later.push(entry);
    return isFirst;
  });
  return [round, later];
}

/** Whether tasks are few and short enough for one statement: at most 1,000, with a million characters. */
export function isOnePart(tasks: readonly Pick<NewTask, "payload">[]): boolean {
  if (tasks.length > INSERT_ROWS) return false;
  let length = 0;
  for (const { payload } of tasks) length += payload.length;
  return length <= INSERT_LENGTH;
}

/** Groups of entries put together to parts, each group in one. */
function partsOfGroups<One extends Entry>(groups: Iterable<readonly One[]>): One[][] {
  const parts: One[][] = [];
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

/** A round in parts by slot: their statements lock in the order of (slot, type, key), so a slot is in one part, however full. */
function partsOf(round: readonly Entry[]): Entry[][] {
  if (isOnePart(round.map(({ task }) => task))) return [[...round]];
  const bySlot = new Map<number, Entry[]>();
  for (const entry of round) {
    const slot = slotOfId(entry.task.id);
    const entries = bySlot.get(slot);
    if (entries) entries.push(entry);
    else bySlot.set(slot, [entry]);
  }
  return partsOfGroups([...bySlot].sort(([one], [other]) => one - other).map(([, entries]) => entries));
}

function keyOf({ typeId, key }: { typeId: TypeId; key: string | null }): string {
  return `${typeId}\0${key}`;
}

class Writing {
  readonly results: CreateResult[] = [];
  /** Of the keys that this transaction has met: locked by it, as it left them. */
  private readonly holders = new Map<string, Task>();

  constructor(
    private readonly session: Session,
    private readonly context: WriteContext,
  ) {}

  async insert(insertions: readonly Insertion[]): Promise<void> {
    if (insertions.length === 0) return;
    if (isOnePart(insertions.map(({ task }) => task))) return this.insertTogether(insertions);
    for (const part of partsOfGroups(insertions.map((insertion) => [insertion]))) await this.insertTogether(part);
  }

  private async insertTogether(insertions: readonly Insertion[]): Promise<void> {
    const now = await this.insertRows(insertions.map(({ task }) => task));
    for (const { place, task, outcome, interrupted } of insertions) {
      const written = this.writtenTask(task, now);
      if (task.key !== null) this.holders.set(keyOf(task), written);
      this.results[place] = interrupted ? { outcome, task: written, interrupted } : { outcome, task: written };
    }
  }

  private async insertRows(tasks: readonly NewTask[]): Promise<EpochMs> {
    const { asOf } = this.context;
    const [first] = tasks;
    const [now] = await (tasks.length === 1
      ? this.session.run(insertTask, { task: first!, asOf })
      : this.session.run(insertTasks, { tasks, asOf }));
    return now!;
  }

  /** Writes at most one entry per key. Answers those whose holder was gone when it was looked at. */
  async writePart(part: readonly Entry[]): Promise<Entry[]> {
    const written = await this.insertOrRefresh(part.map(({ task }) => task));
    const met: Entry[] = [];
    for (const entry of part) {
      const task = written.get(keyOf(entry.task));
      if (!task) {
        met.push(entry);
        continue;
      }
      this.holders.set(keyOf(task), task);
      this.results[entry.place] = { outcome: task.id === entry.task.id ? "created" : "refreshed", task };
    }
    return met.length === 0 ? [] : this.meetHolders(met);
  }

  /**
   * Answers those that change nothing of the holder that their key has. Each key's entries are answered in their order, so none behind one
   * that is still to be written.
   *
   * @param again what is still to be written before them
   * @returns the others
   */
  answerByHolders(later: readonly Entry[], again: readonly Entry[]): Entry[] {
    const waiting = new Set(again.map(({ task }) => keyOf(task)));
    return later.filter((entry) => {
      const key = keyOf(entry.task);
      const holder = waiting.has(key) ? undefined : this.holders.get(key);
      if (holder && this.answerByHolder(entry, { ...holder })) return false;
      waiting.add(key);
      return true;
    });
  }

  /** False: the task is to be written. */
  private answerByHolder({ place, task }: Entry, holder: Task): boolean {
    if (task.onConflict === "return") this.results[place] = { outcome: "existing", task: holder };
    else if (task.onConflict === "reject")
      this.results[place] = { outcome: "rejected", code: "TASK_KEY_CONFLICT", existingId: holder.id };
    else return false;
    return true;
  }

  /** Either statement locks the holders that it met and left alone. */
  private async insertOrRefresh(tasks: readonly NewTask[]): Promise<Map<string, Task>> {
    const { asOf } = this.context;
    if (tasks.some(({ onConflict }) => onConflict === "refresh")) {
      return byKey(await this.session.run(refreshOrInsertTasks, { tasks, asOf }));
    }
    const written = await this.session.run(insertKeyedTasks, { tasks, asOf });
    const instants = new Map(written.map(({ id, now }) => [id, now]));
    const isWritten = ({ id }: NewTask): boolean => instants.has(id);
    return byKey(tasks.filter(isWritten).map((task) => this.writtenTask(task, instants.get(task.id)!)));
  }

  /** The holders of these keys are locked by this transaction and were not changed by it. */
  private async meetHolders(met: readonly Entry[]): Promise<Entry[]> {
    const holders = byKey(await this.session.run(findKeyHolders, { tasks: met.map(({ task }) => task) }));
    const again: Entry[] = [];
    const next: (Entry & { outcome: CreateOutcome; holder: Task })[] = [];
    for (const entry of met) {
      const { task } = entry;
      const holder = holders.get(keyOf(task));
      if (!holder) {
        again.push(entry);
        continue;
      }
      this.holders.set(keyOf(task), holder);
      if (this.answerByHolder(entry, holder)) continue;
      next.push({ ...entry, holder, outcome: task.onConflict === "replace" ? "replaced" : "created" });
    }
    await this.beginNextCycles(next);
    return again;
  }

  private async beginNextCycles(next: readonly (Entry & { outcome: CreateOutcome; holder: Task })[]): Promise<void> {
    if (next.length === 0) return;
    const holders = next.map(({ task, holder, outcome }) => ({
      id: holder.id,
      replacedBy: outcome === "replaced" ? task.actor : null,
    }));
    await this.session.run(freeKeys, { holders, asOf: this.context.asOf });
    await this.insert(next.map((entry) => ({ ...entry, interrupted: interruptedBy(entry) })));
  }

  /** What was inserted: everything is known but the instant. */
  private writtenTask(task: NewTask, now: EpochMs): Task {
    const { id, typeId, key, payload, startDeadlineMs, priority, maxAttempts, backoff, timeoutMs, webhook } = task;
    const { namespace, type } = this.context.types.get(typeId)!;
    const asked = "at" in task.due ? Math.round(task.due.at) : now + Math.round(task.due.delayMs);
    const dueAt = Math.max(now, asked);
    const startDeadlineAt = startDeadlineMs === null ? null : dueAt + Math.round(startDeadlineMs);
    return {
      id,
      typeId,
      namespace,
      type,
      key,
      keyLive: key !== null,
      payload,
      state: "scheduled",
      reason: null,
      scheduledAt: dueAt,
      dueAt,
      startDeadlineAt,
      createdAt: now,
      claimedAt: null,
      startedAt: null,
      finishedAt: null,
      attempt: 0,
      maxAttempts,
      crashCount: 0,
      priority,
      version: 1,
      fence: 0,
      owner: null,
      node: null,
      backoff,
      timeoutMs,
      webhook,
      cancelRequestedAt: null,
      result: null,
      lastError: null,
      createdBy: task.actor,
      cancelledBy: null,
    };
  }
}

/** A replaced holder's execution. One whose key only goes on to the next cycle runs to its end. */
function interruptedBy({ outcome, holder }: { outcome: CreateOutcome; holder: Task }): ExecutionRef | undefined {
  const { id, state, owner, fence } = holder;
  return outcome === "replaced" && state === "running" && owner !== null ? { id, owner, fence } : undefined;
}

function byKey(tasks: readonly Task[]): Map<string, Task> {
  return new Map(tasks.map((task) => [keyOf(task), task]));
}
