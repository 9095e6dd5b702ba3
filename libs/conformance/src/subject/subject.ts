import type { BootId, CallerTransaction, ClusterStore, EpochMs, TaskStore } from "@tickwheel/core";

/** A pair of stores under test, over one database whose time the suite moves. */
export interface TaskStoreSubject {
  store(): TaskStore;
  cluster(): ClusterStore;
  /** Moves the store's clock ahead by whole milliseconds; it stands still otherwise. */
  advance(delayMs: number): void | Promise<void>;
  /** The store's clock. */
  now(): EpochMs;
  /** Runs `work` in a transaction of the caller's: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (within: CallerTransaction) => Promise<T>): Promise<T>;
  /** A namespace that no case has used. */
  freshNamespace(): string;
}

/**
 * A subject whose statements can be stopped in the middle, so that an order of several is forced instead of hoped for.
 */
export interface InterleavingSubject extends TaskStoreSubject {
  /**
   * Resolves once at least so many statements wait, for another transaction's lock or at a gate. Rejects when they do
   * not within some seconds, or when `signal` aborts.
   */
  untilBlocked(count: number, signal?: AbortSignal): Promise<void>;
  /**
   * Closes a gate: a statement that is about to change or delete the task's row stops right there, with all locks that
   * it has so far.
   */
  holdWrites(taskId: string): Promise<OpenGate>;
  /** The same for a row of the cluster's. */
  holdClusterWrites(row: ClusterRow): Promise<OpenGate>;
  /**
   * Closes a gate for one: the next statement that changes or deletes task rows stops when its snapshot is taken,
   * before it has looked at any row. What comes after it passes.
   */
  holdNextStatement(): Promise<OpenGate>;
  /** The same store by its server's own clock, which `advance` does not move. */
  liveStore(): TaskStore;
  /** Lets time go by on every clock, the server's own too. */
  elapse(delayMs: number): Promise<void>;
}

/** Lets what stands at a gate go on, and everything after it. Harmless when called again. */
export type OpenGate = () => Promise<void>;

export type ClusterRow = { node: BootId } | { heartbeat: BootId } | "term" | "view" | "quarantine";

/**
 * One check of a store. It throws an `AssertionError` where the store does not conform. Cases may run in any order on
 * one database.
 */
export interface ConformanceCase<Subject = TaskStoreSubject> {
  /** A sentence: what the store promises. */
  name: string;
  run(subject: Subject): Promise<void>;
}
