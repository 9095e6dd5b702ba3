import type {
  Backoff,
  BlockedLoop,
  CallerTransaction,
  ConflictPolicy,
  CreateOutcome,
  Due,
  EpochMs,
  ErrorCode,
  Fault,
  Idempotency,
  JsonText,
  MergeJudge,
  OutboundDelivery,
  Reducers,
  Task,
  TraceContext,
  TypeId,
  TypePolicy,
} from "@tickwheel/core";

/**
 * A validated task input. An absent field takes the type's default on this node (a handler's options), then the
 * documented one.
 */
export interface TaskRequest {
  namespace: string;
  type: string;
  /** Text, so that later changes by its caller have no effect. */
  payload: JsonText;
  /** Default: now. An instant in the past means now. */
  due?: Due;
  /**
   * A task that has not started this long after its scheduled time ends `expired`. Default: none, it runs however late.
   */
  startDeadlineMs?: number;
  key?: string | null;
  /** Default `reject`. */
  onConflict?: ConflictPolicy;
  /** The reducers of a merge. Default: each field is replaced. */
  reducers?: Reducers;
  /** For a merge whose type has a schema: judges what it comes to. Default: nobody does. */
  judge?: MergeJudge;
  /** For a refresh or a merge: the task becomes due at the latest this long after its creation. Default: no bound. */
  maxWaitMs?: number;
  /** 0 first … 9; default 5. */
  priority?: number;
  /** Default 3. */
  maxAttempts?: number;
  backoff?: Backoff;
  /** Default 60,000. */
  timeoutMs?: number;
  /** Where it is sent; absent: an in-process handler runs it, or consumers do. */
  outbound?: OutboundDelivery | null;
  /** Consumers fetch it. Default: not, unless its type says so. */
  isPulled?: boolean;
  /** For a handler task: the version of its payload. Default: it has none. */
  payloadVersion?: number | null;
  /** The trace of its creation; no part of what an idempotency key stands for. Default: it has none. */
  trace?: TraceContext | null;
  /** At most 16, each once. Default: none. */
  tags?: readonly string[];
  /** For a series: how long its further tasks are due behind each other, the next first. Default: there are none. */
  laterMs?: readonly number[];
  /** Kept for 24 h with the body's hash; the same key with another body is refused. */
  idempotency?: Idempotency | null;
  /** The caller, for `createdBy` and the journal. */
  actor: string;
}

export interface TaskResult {
  outcome: CreateOutcome;
  task: Task;
  /** True: an idempotency key gave the first answer again. */
  replayed: boolean;
}

/** One item of `scheduleMany`, in the order given. */
export type BulkItemResult =
  | ({ status: CreateOutcome } & { task: Task })
  | { status: "rejected"; error: { code: ErrorCode; detail: string; errors: readonly Fault[] } };

export interface CallOptions {
  /** Join this transaction instead of one of our own; the wheel learns of the task after the commit, by its loaders. */
  within?: CallerTransaction;
  /** Fires when nobody waits for the answer any more: work for it may end then. Default: somebody does. */
  signal?: AbortSignal;
}

/** Options of `TaskService.scheduleMany`; one idempotency key stands for all together. */
export interface BulkOptions extends CallOptions {
  idempotency?: Idempotency | null;
}

/** Why a paused task, or one that is due, does not run. */
export type WaitingFor = "HANDLER" | "CONSUMER" | "CAPACITY" | "BREAKER" | "PAUSE" | "LIMIT";

/** What a node's handler wants for its type. */
export interface TypeDefaults extends TypePolicy {
  /** The concurrency of this node alone. */
  concurrency?: number;
}

/** What `GET /cluster` shows. */
export interface ClusterReport {
  coordination: "redis" | "postgres" | "postgres-degraded";
  leader: { node: string; bootId: string; term: number } | null;
  view: number;
  slots: number;
  degraded: { part: string; since: number; detail: string }[];
  nodes: NodeReport[];
  /**
   * Nodes that left within the last day, newest first, a hundred at most; null: not known, as Postgres does not answer.
   */
  gone: GoneNode[] | null;
}
/** A node that is no part of the cluster any more. */
export interface GoneNode {
  bootId: string;
  label: string | null;
  name: string | null;
  /** `DEAD`: a leader has declared it dead. `LEFT`: it said goodbye. */
  how: "DEAD" | "LEFT";
  at: EpochMs;
  /** Null: it said goodbye, or its last beat is not known. */
  lastBeatAt: EpochMs | null;
  /** Names of types that no node ran any more when it was gone. */
  orphanedTypes: readonly string[];
}
export interface NodeReport {
  label: string;
  /** For people; the label where it has none. */
  name: string;
  bootId: string;
  version: string;
  state: "joining" | "live" | "suspect" | "draining" | "dead";
  roles: readonly string[];
  typeIds: readonly TypeId[];
  /** `type` names, of all namespaces. */
  types: string[];
  heartbeatAgeMs: number;
  loopLagMs: number;
  clockOffsetMs: number;
  ownedSlots: number;
  wheelSize: number;
  inFlight: number;
  /** Executions that it may have at once; 0: not known. */
  places: number;
  joinedAt: EpochMs;
  /** Null: its event loop turns. `forMs`: until now. */
  blocked: BlockedLoop | null;
  /** The services that it does not reach just now. */
  away: readonly ("redis" | "postgres")[];
}
