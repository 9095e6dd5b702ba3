import type { ClaimedTask, EpochMs, TaskHint, TaskState, TypeId } from "../task/task.js";

/** How many tasks one pull may ask for. */
export const MAX_PULLED = 100;

/** How long the lease of a pull may be, in milliseconds. */
export const LEASE_BOUNDS = { leastMs: 1_000, mostMs: 60_000, defaultMs: 30_000 } as const;

/** How far ahead of now a lease may be extended to, in milliseconds. */
export const MAX_LEASE_MS = 12 * 3_600_000;

/** For one task: who gets it, and for how long. */
export interface PullPlace {
  /** For people. */
  consumer: string;
  /** How long the task is the consumer's unless the lease is extended, in milliseconds. */
  leaseMs: number;
}

/** Consumers ask for tasks of a type. */
export interface PullRequest {
  typeId: TypeId;
  /** 1 … {@link MAX_PULLED} tasks are asked for: the first one found gets the first place. */
  places: readonly PullPlace[];
  /** Soft lower bound of `dueAt`; null: all are looked at. */
  notBefore: EpochMs | null;
}

/** The task of a place; its owner is `CONSUMER`. */
export interface PulledTask extends ClaimedTask {
  leaseUntil: EpochMs;
}

export interface PullReply {
  /** By (dueAt, id), so in the order of their places. */
  tasks: PulledTask[];
  /** The type or its namespace is paused, so there are none. */
  isPaused: boolean;
  /** Whether there may be more at once: as many were found as were asked for, or some became paused in their place. */
  mayBeMore: boolean;
  /** No limit of the cluster has room for more just now. */
  isFull: boolean;
  /** When the earliest scheduled task that is not due yet will be; null: there is none. */
  nextDueAt: EpochMs | null;
}

/** Names the execution of a pulled task. */
export interface LeaseRef {
  id: string;
  fence: number;
}

/**
 * `lost`: the task does not run under this fence any more. `cancel_requested`: somebody has asked to cancel it, so the
 * lease stays as it was.
 */
export type ExtendReply =
  | { outcome: "extended"; leaseUntil: EpochMs }
  | { outcome: "lost" }
  | { outcome: "cancel_requested" };

/** A lease that has ended, and what became of its task. */
export interface EndedLease extends LeaseRef {
  typeId: TypeId;
  consumer: string;
  state: TaskState;
  /** Null unless the task is scheduled again. */
  hint: TaskHint | null;
}

/** A lease that lasts, as people see it. */
export interface HeldLease extends LeaseRef {
  consumer: string;
  claimedAt: EpochMs;
  leaseUntil: EpochMs;
}

/**
 * Pulled tasks: a consumer takes them under a lease. Such a task is `running` under the owner `CONSUMER`. Its owner and
 * fence guard it, as they do every running task. `TaskStore.settle` and `release` end it, and delete its lease.
 *
 * The lease only says when the task is taken away. It counts as long as the task runs under its fence; any other is
 * deleted when somebody comes across it. Leases go by the store's clock: one that is set forward ends them early, one
 * that is set back prolongs them.
 *
 * The settings are obeyed by the rows alone, so a node needs to know none of them: a change of settings waits for the
 * pulls under way, and a pull behind it sees it.
 */
export interface LeaseStore {
  /**
   * Moves due tasks of the type to `running`, oldest first, locked ones left out. Due tasks of paused keys become
   * `paused` instead. Within the limits of the type and its namespace: a task takes a place of each, and a token.
   */
  pull(request: PullRequest): Promise<PullReply>;
  /** The lease lasts for so long from now, whatever remained of it. */
  extend(lease: LeaseRef & { leaseMs: number }): Promise<ExtendReply>;
  /**
   * Takes tasks away whose lease is over: scheduled again and due now, or dead where no attempts are left; a cancelled
   * one where that was asked for. Locked rows are left out. Deletes leases that mean nothing.
   *
   * @param limit most leases that are looked at
   */
  endLeases(limit: number): Promise<EndedLease[]>;
  /** The leases of a type that last, the oldest claims first. */
  heldLeases(request: { typeId: TypeId; limit: number }): Promise<HeldLease[]>;
}

/** What the tokens of claims are signed with. */
export interface ClaimSecret {
  /** 1 … 255; a later one has a greater number, and behind 255 comes 1. */
  id: number;
  /** 32 bytes. */
  value: Uint8Array;
  madeAt: EpochMs;
}

/** The secrets of all nodes: what one signs the others can read. The schema is made with one. */
export interface ClaimSecretStore {
  /** Those with which a token may be signed, the newest first. At least one. */
  readSecrets(): Promise<ClaimSecret[]>;
  /** Makes a new one. Answers its number. */
  addSecret(): Promise<number>;
  /** Deletes those that have not been the newest for so long, in milliseconds. Answers how many. */
  retireSecrets(olderThanMs: number): Promise<number>;
}
