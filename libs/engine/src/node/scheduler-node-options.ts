import type {
  BatchStore,
  BreakerStore,
  ClaimSecretStore,
  Clock,
  ClusterEventStore,
  ClusterStore,
  Coordination,
  DeadLetterStore,
  DeliveryKind,
  Executor,
  FigureStore,
  FindingStore,
  LeaseStore,
  LimitStore,
  OperationStore,
  PolicyStore,
  PulseStore,
  Random,
  SchedulerOptions,
  SettingStore,
  TaskStore,
  Telemetry,
} from "@tickwheel/core";
import type { Heartbeat, RunningHandlers } from "@tickwheel/coordination";
import type { AnnouncedSchedule, ScheduleStore } from "@tickwheel/schedules";
import type { TypeDefaults } from "../requests/requests.js";
import type { StartStep } from "./start-retries.js";

/** What a node works with. */
export interface SchedulerNodePorts {
  clock: Clock;
  random: Random;
  tasks: TaskStore;
  cluster: ClusterStore;
  /** Where reports about the cluster are read. Default: `cluster`. */
  reports?: Pick<ClusterStore, "readNodes" | "readTerm">;
  coordination: Coordination;
  /** Figures and findings for people. Absent: none are told. */
  figures?: FigureStore;
  findings?: FindingStore;
  /** Where it is told what has happened to the cluster. Absent: it is not told. */
  events?: ClusterEventStore;
  /** Where policies of types are announced. Absent: each node knows its own handlers' alone. */
  policies?: PolicyStore;
  /** One look for all chores that look each second. Absent: each looks by itself. */
  pulse?: PulseStore;
  /** What people set for types and keys. Absent: nothing can be set. */
  settings?: SettingStore;
  /** Absent: nothing can be limited in the whole cluster. */
  limits?: LimitStore;
  /** Where consumers pull tasks from, with the secrets of their tokens. Absent: the node serves no consumers. */
  leases?: LeaseStore;
  claimSecrets?: ClaimSecretStore;
  /** Where nodes tell each other which breakers are open. Absent: none opens. */
  breakers?: BreakerStore;
  /** Where batches live. Absent: the node has none. */
  batches?: BatchStore;
  /** Where operations on many tasks are kept. Absent: the node has none. */
  operations?: OperationStore;
  /** Dead tasks by cause. Absent: nobody folds what is tallied. */
  deadLetters?: DeadLetterStore;
  /** Where schedules live. Absent: the node has none. */
  schedules?: ScheduleStore;
  /** Absent: the node beats in its own loop. */
  heartbeat?: Heartbeat;
  /** Where the node writes which handlers run, for a heartbeat in another thread. Default: memory without a reader. */
  runningHandlers?: RunningHandlers;
  executors: Executor[];
  telemetry: Telemetry;
}

/** A type that this node's own handlers run, and its defaults here. */
export interface NodeType extends TypeDefaults {
  namespace: string;
  type: string;
  delivery: DeliveryKind;
}

export interface SchedulerNodeOptions {
  namespace: string;
  /** `ip:pid`. */
  label: string;
  /** For people; default the label. */
  name?: string;
  version: string;
  /** With `engine` the node runs tasks and is a member of the cluster; without it it only writes and reads them. */
  roles: readonly string[];
  /** Read at each start. */
  types: readonly NodeType[];
  /** What this node's code defines; read when the node has joined. Default: none. */
  schedules?: readonly AnnouncedSchedule[];
  /** Steps before all others, in this order, such as updating the schema; read at each start. Default: none. */
  preparations?: readonly StartStep[];
  scheduler: SchedulerOptions;
  /** Whether its webhooks are signed, which it tells the others. Default: not. */
  signsWebhooks?: boolean;
  /**
   * Whether its clock stands still while calls are made, and no other node is beside it: then no call waits for time to
   * pass. Default: false.
   */
  standsStill?: boolean | undefined;
}
