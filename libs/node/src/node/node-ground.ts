import type { Heartbeat, RunningHandlers } from "@tickwheel/coordination";
import type {
  ApiKeyStore,
  BatchStore,
  BreakerStore,
  ClaimSecretStore,
  Clock,
  ClusterEventStore,
  ClusterStore,
  ConnectionPoolState,
  Coordination,
  DeadLetterStore,
  EffectStore,
  FigureStore,
  FindingStore,
  LeaseStore,
  LimitStore,
  OperationStore,
  PolicyStore,
  PulseStore,
  Random,
  SessionStore,
  SettingStore,
  TaskStore,
  Tracing,
} from "@tickwheel/core";
import type { ScheduleStore } from "@tickwheel/schedules";
import type { NodeTelemetry } from "../log/node-telemetry.js";

/** Where a node keeps everything. Null: it keeps nothing of it, and tells nothing of it. */
export interface NodeStores {
  tasks: TaskStore;
  cluster: ClusterStore;
  /** The cluster's facts for reports. Absent: `cluster` answers them. */
  nodes?: Pick<ClusterStore, "readNodes" | "readTerm">;
  effects: EffectStore;
  schedules: ScheduleStore;
  batches: BatchStore;
  operations: OperationStore;
  deadLetters: DeadLetterStore;
  events: ClusterEventStore;
  figures: FigureStore | null;
  findings: FindingStore | null;
  policies: PolicyStore | null;
  /** Absent: each chore of the node looks by itself. */
  pulse?: PulseStore;
  settings: SettingStore;
  limits: LimitStore;
  leases: LeaseStore;
  claimSecrets: ClaimSecretStore;
  breakers: BreakerStore;
  apiKeys: ApiKeyStore;
  sessions: SessionStore;
  /** Most connections that all of these use together. */
  connectionCount: number;
  /** How these are used now. Absent: there are none. */
  pools?(): ConnectionPoolState[];
  close(): Promise<void>;
}

/**
 * What a node stands on: its stores, its clock and its messages. An application's is opened by `openNode`, on
 * Postgres and the system's clock; the testing library makes one whose clock is moved by hand.
 */
export interface NodeGround {
  /** What the cluster calls the node. Default: `ip:pid`. */
  label?: string;
  clock: Clock;
  random: Random;
  telemetry: NodeTelemetry;
  stores: NodeStores;
  coordination: Coordination;
  /** Absent: the node beats in its own loop. */
  heartbeat?: Heartbeat;
  /** The traces of its tasks. Default: there are none. */
  tracing?: Tracing;
  /** Absent: memory that no other thread reads. */
  runningHandlers?: RunningHandlers;
  /** The schema, brought up to date before the node starts. Nothing is read or written before it is done. */
  schema: { run(): Promise<void>; requireDone(): void };
  /**
   * Starts and stops a node whose clock is moved by hand: moves it meanwhile. Absent: the clock goes by itself.
   *
   * @example drive: (work) => clock.runWhile(work())
   */
  drive?: (work: () => Promise<void>) => Promise<void>;
  /** Whether the schedules of the application's code are made. Default: true. */
  codeSchedules?: boolean;
  /** Whether its clock stands still while calls are made, and no other node is beside it. Default: false. */
  standsStill?: boolean;
}
