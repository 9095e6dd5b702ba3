import {
  type CreateOutcome,
  type CreateRequest,
  type CreateResult,
  type EpochMs,
  type ExecutionRef,
  firstKeyRuns,
  keyNameOf,
  type KeyRun,
  type NewTask,
  type RequestedTask,
  type Task,
  type TaskType,
  TickwheelError,
  type TypeId,
} from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { findKeyHolders } from "../statements/create/find-key-holders.js";
import { freeKeys } from "../statements/create/free-keys.js";
import { insertKeyedTasks } from "../statements/create/insert-keyed-tasks.js";
import { insertReplacedTasks, type ReplacedTask } from "../statements/create/insert-replaced-tasks.js";
import { insertTask, insertTasks } from "../statements/create/insert-tasks.js";
import { refreshOrInsertTasks } from "../statements/create/refresh-or-insert-tasks.js";
import { partsBySlot, partsOf } from "./write-parts.js";
import { freedTask, insertedTask } from "./known-rows.js";

/** The names of the types of a request, read before its transaction begins. */
export type Naming = ReadonlyMap<TypeId, TaskType>;

export interface WriteContext {
  request: CreateRequest;
  types: Naming;
  asOf: EpochMs | null;
}

/** A run whose key is free, or which has no key. */
interface Insertion extends KeyRun {
  /** The outcome of the run's first entry. */
  outcome: CreateOutcome;
  interrupted?: ExecutionRef;
}

/** A run whose key has a holder. This transaction has locked the holder. */
interface NextCycle extends KeyRun {
  outcome: CreateOutcome;
  holder: Task;
}

const MAX_ATTEMPTS = 3;

/**
 * Writes tasks in the session's transaction and answers in the order given. Each result has its task as the whole
 * request left it: a task that a later item replaced is `cancelled`, and a refreshed task is due when the last refresh
 * asked for.
 *
 * Tasks without a key take one insert for each part (see `partsOf`). Tasks with a key are written in rounds of one run
 * per key (see `firstKeyRuns`), since one statement cannot touch a row twice. Each part of a round takes at most four
 * statements: insert or refresh (which locks every holder it meets), read the holders, free the keys that go on to a
 * next cycle, insert that cycle. Then the rows of a run that never hold the key are inserted, a part at a time. An
 * entry that only asks for the key's holder needs no further round once the key was met: this transaction has locked
 * the holder and has read it once.
 */
export async function writeTasks(session: Session, context: WriteContext): Promise<CreateResult[]> {
  const writing = new Writing(session, context);
  const unkeyed: Insertion[] = [];
  let left: RequestedTask[] = [];
  for (const [place, task] of context.request.tasks.entries())
    if (task.key === null) unkeyed.push({ task, entries: [{ place, task }], outcome: "created" });
    else left.push({ place, task });
  await writing.insert(unkeyed);
  for (let attempt = 1; left.length > 0;) {
    const [round, later] = firstKeyRuns(left, writing.holders);
    const again: RequestedTask[] = [];
    for (const part of partsBySlot(round)) again.push(...(await writing.writePart(part)));
    if (again.length > 0 && ++attempt > MAX_ATTEMPTS) {
      throw new TickwheelError("STORE_UNAVAILABLE", "The holder of a key went away each time that it was looked at");
    }
    left = [...again, ...writing.answerByHolders(later, again)].sort((one, other) => one.place - other.place);
  }
  return writing.resultsInTheEnd();
}

class Writing {
  /**
   * The holders of the keys that this transaction has met, by `keyNameOf`. It has locked them; they are as it left
   * them.
   */
  readonly holders = new Map<string, Task>();
  private readonly results: CreateResult[] = [];
  /** Tasks that changed after a result may have been recorded for them, by id. */
  private readonly changed = new Map<string, Task>();

  constructor(
    private readonly session: Session,
    private readonly context: WriteContext,
  ) {}

  async insert(insertions: readonly Insertion[]): Promise<void> {
    for (const part of partsOf(insertions)) {
      const now = await this.insertRows(part.map(({ task }) => task));
      for (const insertion of part) this.tell(insertion, this.insertedTask(insertion.task, now));
      await this.insertReplaced(part, now);
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

  /**
   * Inserts those entries of runs that the next entry of their run replaces, and records their results. `now` is the
   * instant at which the runs were written.
   */
  private async insertReplaced(runs: readonly Insertion[], now: EpochMs): Promise<void> {
    for (const part of partsOf(replacedIn(runs))) {
      await this.session.run(insertReplacedTasks, { replaced: part, now });
      for (const { place, task: asked, replacedBy: by, told } of part)
        this.results[place] = { ...told, task: freedTask(this.insertedTask(asked, now), { by, now }) };
    }
  }

  /** Writes at most one run per key. Answers the entries of those runs whose holder was gone when it was read. */
  async writePart(part: readonly KeyRun[]): Promise<RequestedTask[]> {
    const written = await this.insertOrRefresh(part.map(({ task }) => task));
    const inserted: Insertion[] = [];
    const met: KeyRun[] = [];
    for (const run of part) {
      const task = written.get(keyNameOf(run.task));
      if (!task) {
        met.push(run);
        continue;
      }
      const outcome = task.id === run.task.id ? "created" : "refreshed";
      this.tell({ ...run, outcome }, task);
      if (outcome === "created") inserted.push({ ...run, outcome });
      else this.changed.set(task.id, task);
    }
    if (inserted.length > 0) await this.insertReplaced(inserted, written.get(keyNameOf(inserted[0]!.task))!.createdAt);
    return met.length === 0 ? [] : this.meetHolders(met);
  }

  /** Records the results of a run's entries after the run's own `task` has become the holder of their key. */
  private tell({ entries, outcome, interrupted }: Insertion, task: Task): void {
    if (task.key !== null) this.holders.set(keyNameOf(task), task);
    const { length } = entries;
    const isReplacing = entries[0]!.task.onConflict === "replace";
    for (let index = isReplacing ? length - 1 : 0; index < length; index++) {
      const { place } = entries[index]!;
      if (index > 0) this.results[place] = { outcome: isReplacing ? "replaced" : "refreshed", task };
      else this.results[place] = interrupted ? { outcome, task, interrupted } : { outcome, task };
    }
  }

  resultsInTheEnd(): CreateResult[] {
    if (this.changed.size === 0) return this.results;
    return this.results.map((result) => {
      const task = result.outcome === "rejected" ? undefined : this.changed.get(result.task.id);
      return task ? { ...result, task: { ...task } } : result;
    });
  }

  /**
   * Answers the entries that leave their key's holder unchanged. The entries of each key are answered in their order,
   * so none is answered before an earlier one that is still to be written.
   *
   * @param again the entries that are still to be written before them
   * @returns the entries that are not answered
   */
  answerByHolders(later: readonly RequestedTask[], again: readonly RequestedTask[]): RequestedTask[] {
    const waiting = new Set(again.map(({ task }) => keyNameOf(task)));
    return later.filter((entry) => {
      const key = keyNameOf(entry.task);
      const holder = waiting.has(key) ? undefined : this.holders.get(key);
      if (holder && this.answerByHolder(entry, { ...holder })) return false;
      waiting.add(key);
      return true;
    });
  }

  /** False: the entry asks for a write. */
  private answerByHolder({ place, task }: RequestedTask, holder: Task): boolean {
    if (task.onConflict === "return") this.results[place] = { outcome: "existing", task: holder };
    else if (task.onConflict === "reject")
      this.results[place] = { outcome: "rejected", code: "TASK_KEY_CONFLICT", existingId: holder.id };
    else return false;
    return true;
  }

  /** Both statements also lock the holders that they meet and leave unchanged. */
  private async insertOrRefresh(tasks: readonly NewTask[]): Promise<Map<string, Task>> {
    const { asOf } = this.context;
    if (tasks.some(({ onConflict }) => onConflict === "refresh")) {
      return byKey(await this.session.run(refreshOrInsertTasks, { tasks, asOf }));
    }
    const written = await this.session.run(insertKeyedTasks, { tasks, asOf });
    const instants = new Map(written.map(({ id, now }) => [id, now]));
    const isWritten = ({ id }: NewTask): boolean => instants.has(id);
    return byKey(tasks.filter(isWritten).map((task) => this.insertedTask(task, instants.get(task.id)!)));
  }

  /** This transaction has locked the holders of these keys and has not changed them. */
  private async meetHolders(met: readonly KeyRun[]): Promise<RequestedTask[]> {
    const holders = byKey(await this.session.run(findKeyHolders, { tasks: met.map(({ task }) => task) }));
    const again: RequestedTask[] = [];
    const next: NextCycle[] = [];
    for (const run of met) {
      const { task, entries } = run;
      const holder = holders.get(keyNameOf(task));
      if (!holder) {
        again.push(...entries);
        continue;
      }
      this.holders.set(keyNameOf(task), holder);
      if (this.answerByHolder(entries[0]!, holder)) continue;
      next.push({ ...run, holder, outcome: task.onConflict === "replace" ? "replaced" : "created" });
    }
    await this.beginNextCycles(next);
    return again;
  }

  private async beginNextCycles(next: readonly NextCycle[]): Promise<void> {
    if (next.length === 0) return;
    const holders = next.map(({ entries, holder, outcome }) => ({
      id: holder.id,
      replacedBy: outcome === "replaced" ? entries[0]!.task.actor : null,
    }));
    const [now] = await this.session.run(freeKeys, { holders, asOf: this.context.asOf });
    for (const [index, { holder }] of next.entries())
      this.changed.set(holder.id, freedTask(holder, { by: holders[index]!.replacedBy, now: now! }));
    await this.insert(next.map((run) => ({ ...run, interrupted: interruptedBy(run) })));
  }

  private insertedTask(task: NewTask, now: EpochMs): Task {
    return insertedTask(task, this.context.types.get(task.typeId)!, now);
  }
}

/** An entry that the next entry of its run replaces. */
interface Replaced extends RequestedTask, ReplacedTask {
  told: Pick<Insertion, "outcome" | "interrupted">;
}

function* replacedIn(runs: readonly Insertion[]): Generator<Replaced> {
  for (const { entries, outcome, interrupted } of runs) {
    if (entries[0]!.task.onConflict !== "replace") continue;
    let told: Replaced["told"] = interrupted ? { outcome, interrupted } : { outcome };
    for (const [index, { task: next }] of entries.slice(1).entries()) {
      yield { ...entries[index]!, replacedBy: next.actor, told };
      told = { outcome: "replaced" };
    }
  }
}

/** The execution of a replaced holder. If the key only goes on to the next cycle, the execution is not interrupted. */
function interruptedBy({ outcome, holder }: NextCycle): ExecutionRef | undefined {
  const { id, state, owner, fence } = holder;
  return outcome === "replaced" && state === "running" && owner !== null ? { id, owner, fence } : undefined;
}

function byKey(tasks: readonly Task[]): Map<string, Task> {
  return new Map(tasks.map((task) => [keyNameOf(task), task]));
}
