import type {
  BreakerStore,
  ClusterEventStore,
  ClusterStore,
  EffectStore,
  EpochMs,
  LeaseStore,
  LimitStore,
  PulseStore,
  SettingStore,
  TaskStore,
} from "@tickwheel/core";
import type { ScheduleStore } from "@tickwheel/schedules";
import type { NodeRow } from "./tables.js";
import type { TaskRow } from "./task-row.js";

/** A statement: the method of the port that sends it. */
export type StatementName =
  | keyof TaskStore
  | keyof ClusterStore
  | keyof PulseStore
  | `effects.${keyof EffectStore}`
  | `events.${keyof ClusterEventStore}`
  | `schedules.${keyof ScheduleStore}`
  | `settings.${keyof SettingStore}`
  | `limits.${keyof LimitStore}`
  | `breakers.${keyof BreakerStore}`
  | `leases.${keyof LeaseStore}`;

/** A task before and after a statement; `after` null: dropped by retention. */
export interface TaskChange {
  before: TaskRow | null;
  after: TaskRow | null;
}

/** A node's row before and after a statement. */
export interface NodeChange {
  before: NodeRow | null;
  after: NodeRow | null;
}

/** One statement, and what it changed. */
export interface AppliedStatement {
  /** When it ran, by the store's clock. */
  at: EpochMs;
  /** The connection that sent it. */
  node: string;
  statement: StatementName;
  /** The argument of the port's method. */
  request: unknown;
  changes: readonly TaskChange[];
  nodeChanges: readonly NodeChange[];
}

/** What one transaction has done, at its commit. */
export interface Commit {
  commit: number;
  /** By the monotonic clock that moves the store's clock. */
  monoMs: number;
  /** Its statements that changed tasks or nodes. */
  records: readonly StatementRecord[];
}

/** One committed statement that changed something. */
export interface StatementRecord extends AppliedStatement {
  /** The number of the commit, from 1. All statements of one transaction have the same number. */
  commit: number;
  /**
   * When its transaction was committed, by the store's clock; `committedMonoMs` is by the monotonic clock that moves
   * it.
   */
  committedAt: EpochMs;
  committedMonoMs: number;
}
