// Made by `npm run generate`.

/** A batch as every edge shows it. */
export interface BatchFields<Instant> {
  id: string;
  name: string | null;
  /**
   * `filling`: members can be added. `open`: it is sealed, and members live. `complete`: every member has ended.
   * `cancelled`: somebody cancelled it.
   */
  state: "filling" | "open" | "complete" | "cancelled";
  /** Members by how they ended; `live` ones have not. */
  counts: {
    total: number;
    live: number;
    succeeded: number;
    dead: number;
    cancelled: number;
    expired: number;
  };
  /** The share of its members that have ended; null: it is filling, and has none. */
  progress: number | null;
  /** How many shards it was split into; null: it was not. */
  shards: number | null;
  createdAt: Instant;
  createdBy: string;
  /** Null: it is filling, or was cancelled before it was sealed. */
  sealedAt: Instant | null;
  /** When it became complete or was cancelled. */
  finishedAt: Instant | null;
  /** When it is looked who is not done; null: never. */
  deadlineAt: Instant | null;
  /** At the deadline a member had not succeeded. */
  overdue: boolean;
  /** Members that had not succeeded at the deadline, some by name; null: it was not looked yet. */
  leftovers: {
    count: number;
    named: readonly {
      id: string;
      type: string;
      key: string | null;
      state: "scheduled" | "paused" | "running" | "succeeded" | "dead" | "cancelled" | "expired";
    }[];
  } | null;
  /** The first member that ends dead stops it. */
  failFast: boolean;
  /** Members that are dead at the deadline are retried once. */
  retryDead: boolean;
  /** Why it takes back its members; null: it does not. */
  stop: {
    /**
     * `REQUESTED`: Somebody cancelled it. `FAIL_FAST`: A member ended dead, and it is to stop then. `TOO_MANY_MEMBERS`:
     * Its members have spawned more than a batch may have.
     */
    reason: "REQUESTED" | "FAIL_FAST" | "TOO_MANY_MEMBERS";
    at: Instant;
    by: string;
  } | null;
  /** Members that have not started are being taken back, and the others are being asked. */
  isStopping: boolean;
  /** Since when its dead members are being retried; null: they are not. */
  retryingSince: Instant | null;
  /** Made when every member has ended; null: nothing is. */
  onComplete: FollowUpView | null;
  /** Made when every member has succeeded; null: nothing is. */
  onSuccess: FollowUpView | null;
}

/** What a batch makes at its end. */
export interface FollowUpView {
  type: string;
  /** Null: it is not made yet, or never will be. */
  taskId: string | null;
}
