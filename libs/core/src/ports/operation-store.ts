import type { TaskOutcome } from "../reports/task-outcomes.js";
import type { OperationChange } from "../operations/decide-operation.js";
import type {
  ChangedTask,
  NewOperation,
  OperationAction,
  OperationPlan,
  OperationState,
  TaskOperation,
} from "../operations/operation.js";
import type { TroubledOperation } from "../operations/troubled-operations.js";
import type { NamespaceReader } from "../task/namespace-reader.js";
import type { EpochMs, ExecutionRef, Task, TaskHint, TaskState, TypeId } from "../task/task.js";

/** What an operation would do now. */
export interface DryRun {
  /** How many tasks fit its filter and its action. */
  count: number;
  /** It stopped counting at {@link MOST_COUNTED}: more fit. */
  isAtLeast: boolean;
  /** The budget of time and rows ended first: only `lookedAt` rows were looked at. */
  incomplete: boolean;
  lookedAt: number;
  /** The instant of the count: the operation leaves whatever is created later. */
  createdBefore: EpochMs;
  states: Partial<Record<TaskState, number>>;
  /** The ten types with the most, those first. */
  types: { type: string; count: number }[];
  /** The first and the last due time of those that wait; null: none does. */
  dueFrom: EpochMs | null;
  dueTo: EpochMs | null;
  /** Those that run: they are only asked to stop. */
  running: number;
  /** Occurrences of schedules. */
  occurrences: number;
  /** Members of batches. */
  members: number;
  /** For `retry` and `restore`: how many have a key that another live task has. */
  keysTaken: number;
  /** For `restore` without overdue ones: how many have a time that has passed, so they are left. */
  overdue: number;
  /** Those that are due within the next minute: their undo may come too late. */
  dueSoon: number;
  /** The ten newest. */
  sample: Task[];
}

/** A dry run counts at most so many. */
export const MOST_COUNTED = 100_000;
/** Types that a dry run names, and tasks that it shows. */
export const DRY_RUN_TYPES = 10;
export const DRY_RUN_SAMPLE = 10;

/** `existing`: the idempotency key has started it before. `too_many`: as many of the namespace are open as may be. */
export type StartOperationReply =
  | { outcome: "started"; operation: TaskOperation }
  | { outcome: "existing"; operation: TaskOperation }
  | { outcome: "key_reused" }
  | { outcome: "too_many"; open: number };

/** `unchanged`: it was so already. `state_conflict`: its state does not allow it. */
export type OperationReply =
  | { outcome: "changed" | "unchanged" | "state_conflict"; operation: TaskOperation }
  | { outcome: "not_found" };

export interface OperationRef {
  namespace: string;
  id: string;
}

export interface OperationFilter extends NamespaceReader {
  /** Empty: any. */
  states: readonly OperationState[];
  actions: readonly OperationAction[];
  limit: number;
  /** Goes on behind the operation of this id; the newest come first. */
  before: string | null;
}
/** `next`: the id to go on with; null: there are no more. */
export interface OperationPage {
  operations: TaskOperation[];
  next: string | null;
}

export interface ChangedTaskFilter extends NamespaceReader {
  operationId: string;
  /** Empty: any. */
  outcomes: readonly TaskOutcome[];
  limit: number;
  /** Goes on behind the task of this id, the oldest id first. */
  after: string | null;
}
export interface ChangedTaskPage {
  tasks: ChangedTask[];
  next: string | null;
}

/** What an undo would find of the newest tasks that the operation has changed, at most 1,000. */
export interface UndoReach {
  lookedAt: number;
  /** They are as the operation left them: an undo puts them back. */
  reachable: number;
  /** How many of these would have come due since. */
  due: number;
}

/** A task that a page has changed, for the messages behind the commit. */
export interface PageTask {
  hint: TaskHint;
  /** Its state before, and behind the page. */
  from: TaskState;
  to: TaskState;
  /** When it ended; null: it has not. */
  finishedAt: EpochMs | null;
  /** The batch that it belongs to; null: none. */
  batchId: string | null;
}

/** What one page has done. */
export interface MadeOperationPage {
  /** As it is behind the page. */
  operation: TaskOperation;
  tasks: PageTask[];
  /** Running tasks that were asked to stop. */
  asked: ExecutionRef[];
  /** When the next page may be made; null: none follows. */
  nextAt: EpochMs | null;
}

/** Tasks of a type that a page has ended, for the counters of the node. */
export type EndedByType = ReadonlyMap<TypeId, number>;

/**
 * Operations on many tasks, as rows. A transaction that locks an operation's row makes its next page: it looks for
 * tasks that fit, changes those that still fit under their own locks, remembers how they were, and writes where it
 * stands, all in one transaction. So a page is whole or was never made, no matter which node dies, and no page is made
 * after the answer to a hold, a stop or an undo [page-whole].
 *
 * Each call that changes an operation leaves a row of the audit in the same transaction, and so does the end of one.
 *
 * On failure: `STORE_UNAVAILABLE`; whether the change was made is then unknown. In memory there are no operations: what
 * somebody asks for throws `UNSUPPORTED`, and `due` finds none.
 */
export interface OperationStore {
  /** Counts what an operation would change; reads only, for a second at most. */
  dryRun(plan: OperationPlan, reader: NamespaceReader): Promise<DryRun>;
  /** @param limits `open`: most operations of a namespace that are open, those on hold included */
  start(operation: NewOperation, limits: { open: number }): Promise<StartOperationReply>;
  /** What an idempotency key has started before; null: nothing. */
  startedBefore(
    operation: Pick<NewOperation, "namespace"> & { idempotency: NonNullable<NewOperation["idempotency"]> },
  ): Promise<Extract<StartOperationReply, { outcome: "existing" | "key_reused" }> | null>;
  get(ref: OperationRef & NamespaceReader): Promise<TaskOperation | null>;
  list(filter: OperationFilter): Promise<OperationPage>;
  /** What an operation has changed, as long as it is remembered. */
  tasksOf(filter: ChangedTaskFilter): Promise<ChangedTaskPage>;
  /** What an undo would reach now. Null: it has no such memory. */
  undoReach(ref: OperationRef & NamespaceReader): Promise<UndoReach | null>;
  change(ref: OperationRef, change: OperationChange): Promise<OperationReply>;

  /** Operations whose next page may be made, of each namespace the oldest four; and when the first later one is due. */
  due(): Promise<{ ids: string[]; nextAt: EpochMs | null }>;
  /**
   * Makes the next page of an operation. Null: it is over, on hold or not due, or another node is at it.
   *
   * @param by `label`: the node that makes it; `pageSize`: most tasks of a page
   */
  makePage(id: string, by: { label: string; pageSize: number }): Promise<MadeOperationPage | null>;
  /** Operations of all namespaces that need somebody, the latest first, see {@link TroubledOperation}. */
  troubled(): Promise<TroubledOperation[]>;
  /** Forgets what operations changed that are over for {@link OPERATION_MEMORY_MS}. Answers whether there is more. */
  forget(): Promise<boolean>;
}
