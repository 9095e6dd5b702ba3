import type { EpochMs, NewTask, TaskState } from "../task/task.js";

/**
 * A batch: tasks that belong together, and what happens when all of them have ended.
 *
 * `filling`: members can be added, and it cannot complete. `open`: it is sealed, and members of it live. `complete`: it
 * was sealed and every member has ended. `cancelled`: somebody cancelled it; what happens at its end does not happen.
 */
export const BATCH_STATES = ["filling", "open", "complete", "cancelled"] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/**
 * Why a batch takes back its members that have not started. `REQUESTED`: somebody cancelled it. `FAIL_FAST`: a member
 * ended dead, and the batch is to stop then. `TOO_MANY_MEMBERS`: its members have spawned more than a batch may have.
 */
export type BatchStopReason = "REQUESTED" | "FAIL_FAST" | "TOO_MANY_MEMBERS";

/** How many members a batch has, and how many of them ended in each way. The rest live. */
export interface BatchCounts {
  total: number;
  succeeded: number;
  dead: number;
  cancelled: number;
  expired: number;
}

/** A task that a batch makes at its end. Its due time counts from then. */
export type FollowUp = Omit<
  NewTask,
  "id" | "key" | "onConflict" | "reducers" | "maxWaitMs" | "folded" | "batchId" | "shard"
> & {
  /** The name of its type. */
  type: string;
};

/** What a batch does, as somebody defined it. */
export interface BatchRules {
  /** Made when every member has ended; null: nothing is. */
  onComplete: FollowUp | null;
  /** Made when every member has succeeded, also later, after retries; null: nothing is. */
  onSuccess: FollowUp | null;
  /** When it is looked who is not done; null: never. */
  deadlineAt: EpochMs | null;
  /** The first member that ends dead stops the batch. */
  failFast: boolean;
  /** Members that are dead at the deadline are retried once; until then a batch with dead ones is not complete. */
  retryDead: boolean;
}

/** A batch to be made. */
export interface NewBatch extends BatchRules {
  /** UUIDv7. */
  id: string;
  namespace: string;
  /** One batch of a namespace has it, as long as it is kept; null: none. */
  name: string | null;
  /** How many shards it was split into; null: it was not. */
  shards: number | null;
  isSealed: boolean;
  actor: string;
}

/** A member that was not done at the deadline. */
export interface Leftover {
  id: string;
  type: string;
  key: string | null;
  state: TaskState;
}

/** Most members that are named as not done; their count is always whole. */
export const MAX_NAMED_LEFTOVERS = 20;

/** A batch as it is stored. */
export interface Batch extends BatchRules {
  id: string;
  namespace: string;
  name: string | null;
  state: BatchState;
  counts: BatchCounts;
  shards: number | null;
  createdAt: EpochMs;
  createdBy: string;
  /** Null: it is filling, or was cancelled before it was sealed. */
  sealedAt: EpochMs | null;
  /** When it became complete or was cancelled. */
  finishedAt: EpochMs | null;
  /** When it was looked who was not done by the deadline; null: not yet, or there is none. */
  deadlineCheckedAt: EpochMs | null;
  /** Members that had not succeeded then; null: it was not looked yet. */
  leftovers: { count: number; named: readonly Leftover[] } | null;
  /** Since when its dead members are being retried; null: they are not. */
  retryingSince: EpochMs | null;
  /** Null: it runs. */
  stop: { reason: BatchStopReason; at: EpochMs; by: string } | null;
  /** Members that have not started are being taken back, and the others are being asked. */
  isStopping: boolean;
  /** The tasks that were made at its end. */
  onCompleteId: string | null;
  onSuccessId: string | null;
}

/** How many members live. */
export function liveMembers({ total, succeeded, dead, cancelled, expired }: BatchCounts): number {
  return total - succeeded - dead - cancelled - expired;
}

/** Most shards of a batch. */
export const MAX_SHARDS = 1_000;
/** The payloads of all shards of a batch together, at most, in bytes: each shard has a copy of its own. */
export const MAX_SHARDED_BYTES = 16_777_216;
/** Most tasks that one execution may spawn, and most characters of their payloads. */
export const MAX_SPAWNED = 1_000;
export const MAX_SPAWNED_CHARACTERS = 1_048_576;

/** The keys of tasks that batches make at their end begin so; nobody else's may. */
export const BATCH_KEY = "batch:";

/** The key of the task that a batch makes at its end: so it is made once. */
export function followUpKey(batchId: string, end: "complete" | "success"): string {
  return `${BATCH_KEY}${batchId}:${end}`;
}

/** The batch that made the task of this key at its end; null: none did. */
export function batchOfKey(key: string | null): string | null {
  return key !== null && key.startsWith(BATCH_KEY) ? key.slice(BATCH_KEY.length).split(":", 1)[0]! : null;
}
