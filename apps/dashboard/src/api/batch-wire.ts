import type { Task, TaskState } from "./wire.js";

/** What the API sends about batches, as far as the page uses it. Instants are ISO 8601 strings. */

export const batchStates = ["filling", "open", "complete", "cancelled"] as const;
export type BatchState = (typeof batchStates)[number];

export interface BatchFilter {
  readonly state?: BatchState;
  /** How its name begins. */
  readonly namePrefix?: string;
}

/** Members by how they ended; `live` ones have not. */
export interface BatchCounts {
  readonly total: number;
  readonly live: number;
  readonly succeeded: number;
  readonly dead: number;
  readonly cancelled: number;
  readonly expired: number;
}

/** A member that had not succeeded at the deadline, with the state that it had then. */
export interface Leftover {
  readonly id: string;
  readonly type: string;
  readonly key: string | null;
  readonly state: TaskState;
}

/** A task that a batch makes at its end. */
export interface FollowUp {
  readonly type: string;
  /** Null: it is not made yet, or never will be. */
  readonly taskId: string | null;
}

export interface Batch {
  readonly id: string;
  readonly name: string | null;
  readonly state: BatchState;
  readonly counts: BatchCounts;
  /** The share of its members that have ended, 0 to 1; null: it is filling and has none. */
  readonly progress: number | null;
  readonly shards: number | null;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly sealedAt: string | null;
  readonly finishedAt: string | null;
  readonly deadlineAt: string | null;
  /** It was looked at the deadline, and a member had not succeeded. */
  readonly overdue: boolean;
  /** Null: it was not looked yet. Of many only some are named. */
  readonly leftovers: { readonly count: number; readonly named: readonly Leftover[] } | null;
  readonly failFast: boolean;
  readonly retryDead: boolean;
  /** Null: it runs, or ran to its end. */
  readonly stop: {
    readonly reason: "REQUESTED" | "FAIL_FAST" | "TOO_MANY_MEMBERS";
    readonly at: string;
    readonly by: string;
  } | null;
  /** Members that have not started are being taken back, and the others are being asked. */
  readonly isStopping: boolean;
  readonly retryingSince: string | null;
  /** Made when every member has ended. */
  readonly onComplete: FollowUp | null;
  /** Made when every member has succeeded. */
  readonly onSuccess: FollowUp | null;
}

export interface ListPage<Row> {
  readonly items: readonly Row[];
  readonly nextCursor: string | null;
}

export type BatchPage = ListPage<Batch>;
export type MemberPage = ListPage<Task>;
