import {
  type CreateRequest,
  type CreateResult,
  type EpochMs,
  firstKeyRuns,
  keyNameOf,
  type KeyRun,
  MergeGroups,
  mergePath,
  type NewTask,
  rejectedAmong,
  type RejectedCreate,
  type RequestedTask,
  type Task,
  type TaskType,
  TickwheelError,
  type TypeId,
} from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { findKeyHolders } from "../statements/create/find-key-holders.js";
import { freeKeys } from "../statements/create/free-keys.js";
import { insertKeyedTasks, insertKeyedTasksWithExtras } from "../statements/create/insert-keyed-tasks.js";
import { insertReplacedTasks } from "../statements/create/insert-replaced-tasks.js";
import { insertTask, insertTasks, insertTasksWithExtras } from "../statements/create/insert-tasks.js";
import { type CycleTask, hasExtras } from "../statements/create/new-rows.js";
import { beginMergeTrial } from "../statements/create/begin-merge-trial.js";
import { endMergeTrial } from "../statements/create/end-merge-trial.js";
import { undoMergeTrial } from "../statements/create/undo-merge-trial.js";
import { type FoldedRun, foldMerges } from "../statements/create/fold-merges.js";
import { refreshTasks } from "../statements/create/refresh-tasks.js";
import { isJudged, misfitOfRun, rejectedBy, trialsApart } from "./merge-trials.js";
import { partsBySlot, partsOf } from "./write-parts.js";
import { freedTask, insertedTask } from "./known-rows.js";
import { type Insertion, interruptedBy, type NextCycle, replacedIn } from "./written-runs.js";

/** The names of the types of a request, read before its transaction begins. */
export type Naming = ReadonlyMap<TypeId, TaskType>;

export interface WriteContext {
  request: CreateRequest;
  types: Naming;
  asOf: EpochMs | null;
}

const MAX_ATTEMPTS = 3;

/**
 * Writes tasks in the session's transaction and answers in the order given. Each result has its task as the whole
 * request left it: a task that a later item replaced is `cancelled`, and a refreshed task is due when the last refresh
 * asked for.
 *
 * Tasks without a key take one insert for each part (see `partsOf`). Tasks with a key are written in rounds of one run
 * per key (see `firstKeyRuns`), since one statement cannot touch a row twice. Each part of a round begins with an
 * insert, which locks every holder that it meets. The statements after it look at the locked holders: refresh those
 * that wait, fold merges into them, read the others, free the keys that go on to a next cycle, insert that cycle. Then
 * the rows of a run that never hold the key are inserted, a part at a time, and the further merges of a run are folded
 * into its first one. An entry that only asks for the key's holder needs no further round once the key was met: this
 * transaction has locked the holder and has read it once.
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
    const [round, later] = firstKeyRuns(left, writing.holders, writing.groups);
    const gone: RequestedTask[] = [];
    for (const part of partsBySlot(round).flatMap(trialsApart)) gone.push(...(await writing.writePart(part)));
    if (gone.length > 0 && ++attempt > MAX_ATTEMPTS) {
      throw new TickwheelError("STORE_UNAVAILABLE", "The holder of a key went away each time that it was looked at");
    }
    const again = [...gone, ...writing.takeUnfolded()];
    left = [...again, ...writing.answerByHolders(later, again)].sort((one, other) => one.place - other.place);
  }
  return writing.resultsInTheEnd();
}

/** What a writing notes of what it has written. */
interface Noted {
  changed: Map<string, Task>;
  unfolded: RequestedTask[];
  results: CreateResult[];
}

class Writing {
  /**
   * The holders of the keys that this transaction has met, by `keyNameOf`. It has locked them; they are as it left
   * them.
   */
  readonly holders = new Map<string, Task>();
  /** Which merges do not fit together. */
  readonly groups = new MergeGroups();
  private unfolded: RequestedTask[] = [];
  private results: CreateResult[] = [];
  /** Tasks that changed after a result may have been recorded for them, by id. */
  private changed = new Map<string, Task>();

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

  private async insertRows(tasks: readonly CycleTask[]): Promise<EpochMs> {
    const { asOf } = this.context;
    const [first] = tasks;
    const isPlain = !tasks.some(hasExtras);
    const [now] = await (isPlain && tasks.length === 1
      ? this.session.run(insertTask, { task: first!, asOf })
      : this.session.run(isPlain ? insertTasks : insertTasksWithExtras, { tasks, asOf }));
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
        this.results[place] = {
          ...told,
          task: freedTask(this.insertedTask(asked, now), { replacedBy: by, continuedBy: null, now }),
        };
    }
  }

  /**
   * Writes at most one run per key. A key whose holder this transaction has met is not asked for again. Answers the
   * entries of those runs whose holder was gone when it was read. A run that is judged stands alone in its part.
   */
  writePart(part: readonly KeyRun[]): Promise<RequestedTask[]> {
    return isJudged(part[0]!) ? this.tryRun(part[0]!) : this.writeRuns(part);
  }

  /**
   * Writes merges that are judged. Merges that do not fit leave nothing behind; merges that do not fit together go on
   * in halves.
   */
  private async tryRun(run: KeyRun): Promise<RequestedTask[]> {
    const name = keyNameOf(run.task);
    const { changed, unfolded, results } = this;
    const holder = this.holders.get(name);
    [this.changed, this.unfolded, this.results] = [new Map(), [], []];
    await this.session.run(beginMergeTrial, null);
    const gone = await this.writeRuns([run]);
    const misfit = misfitOfRun(run, this.results);
    if (misfit) await this.session.run(undoMergeTrial, null);
    await this.session.run(endMergeTrial, null);
    const tried = { changed: this.changed, unfolded: this.unfolded, results: this.results };
    [this.changed, this.unfolded, this.results] = [changed, unfolded, results];
    if (!misfit) {
      this.keep(run, tried);
      return gone;
    }
    const existingId = this.holders.get(name)!.id;
    if (holder) this.holders.set(name, holder);
    else this.holders.delete(name);
    return this.afterMisfit(run, rejectedBy(misfit, existingId));
  }

  private keep({ entries }: KeyRun, { changed, unfolded, results }: Noted): void {
    for (const [id, task] of changed) this.changed.set(id, task);
    for (const entry of unfolded) this.unfolded.push(entry);
    for (const { place } of entries) {
      const result = results[place];
      if (result) this.results[place] = result;
    }
  }

  /** At once, and not in a later round: another key's lock may come before this one's there. */
  private async afterMisfit({ entries }: KeyRun, rejected: RejectedCreate): Promise<RequestedTask[]> {
    const halves = this.groups.halvesOf(entries) ?? [];
    if (halves.length === 0) for (const { place } of entries) this.results[place] = rejectedAmong(entries, rejected);
    const gone: RequestedTask[] = [];
    for (const half of halves) gone.push(...(await this.tryRun({ task: half[0]!.task, entries: half })));
    return gone;
  }

  private async writeRuns(part: readonly KeyRun[]): Promise<RequestedTask[]> {
    const met = part.filter(({ task }) => this.holders.has(keyNameOf(task)));
    const asked = part.filter(({ task }) => !this.holders.has(keyNameOf(task)));
    const written = await this.insertOrLock(asked.map(({ task }) => task));
    const inserted: Insertion[] = [];
    for (const run of asked) {
      const task = written.get(keyNameOf(run.task));
      if (!task) {
        met.push(run);
        continue;
      }
      const insertion = { ...run, outcome: "created" } as const;
      this.tell(insertion, task);
      inserted.push(insertion);
    }
    const first = inserted[0] && written.get(keyNameOf(inserted[0].task));
    if (first) await this.insertReplaced(inserted, first.createdAt);
    await this.foldRests(inserted);
    return this.meetHolders(await this.fold(await this.refresh(met)));
  }

  /** Takes the merges that are to be written again, in smaller groups. */
  takeUnfolded(): RequestedTask[] {
    const { unfolded } = this;
    this.unfolded = [];
    return unfolded;
  }

  /** Refreshes the holders that wait. Answers the runs that are left. */
  private async refresh(met: readonly KeyRun[]): Promise<KeyRun[]> {
    const runs = met.filter(({ task }) => task.onConflict === "refresh");
    if (runs.length === 0) return [...met];
    const tasks = runs.map(({ task }) => task);
    const refreshed = byKey(await this.session.run(refreshTasks, { tasks, asOf: this.context.asOf }));
    return met.filter((run) => {
      const task = run.task.onConflict === "refresh" ? refreshed.get(keyNameOf(run.task)) : undefined;
      if (!task) return true;
      this.tell({ ...run, outcome: "refreshed" }, task);
      this.changed.set(task.id, task);
      return false;
    });
  }

  /** Folds the further merges of runs into the tasks that their first ones have just become. */
  private async foldRests(inserted: readonly Insertion[]): Promise<void> {
    const rests = inserted.filter(({ task, entries }) => task.onConflict === "merge" && entries.length > 1);
    await this.fold(rests.map(({ task, entries }) => ({ task, entries: entries.slice(1) })));
  }

  /** Folds merges into the holders that wait. Answers the runs that are left. */
  private async fold(met: readonly KeyRun[]): Promise<KeyRun[]> {
    const runs = met.filter(({ task }) => task.onConflict === "merge");
    if (runs.length === 0) return [...met];
    const folded = await this.session.run(foldMerges, { runs, asOf: this.context.asOf });
    const done = new Set<KeyRun>();
    for (const fold of folded) {
      const run = runs[fold.index]!;
      done.add(run);
      this.tellFold(run, fold);
    }
    return met.filter((run) => !done.has(run));
  }

  private tellFold({ task: asked, entries }: KeyRun, fold: FoldedRun): void {
    const { outcome, task, holderId: existingId, refused, field } = fold;
    if ((outcome === "too_large" || outcome === "overflow") && this.groups.halvesOf(entries)) {
      this.unfolded.push(...entries);
      return;
    }
    if (task) {
      this.holders.set(keyNameOf(asked), task);
      this.changed.set(task.id, task);
    }
    for (const [index, { place }] of entries.entries()) {
      const isRefused = !task || refused.has(index);
      if (!isRefused) this.results[place] = { outcome: "merged", task: task! };
      else if (outcome === "too_large" || outcome === "overflow") {
        const path = outcome === "overflow" ? { path: mergePath(field) } : {};
        const code = outcome === "overflow" ? "MERGE_CONFLICT" : "PAYLOAD_TOO_LARGE";
        this.results[place] = rejectedAmong(entries, { outcome: "rejected", code, existingId, ...path });
      } else {
        const path = mergePath(refused.get(index) ?? null);
        this.results[place] = { outcome: "rejected", code: "MERGE_CONFLICT", existingId, path };
      }
    }
  }

  /**
   * Records the results of a run's entries after the run's own `task` has become the holder of their key. For merges
   * only the first: the others are still to be folded in.
   */
  private tell({ entries, outcome, interrupted, task: { onConflict } }: Insertion, task: Task): void {
    if (task.key !== null) this.holders.set(keyNameOf(task), task);
    const length = onConflict === "merge" ? 1 : entries.length;
    const isReplacing = onConflict === "replace";
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

  /** Inserts the tasks whose keys are free. The holders of the other keys are locked then. */
  private async insertOrLock(tasks: readonly NewTask[]): Promise<Map<string, Task>> {
    if (tasks.length === 0) return new Map();
    const { asOf } = this.context;
    const statement = tasks.some(hasExtras) ? insertKeyedTasksWithExtras : insertKeyedTasks;
    const written = await this.session.run(statement, { tasks, asOf });
    const instants = new Map(written.map(({ id, now }) => [id, now]));
    const isWritten = ({ id }: NewTask): boolean => instants.has(id);
    return byKey(tasks.filter(isWritten).map((task) => this.insertedTask(task, instants.get(task.id)!)));
  }

  /** This transaction has locked the holders of these keys and has not changed them. */
  private async meetHolders(met: readonly KeyRun[]): Promise<RequestedTask[]> {
    if (met.length === 0) return [];
    const holders = byKey(await this.session.run(findKeyHolders, { tasks: met.map(({ task }) => task) }));
    const gone: RequestedTask[] = [];
    const next: NextCycle[] = [];
    for (const run of met) {
      const { task, entries } = run;
      const holder = holders.get(keyNameOf(task));
      if (!holder) {
        gone.push(...entries);
        continue;
      }
      this.holders.set(keyNameOf(task), holder);
      if (this.answerByHolder(entries[0]!, holder)) continue;
      next.push({ ...run, holder, outcome: task.onConflict === "replace" ? "replaced" : "created" });
    }
    await this.beginNextCycles(next);
    return gone;
  }

  private async beginNextCycles(next: readonly NextCycle[]): Promise<void> {
    if (next.length === 0) return;
    const freed = next.map(({ task, entries, holder: { id }, outcome }) => {
      const isReplaced = outcome === "replaced";
      return { id, replacedBy: isReplaced ? entries[0]!.task.actor : null, continuedBy: isReplaced ? null : task.id };
    });
    const [now] = await this.session.run(freeKeys, { holders: freed, asOf: this.context.asOf });
    for (const [index, { holder }] of next.entries())
      this.changed.set(holder.id, freedTask(holder, { ...freed[index]!, now: now! }));
    const insertions = next.map((run): Insertion => {
      const isReplaced = run.outcome === "replaced";
      const task = isReplaced ? run.task : { ...run.task, continues: run.holder.id };
      return { ...run, task, interrupted: interruptedBy(run) };
    });
    await this.insert(insertions);
    await this.foldRests(insertions);
  }

  private insertedTask(task: CycleTask, now: EpochMs): Task {
    return insertedTask(task, this.context.types.get(task.typeId)!, now);
  }
}

function byKey(tasks: readonly Task[]): Map<string, Task> {
  return new Map(tasks.map((task) => [keyNameOf(task), task]));
}
