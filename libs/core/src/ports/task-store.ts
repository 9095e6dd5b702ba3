import type { Leadership } from "./cluster-store.js";
import { type Fault, TickwheelError } from "../errors/errors.js";
import type { DeferralReason, JournalPage, JournalRequest } from "../task/journal.js";
import type { LatenessParts } from "../task/lateness.js";
import type { SlotSet } from "../ids/slot-set.js";
import type { PausedKey } from "./setting-store.js";
import type { QuarantineReply, QuarantineState } from "../task/quarantine.js";
import type { ForgetReply, ForgetRequest, MaintenanceReply, Retention } from "./task-retention.js";
import type { TaskFilter } from "../filter/task-filter.js";
import type { ReadOptions, TaskPage, TaskStats } from "./task-reads.js";
import type {
  CancelledRef,
  CancelReply,
  CancelRequest,
  CancelTogether,
  EditReply,
  EditRequest,
  PauseReply,
  PauseRequest,
  RetryReply,
  RetryRequest,
} from "./task-requests.js";
import type { TallyStore } from "../task/tally.js";
import type {
  BootId,
  ClaimedTask,
  CreateOutcome,
  DeadReason,
  DeliveryKind,
  EpochMs,
  ExecutionRef,
  HandlerWrite,
  NewTask,
  Task,
  TaskHint,
  TaskState,
  TaskType,
  TypeId,
} from "../task/task.js";

/**
 * Where tasks live: the truth. `PostgresTaskStore` and the in-memory store of the testing library pass the same
 * conformance suite.
 *
 * Every method is one transition of the table in `transitions.ts` (or a read). Rules that hold for all of them:
 * - *Due decisions use the store's own clock*, never a caller's.
 * - A statement about an execution changes a row only while it is `running` under the given owner and fence. Otherwise
 *   it changes nothing, and its answer says so: refusals are values, never exceptions.
 * - Every way out of `running` back to `scheduled` raises the fence, clears the owner and sets `dueAt` no earlier than
 *   the store's now; where a cancel was requested it ends `cancelled` instead.
 * - Batches answer in the order they were given, one answer per item.
 * - A store that cannot be reached throws `STORE_UNAVAILABLE`; whether the write happened is then unknown. One that
 *   refuses a statement throws `INTERNAL`; nothing happened, unless `details.outcomeUnknown` says that it is unknown.
 */
export interface TaskStore extends TallyStore {
  /** The store's clock. */
  now(): Promise<EpochMs>;
  /**
   * Names the history that the store goes on with: another name means that a standby was promoted and may have
   * forgotten the last commits. Null: it cannot be told.
   */
  timeline(): Promise<string | null>;

  /**
   * Finds or makes the number of a type, committed in a transaction of its own. An existing type keeps its first
   * delivery, a dropped one is taken up again with its number.
   *
   * @param quota how many types the namespace may have, dropped ones not counted; default any number
   * @throws TickwheelError `VALIDATION_FAILED`: one more would be too many
   */
  ensureType(type: { namespace: string; type: string; delivery: DeliveryKind }, quota?: number): Promise<TaskType>;
  /** Those that are not dropped, and dropped ones that tasks were made of by somebody who did not know. */
  listTypes(): Promise<TaskType[]>;
  /** The types, of all namespaces, that have scheduled tasks, but for these, which are not looked at. In no order. */
  occupiedTypes(except: readonly TypeId[]): Promise<TypeId[]>;

  /**
   * Writes tasks, all in one transaction (the caller's, when `within` is given); unkeyed requests carry no keyed rows'
   * locks.
   */
  create(request: CreateRequest, within?: CallerTransaction): Promise<CreateReply>;
  /** Cancels a scheduled task at once; of a running one it notes the request. */
  cancel(request: CancelRequest, within?: CallerTransaction): Promise<CancelReply>;
  /**
   * Cancels those of these tasks that are scheduled, in one transaction and without waiting for anybody. Null: this one
   * was not cancelled by this, because it is locked just now, runs, has ended or is not there, and `cancel` can tell.
   * The answers are in the order given.
   */
  cancelScheduled(request: CancelTogether): Promise<(Task | null)[]>;
  /** The same; it reads less back. */
  cancelBriefly(request: CancelTogether): Promise<(CancelledRef | null)[]>;
  /** Reschedules or edits a task that waits. A paused one stays paused: what changes is its countdown. */
  edit(request: EditRequest, within?: CallerTransaction): Promise<EditReply>;
  /** Pauses a scheduled task: it does not run, does not expire and keeps its key until it is resumed. */
  pause(request: PauseRequest, within?: CallerTransaction): Promise<PauseReply>;
  /** Schedules a paused task again, due after what remained of its countdown. */
  resume(request: PauseRequest, within?: CallerTransaction): Promise<PauseReply>;
  /**
   * Schedules a terminal task again, due now, with a clean account, fence + 1 and without a start deadline; a finished
   * one is brought back from history.
   */
  retry(request: RetryRequest, within?: CallerTransaction): Promise<RetryReply>;

  /**
   * Moves to `running` those of `ids` that are scheduled and due within `claimAheadMs`, if the owner's node row is
   * live. Left out: locked rows, and what has never started and is past its start deadline.
   */
  claim(request: ClaimRequest): Promise<ClaimReply>;
  /** Those of `refs` that are still running under their owner and fence and that nobody asked to cancel. */
  verifyStart(refs: readonly ExecutionRef[]): Promise<ExecutionRef[]>;
  /** Those of these tasks that ran in a blocked loop when their node died, in this account. */
  suspectsAmong(ids: readonly string[]): Promise<string[]>;
  /**
   * Takes the quarantine, the one place in the cluster where a suspect may run, for a running execution. It is free
   * again when its occupant's row has left `running`, by whatever way. Refused: it is taken, or the execution is stale.
   */
  enterQuarantine(ref: ExecutionRef): Promise<QuarantineReply>;
  /** Who is in quarantine and how many suspects wait for it; null: nobody waits. */
  quarantine(): Promise<QuarantineState | null>;
  /** Ends executions. @throws RowsLockedError with the answers of the others, here and in `release` and `defer` */
  settle(settlements: readonly Settlement[]): Promise<SettleReply[]>;
  /**
   * Marks a handler's own transaction, first thing in it, as one of this execution: the store ends it when the
   * execution's node is found dead (`reap`), when it stands in the way of a later execution of the task
   * (`endBlockers`), and when it has done nothing for longer than the task's time-out. A stricter limit of the caller's
   * stays.
   */
  beginWithin(execution: ExecutionRef & { timeoutMs: number }, within: CallerTransaction): Promise<void>;
  /**
   * Whether an open transaction of an earlier execution of the same task holds locks that somebody waits for. If so,
   * that one is ended, and those of this execution with it: none of them can complete the task any more. To be asked
   * when an execution has timed out.
   */
  endBlockers(execution: ExecutionRef): Promise<boolean>;
  /**
   * Completes an execution inside its handler's own transaction. Answers when the task ended, as its row says. Null:
   * the execution is stale, and the transaction must be rolled back.
   */
  completeWithin(completion: Completion, within: CallerTransaction): Promise<EpochMs | null>;
  /** Gives executions back: scheduled, due now, the attempt not charged. */
  release(releases: readonly Release[]): Promise<SettleReply[]>;
  /** Writes the next task of a series, under this id; null: it goes on no more, or has done so. See `nextOfSeries`. */
  continueSeries(started: ExecutionRef, id: string): Promise<Task | null>;
  /** Puts executions off untried: due in `delayMs`, the attempt not charged; a change of what waits in the journal. */
  defer(deferrals: readonly Deferral[]): Promise<SettleReply[]>;
  /**
   * Ends scheduled tasks of these types `expired` that have never started and are past their start deadline: at most
   * `limit`, locked rows left out. Answers how many. A task without a start deadline never expires, nor does one that
   * has started once.
   */
  expire(request: ExpireRequest): Promise<number>;
  /**
   * Takes running tasks from owners that were read as dead or gone before: scheduled, or dead after `maxCrashes`, or
   * after the second time that its loop was blocked then. Such tasks are suspects from the first time on. Locked rows
   * are left out; nothing is taken where the leadership is over. Transactions that handlers of these owners have left
   * open are ended first, so that no task runs again into their locks.
   */
  reap(request: ReapRequest): Promise<ReapedTask[]>;

  /** Tasks of these types and slots that are due within the horizon, nearest first, by (dueAt, id). */
  loadWindow(request: WindowRequest): Promise<HintPage>;
  /** Scheduled tasks that are due now, oldest first per type. */
  findDue(request: DueRequest): Promise<DueReply>;
  /** What the store holds as running under a node; with `ids`, of these tasks alone. */
  runningUnder(owner: BootId, ids?: readonly string[]): Promise<RunningRow[]>;
  /** Owners of running rows whose node is dead or gone. */
  deadOwners(): Promise<BootId[]>;

  /** The task as it is now; with `within`, as the caller's transaction sees it. */
  get(namespace: string, id: string, options?: ReadOptions): Promise<Task | null>;
  find(filter: TaskFilter, within?: CallerTransaction): Promise<TaskPage>;
  /** Those of these tasks, of any namespace, that have not ended: they wait or run. */
  liveAmong(ids: readonly string[]): Promise<string[]>;
  /** A page of the task's transitions, oldest first; null where there is no such task. */
  journal(request: JournalRequest): Promise<JournalPage | null>;
  stats(namespace: string): Promise<TaskStats>;

  /** Moves up to `limit` finished tasks to history. Returns how many. */
  archive(limit: number): Promise<number>;
  /**
   * Looks at a page of the tasks of a type that have ended so, in the order of their ids, and deletes those that ended
   * longer ago than `keptMs`. Members of batches stay, as long as without it, and so do locked rows. What else there is
   * of a deleted task (journal, steps, reports) goes when retention takes it.
   */
  forgetEnded(request: ForgetRequest): Promise<ForgetReply>;
  /**
   * Makes partitions ahead, drops those past their retention and forgets old idempotency keys. One process at a time; a
   * no-op for others.
   */
  maintain(retention: Retention): Promise<MaintenanceReply>;
}

/** A transaction of the caller's: a TypeORM EntityManager or QueryRunner, or anything with this method. */
export interface CallerTransaction {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

export interface Idempotency {
  /** Unique per namespace for 24 hours. */
  key: string;
  /** SHA-256 of the canonical request body, in hex. */
  bodyHash: string;
}

export interface CreateRequest {
  namespace: string;
  /** All of `namespace`. */
  tasks: readonly NewTask[];
  idempotency?: Idempotency | null;
  /** Fires when nobody waits for the answer any more: what has not been committed by then may be left out. */
  signal?: AbortSignal;
}
/**
 * Its task is as the whole request left it: one that a later item replaced is `cancelled`, and a refreshed one is due
 * as the last refresh wanted.
 */
export type CreateResult =
  /**
   * `interrupted`: of a `replaced` task that runs; it is asked to be cancelled, and its owner should be told. Never of
   * a replay.
   */
  { outcome: CreateOutcome; task: Task; interrupted?: ExecutionRef } | RejectedCreate;
/** A create that changed nothing. */
export interface RejectedCreate {
  outcome: "rejected";
  /**
   * `TASK_KEY_CONFLICT`: the key has a holder. For a merge: `MERGE_CONFLICT`, the holder's payload cannot take it;
   * `PAYLOAD_TOO_LARGE`, what comes out would be longer than a payload may be; `VALIDATION_FAILED`, its judge refuses
   * what comes out.
   */
  code: "TASK_KEY_CONFLICT" | "MERGE_CONFLICT" | "PAYLOAD_TOO_LARGE" | "VALIDATION_FAILED";
  /** The task that holds the key, or that would hold it if it had not been refused. */
  existingId: string;
  /** For a `MERGE_CONFLICT`: what cannot be merged, `payload` or `payload.<field>`. */
  path?: string;
  /** Why a judged merge left nothing behind, see `misfitOf`. */
  faults?: readonly Fault[];
  /** For a merge that was refused together with others: by itself it may fit. */
  isUntried?: true;
}
export type CreateReply =
  | { kind: "written" | "replayed"; results: CreateResult[] }
  /** The idempotency key was used with another body: nothing was written. */
  | { kind: "key_reused" };

export interface ClaimRequest {
  owner: BootId;
  ids: readonly string[];
  claimAheadMs: number;
  /** The paused keys of types of these ids. Default: none. */
  pausedKeys?: readonly PausedKey[];
}
export interface ClaimReply {
  /** The node's row is not live: nothing was claimed, and nothing can be under this boot id. */
  fenced: boolean;
  tasks: ClaimedTask[];
}

export interface Completion extends HandlerWrite {
  startedAt: EpochMs;
  /** Absent: not measured. */
  latenessParts?: LatenessParts | null;
  /** JSON, at most `resultLimitBytes` in UTF-8 and without line breaks; null: JSON's null. */
  result: string | null;
  /** Absent: the task is no member of a batch, by its claim. */
  isMember?: boolean;
  /** Tasks that are written where this completion counts, members of the task's own batch, if it has one. */
  spawned?: readonly NewTask[];
  /** True: its task's row is to be deleted, see {@link leavesNoRow}. Default: it is kept in history. */
  isForgotten?: boolean;
}
/**
 * Whether a success only deletes its task's row. One of a batch's member is kept all the same, since its batch lists
 * it; so is one that has spawned tasks, and `forgetEnded` takes it.
 */
export function leavesNoRow({
  isForgotten = false,
  isMember = false,
  spawned,
}: Pick<Completion, "isForgotten" | "isMember" | "spawned">): boolean {
  return isForgotten && !isMember && spawned === undefined;
}
export type Settlement = ExecutionRef &
  Pick<Completion, "startedAt" | "latenessParts"> &
  (
    | ({ kind: "succeeded" } & Pick<Completion, "result" | "isMember" | "spawned" | "isForgotten">)
    /** Its handler was not called: `succeeded` all the same, with the reason `SKIPPED` and no result. */
    | ({ kind: "skipped" } & Pick<Completion, "isMember" | "isForgotten">)
    /** `maxAttempts`: as its handler says, unless its creator gave them; here and below. Default: the row's. */
    | { kind: "retry"; delayMs: number; error: string; maxAttempts?: number }
    /** Its handler puts it off: scheduled, due in `delayMs`, the attempt not charged, journalled as `SNOOZED`. */
    | { kind: "snoozed"; delayMs: number }
    | { kind: "dead"; reason: DeadReason; error: string; maxAttempts?: number }
  );

/**
 * What became of the task, with its hint if it is scheduled again, and of a success the instant that its row says it
 * ended. Null: the execution was stale, nothing changed.
 */
export type SettleReply = { state: TaskState; hint: TaskHint | null; finishedAt: EpochMs | null } | null;

/** Other transactions hold some of the rows: nothing happened to these, and they are to be sent again. */
export class RowsLockedError extends TickwheelError {
  /** @param replies in the order of the request; undefined: the row is locked */
  constructor(readonly replies: readonly (SettleReply | undefined)[]) {
    super("STORE_UNAVAILABLE", "other transactions hold some of the rows");
  }
}

/** The hints of the tasks that a batch of ends has scheduled again. */
export function rescheduledBy(replies: readonly SettleReply[]): TaskHint[] {
  return replies.flatMap((reply) => reply?.hint ?? []);
}

export interface Release extends ExecutionRef {
  /** When its handler was called; absent: it was not, as far as is known. */
  startedAt?: EpochMs;
  /** Absent: its handler was not called, or it was not measured. */
  latenessParts?: LatenessParts | null;
  /** For the journal: `DRAIN`, `LOST_REPLY`, `NOT_STARTED`, `LEASE_LOST`, … */
  reason: string;
}
export interface Deferral extends ExecutionRef {
  delayMs: number;
  reason?: DeferralReason;
}

export interface ExpireRequest {
  typeIds: readonly TypeId[];
  limit: number;
}

export interface ReapRequest {
  leader: Leadership;
  owners: readonly BootId[];
  maxCrashes: number;
  limit: number;
}
export interface ReapedTask {
  state: TaskState;
  hint: TaskHint;
  key: string | null;
  lastError: string | null;
}

/** Types and, of each, the slots that are asked for. */
export interface TypeScope {
  typeId: TypeId;
  slots: SlotSet;
}
/** A place in the order (dueAt, id). */
export interface HintCursor {
  dueAt: EpochMs;
  id: string;
}
export interface WindowRequest {
  scopes: readonly TypeScope[];
  horizonMs: number;
  after: HintCursor | null;
  limit: number;
}
export interface HintPage {
  hints: TaskHint[];
  /** Null: the window is read to its end. */
  next: HintCursor | null;
}

export interface DueScope extends TypeScope {
  /** Soft lower bound of `dueAt`; null looks at all. */
  notBefore: EpochMs | null;
  /** Only what is due before this; absent or null: all that is due. */
  before?: EpochMs | null;
  /** For paging a type by key; null starts at the oldest. */
  after: HintCursor | null;
}
export interface DueRequest {
  /** Due tasks in a scope's slots are returned at once, those of other slots once they are this much overdue. */
  scopes: readonly DueScope[];
  stealAfterOverdueMs: number;
  /** At most so many per type. */
  limitPerType: number;
}
export interface DueReply {
  /** The store's clock when the probe began. */
  now: EpochMs;
  /** By (dueAt, id) across types. */
  hints: TaskHint[];
  /** The types whose probe found fewer than the limit. */
  shortTypes: TypeId[];
}

export interface RunningRow {
  id: string;
  fence: number;
  cancelRequested: boolean;
}
