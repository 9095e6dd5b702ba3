import type { AnnouncedSchedule, ScheduleStore } from "@tickwheel/schedules";
import type {
  BootId,
  BreakerStore,
  BreakerSubject,
  CallerTransaction,
  ClusterEventStore,
  ClusterStore,
  EffectStore,
  EpochMs,
  PauseSubject,
  LimitId,
  LimitStore,
  LeaseStore,
  PulseStore,
  SettingStore,
  TaskStore,
} from "@tickwheel/core";

/** A pair of stores under test, over one database whose time the suite moves. */
export interface TaskStoreSubject {
  store(): TaskStore;
  cluster(): ClusterStore;
  events(): ClusterEventStore;
  schedules(): ScheduleStore;
  effects(): EffectStore;
  settings(): SettingStore;
  limits(): LimitStore;
  breakers(): BreakerStore;
  leases(): LeaseStore;
  pulse(): PulseStore;
  /** From now on the settings are changed on the next timeline of the server, as if a standby had been promoted. */
  promote(): void | Promise<void>;
  /** Moves the store's clock ahead by whole milliseconds. Otherwise the clock stands still. */
  advance(delayMs: number): void | Promise<void>;
  /** Sets the store's clock ahead, or back, as a server's may be. */
  stepClock(byMs: number): void | Promise<void>;
  /** The store's clock. */
  now(): EpochMs;
  /**
   * Runs `work` in a caller's transaction. It is committed when `work` resolves, and rolled back when `work` throws.
   */
  transaction<T>(work: (within: CallerTransaction) => Promise<T>): Promise<T>;
  /** A namespace that no case has used. */
  freshNamespace(): string;
}

/**
 * A subject whose statements can be stopped in the middle, so that a case can force the order of several statements.
 */
export interface InterleavingSubject extends TaskStoreSubject {
  /**
   * Resolves once at least this many statements wait, for another transaction's lock or at a gate. Rejects if they do
   * not within some seconds, or if `signal` aborts.
   */
  untilBlocked(count: number, signal?: AbortSignal): Promise<void>;
  /**
   * Closes a gate: a statement that is about to change or delete the task's row stops there and keeps the locks that it
   * has so far.
   */
  holdWrites(taskId: string): Promise<OpenGate>;
  /** The same for a row of the cluster's, also a node's that is about to be added, or of a schedule. */
  holdClusterWrites(row: ClusterRow): Promise<OpenGate>;
  /**
   * Closes a gate for one statement: the next one that changes or deletes task rows stops once its snapshot is taken,
   * before it reads any row. Later statements pass.
   */
  holdNextStatement(): Promise<OpenGate>;
  /** The same store, but with its server's own clock, which `advance` does not move. */
  liveStore(): TaskStore;
  /** Lets time pass on every clock, the server's own too. */
  elapse(delayMs: number): Promise<void>;
}

/** Opens the gate: the statements at it go on, and later ones pass. A second call does nothing. */
export type OpenGate = () => Promise<void>;

export type ClusterRow =
  | { node: BootId }
  | { heartbeat: BootId }
  | { schedule: string }
  /** Its hash is of no other announcement. */
  | { announcement: Pick<AnnouncedSchedule, "namespace" | "name" | "application" | "hash"> }
  | "term"
  | "view"
  /** The pause of a key that no other case pauses. */
  | { pause: PauseSubject }
  | { limit: LimitId }
  /** The bucket of a limit's rate. */
  | { bucket: LimitId }
  /** The lease of a pulled task, by the task's id. */
  | { lease: string }
  /** Also one that is about to be opened. */
  | { breaker: BreakerSubject }
  | "quarantine"
  | "revision";

/**
 * One check of a store. It throws an `AssertionError` if the store does not conform. Cases may run in any order on one
 * database.
 */
export interface ConformanceCase<Subject = TaskStoreSubject> {
  /** The store's promise, as a sentence. */
  name: string;
  run(subject: Subject): Promise<void>;
}
