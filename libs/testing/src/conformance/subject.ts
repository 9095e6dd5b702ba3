import type { CallerTransaction, ClusterStore, EpochMs, TaskStore } from "@tickwheel/core";

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

/** One check of a store. It throws an `AssertionError` where the store does not conform. Cases may run in any order on one database. */
export interface ConformanceCase {
  /** A sentence: what the store promises. */
  name: string;
  run(subject: TaskStoreSubject): Promise<void>;
}
