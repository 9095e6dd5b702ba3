import type { Batch, BatchState, NewBatch } from "../batches/batch.js";
import type { BatchChange, BatchDecision, BatchScene } from "../batches/decide-batch.js";
import type { NamespaceReader } from "../task/namespace-reader.js";
import type { ExecutionRef, NewTask, Task, TaskState } from "../task/task.js";
import type { CallerTransaction, CreateReply, Idempotency } from "./task-store.js";
import type { TroubledBatches } from "../reports/troubled-batches.js";

/** Names a batch: by its id, or by its name. */
export type BatchRef = NamespaceReader & ({ id: string } | { name: string });

export interface BatchLimits {
  /** Most batches of a namespace that are filling or open. */
  open: number;
  /**
   * Most members of a batch. Near it, calls that add wait for each other. Only more than 32 at once may go beyond it,
   * and what members spawn.
   */
  members: number;
}

export interface CreateBatch {
  batch: NewBatch;
  /** Their `onConflict` is `reject`. All of them are written, or nothing is. */
  members: readonly NewTask[];
}

/** `exists`: a kept batch has the name; nothing was written. */
export type CreateBatchReply =
  | { outcome: "created"; batch: Batch; tasks: Task[] }
  | { outcome: "exists"; batch: Batch };

export interface AddMembers {
  namespace: string;
  id: string;
  members: readonly NewTask[];
  idempotency: Idempotency | null;
}

/** `sealed`: it takes no members any more. `full`: it would have more members than it may. */
export type AddMembersReply =
  | { outcome: "added"; reply: CreateReply; batch: Batch }
  | { outcome: "sealed" | "full"; batch: Batch }
  | { outcome: "not_found" };

/** `unchanged`: it was so already. `state_conflict`: it is complete or cancelled. */
export type BatchReply =
  | { outcome: "changed" | "unchanged" | "state_conflict"; batch: Batch }
  | { outcome: "not_found" };

export interface BatchFilter extends NamespaceReader {
  /** Empty: any. */
  states: readonly BatchState[];
  /** Only batches with a name that begins so; default: all. */
  namePrefix?: string;
  limit: number;
  /** Goes on behind the batch of this id; the newest come first. */
  before: string | null;
}
/** `next`: the id to go on with; null: there are no more. */
export interface BatchPage {
  batches: Batch[];
  next: string | null;
}

export interface MemberFilter extends NamespaceReader {
  batchId: string;
  /** Empty: any. */
  states: readonly TaskState[];
  limit: number;
  /** Goes on behind the member of this id, the oldest first. */
  after: string | null;
  /**
   * The page ends with the member that reaches so many bytes, see `bytesOf`; at least one is on it. Default 2 MiB.
   */
  maxBytes?: number;
}
export interface MemberPage {
  tasks: Task[];
  /** The id to go on with; null: there are no more. A page may be shorter than its limit and have one. */
  next: string | null;
}

/** Decides about a scene; null: nothing is written. It must be quick, and it must not call the store. */
export type DecideBatch = (scene: BatchScene) => BatchDecision | null;

/** What a review of a batch has done. */
export interface ReviewedBatch {
  batch: Batch;
  change: BatchChange;
  /** The tasks of its end, for the messages behind the commit. */
  created: Task[];
}

/** A batch that a review may change. */
export interface BatchToReview {
  id: string;
  /** Its members are being taken back: see `stopMembers`. */
  isStopping: boolean;
  /** Its dead members are being retried: see `deadMembers`. */
  isRetrying: boolean;
}

/** What one round of taking members back has done. */
export interface StoppedMembers {
  /** Members that were cancelled before they ran. */
  cancelled: string[];
  /** Running members that were asked to stop: their nodes should be told. */
  asked: ExecutionRef[];
}

/**
 * Where batches live. A member is an ordinary task whose row names its batch; the batch's row holds what was counted.
 * Every statement that ends a member, or brings one back, appends a row to a table of tallies in the same transaction,
 * so no counter is contended and nothing is counted twice; `fold` moves those rows into the batch's own.
 *
 * A batch completes only in a transaction that has locked its row and *then* has seen, by a further statement, that no
 * member lives. A transaction that adds members, seals, or retries a member shares a lock of that row, so none of them
 * comes between the look and the commit.
 *
 * On failure: `STORE_UNAVAILABLE`; whether the change was made is then unknown. In memory there are no batches: what
 * somebody asks for throws `UNSUPPORTED`, and `toReview`, `troubled` and `fold` find none.
 */
export interface BatchStore {
  /** @throws TickwheelError `VALIDATION_FAILED`: the namespace has too many open batches; `TASK_KEY_CONFLICT` */
  create(request: CreateBatch, limits: BatchLimits, within?: CallerTransaction): Promise<CreateBatchReply>;
  /** Adds members, as long as the batch is filling. An item whose key is taken is rejected; the others are added. */
  add(request: AddMembers, limits: Pick<BatchLimits, "members">, within?: CallerTransaction): Promise<AddMembersReply>;
  /** From now on nobody adds members, and the batch completes when all have ended. */
  seal(batch: { namespace: string; id: string }, within?: CallerTransaction): Promise<BatchReply>;
  /** Cancels the batch. Its members are taken back by `stopMembers`, later. */
  cancel(batch: { namespace: string; id: string; actor: string }): Promise<BatchReply>;

  get(ref: BatchRef): Promise<Batch | null>;
  list(filter: BatchFilter): Promise<BatchPage>;
  /** Its members, live and finished, by id, as long as they are kept. */
  members(filter: MemberFilter): Promise<MemberPage>;
  /** Batches of all namespaces that need somebody, by trouble and namespace, see {@link TroubledBatches}. */
  troubled(): Promise<TroubledBatches[]>;

  /** Adds what was tallied to the batches' rows. Answers whether there may be more to fold. */
  fold(): Promise<boolean>;
  /**
   * The batches that a review may change, by id: those whose last known live member is gone, whose deadline has come,
   * or which stop or retry.
   *
   * @param of only these; default: all
   */
  toReview(request: {
    mostMembers: number;
    limit: number;
    after: string | null;
    of?: readonly string[];
  }): Promise<BatchToReview[]>;
  /** Decides about one batch; null: others work at it, or nothing is to be done. */
  review(id: string, decide: DecideBatch): Promise<ReviewedBatch | null>;
  /** For a batch that stops: cancels members that wait, and asks those that run and were not asked. */
  stopMembers(request: { id: string; limit: number }): Promise<StoppedMembers>;
  /** Members of a batch that were dead when its retries began, by id. */
  deadMembers(request: {
    id: string;
    limit: number;
    after: string | null;
  }): Promise<{ id: string; namespace: string }[]>;
  /** All dead members were retried. */
  endRetries(id: string): Promise<void>;
}
