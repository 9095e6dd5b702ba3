import type { ConflictPolicy, Rate, SchedulerOptions } from "@tickwheel/core";
import type { Way } from "@tickwheel/simulation";

/**
 * A run of the simulation as data: the requests and the faults, with their times. The same plan always runs the same
 * way. A plan without some of its parts is a plan again, so a run that breaks a rule can be reduced. Instants are
 * milliseconds of the virtual time.
 */
export interface Plan {
  /** The seed of everything random in the run. */
  seed: number;
  /** The number of nodes at the beginning. */
  nodes: number;
  /** Where they differ from the defaults. */
  options: Partial<SchedulerOptions>;
  /**
   * Whether a process is killed when its event loop has been blocked for `loopBlockedFenceMs`, as a stand-alone node
   * is.
   */
  killsBlocked?: boolean;
  /** `postgres`: there is no Redis. `none`: messages of Postgres do not arrive either. */
  coordination: "redis" | "postgres" | "none";
  /** How many of the nodes' milliseconds pass in one of the virtual time. */
  clockRates: readonly number[];
  /** Handlers that would throw put their tasks off. Default false. */
  snoozes?: boolean;
  /** Whether types have breakers. Default: none has. */
  breakers?: boolean;
  /** Who pulls tasks from the nodes. Default: nobody, and the nodes have no queues. */
  consumers?: readonly PlannedConsumer[];
  requests: readonly PlannedRequest[];
  faults: readonly PlannedFault[];
  /** After this no request is made and no fault begins. The cluster is judged at rest once all faults are over. */
  quietAtMs: number;
}

/** A process outside the cluster that pulls tasks, one call after the other, and works on what it gets. */
export interface PlannedConsumer {
  name: string;
  type: string;
  /** When its first call is made. */
  fromMs: number;
  /** How many tasks it asks for at once. */
  max: number;
  leaseMs: number;
  waitMs: number;
  /** The seed of its own random numbers: what it does with each task, and which replies are lost. */
  seed: number;
}

/** What a handler does. */
export interface Behaviour {
  /** `effect`: its work is in a transaction that completes the task. */
  kind: "plain" | "effect";
  /** How long it takes. */
  workMs: number;
  /** How it fails, on the first `times` attempts. */
  fails: "throws" | "hangs" | "ignores-abort" | "kills-node" | "blocks-loop" | "gives-up" | null;
  times: number;
}

export interface PlannedTask {
  /** The name that later requests use for it. */
  ref: string;
  /** That consumers pull. Default: a type that the nodes run. */
  pulledType?: string;
  delayMs: number;
  key: string | null;
  onConflict: ConflictPolicy;
  /** For a merge or a refresh; absent: none. */
  maxWaitMs?: number;
  idempotencyKey: string | null;
  maxAttempts: number;
  timeoutMs: number;
  retryDelayMs: number;
  priority: number;
  startDeadlineMs: number | null;
  behaviour: Behaviour;
}

/** What a caller asks of one of the nodes. */
export type Action =
  | { kind: "create"; task: PlannedTask }
  | { kind: "create-many"; tasks: readonly PlannedTask[] }
  | { kind: "cancel"; ref: string }
  | { kind: "cancel-key"; key: string }
  | { kind: "pause" | "resume"; ref: string }
  | { kind: "pause-key" | "resume-key"; key: string }
  /** `forMs`: a pause ends by itself after that. */
  | { kind: "pause-type"; type: string; forMs: number }
  | { kind: "resume-type"; type: string }
  /** Keys are of the type `plain`. It is the key that is paused, whatever tasks it has meanwhile. */
  | { kind: "hold-key"; key: string; forMs: number }
  | { kind: "release-key"; key: string }
  /** How many tasks of the type may run in the whole cluster, and how often they may start. */
  | { kind: "set-limit"; type: string; maxRunning: number | null; rate: Rate | null }
  | { kind: "set-concurrency"; type: string; concurrency: number | null }
  /** From then on successes of the type are kept nowhere, or again. */
  | { kind: "keep-successes"; type: string; isKept: boolean }
  | { kind: "reschedule"; ref: string; delayMs: number }
  | { kind: "edit"; ref: string; priority: number }
  | { kind: "retry"; ref: string }
  /** All of them run in the caller's own transaction, which stays open for a while. */
  | { kind: "transaction"; actions: readonly Action[]; holdMs: number; commits: boolean };

export interface PlannedRequest {
  atMs: number;
  /** Which of the nodes that run at that moment, counted round. */
  node: number;
  action: Action;
}

/** A fault. `node` is the place of a node in the list of all nodes that ever existed. */
export type Breakage =
  | { kind: "crash"; node: number }
  | { kind: "drain"; node: number }
  | { kind: "pause"; node: number }
  | { kind: "block-loop"; node: number }
  | { kind: "slow-loop"; node: number; maxLateMs: number }
  | { kind: "jump-ahead"; node: number; byMs: number }
  /** `isSeen`: the server notices at once, and ends the node's session. */
  | { kind: "postgres-cut"; node: number; way: "both" | Way; isSeen: boolean }
  /** The server ends the session that holds the node's lock; the node notices nothing else. */
  | { kind: "session-lost"; node: number }
  | { kind: "postgres-late"; node: number; maxDelayMs: number }
  | { kind: "redis-cut"; node: number; way: "both" | Way }
  | { kind: "postgres-restart" }
  | { kind: "postgres-failover"; forgetMs: number }
  | { kind: "postgres-slow"; maxPauseMs: number }
  | { kind: "postgres-clock-step"; byMs: number }
  | { kind: "redis-stop"; flushes: boolean }
  | { kind: "redis-hang" }
  | { kind: "redis-failover"; forgetMs: number }
  | { kind: "redis-flush" }
  | { kind: "redis-clock-step"; byMs: number }
  | { kind: "messages-lost"; share: number }
  | { kind: "messages-late"; maxDelayMs: number }
  /** A stranger sends messages on the channel, and writes beats. */
  | { kind: "messages-forged"; perSecond: number }
  | { kind: "node-joins" };

export interface PlannedFault {
  atMs: number;
  /** How long it lasts; after a crash or a drain: until the node is started again. */
  forMs: number;
  breaks: Breakage;
}

export type BreakageKind = Breakage["kind"];
