import type { BootId, CancelReply, EpochMs, Finder, Rate, TypeId } from "@tickwheel/core";
import type { StatementName } from "@tickwheel/testing";
import type { TaskRow } from "@tickwheel/testing";

/**
 * When something happened, by two clocks. Whether something is due is decided by the database's, which may be stepped;
 * how long it took, and which faults it met, by the observer's, which is not. The order of events is told by neither
 * but by the place in the history.
 */
export interface Instant {
  /** The database's clock, epoch milliseconds, fractions allowed. */
  at: EpochMs;
  /** The observer's monotonic clock, milliseconds from any origin; never falls along a history. */
  monoMs: number;
}

/**
 * What a commit brought about. `commit` rises with the order of commits (a place in the log of a memory database, an
 * LSN of Postgres); all that one transaction wrote carries the same. A fail-over forgets by it. Null: not known.
 */
export interface Committed extends Instant {
  commit: number | null;
}

/** Names an execution: its fence, and the node that ran it. */
export interface ExecutionEvent extends Instant {
  taskId: string;
  fence: number;
  bootId: BootId;
}

/** A caller was told that these tasks exist, the tasks of a batch in its order. */
export interface CreateAcknowledged extends Committed {
  kind: "create-acknowledged";
  taskIds: readonly string[];
  /** With its namespace in it. Null: the caller gave none. */
  idempotencyKey: string | null;
}

/**
 * A caller was told that a reschedule, refresh or edit has changed the task, which is due at `dueAt` under this
 * version.
 */
export interface EditAcknowledged extends Committed {
  kind: "edit-acknowledged";
  taskId: string;
  version: number;
  dueAt: EpochMs;
}

/** A caller was told that the task is paused, under this version. */
export interface PauseAcknowledged extends Committed {
  kind: "pause-acknowledged";
  taskId: string;
  version: number;
}

/**
 * A caller asks to pause a type or a key of it, or to resume it. Facts that were told before about a pause of the same
 * hold no longer: this may take its place at any moment.
 */
export interface PauseAsked extends Instant {
  kind: "pause-asked";
  typeId: TypeId;
  /** Null: the whole type. */
  key: string | null;
  /** The number of the question, unique in the run. */
  ask: number;
}

/** The call of a {@link PauseAsked} has returned: what it wrote is written. */
export interface PauseWritten extends Instant {
  kind: "pause-written";
  typeId: TypeId;
  key: string | null;
  ask: number;
}

/** A caller was told that every node obeys its pause, which ends at `until` by the database's clock. */
export interface PauseAnswered extends Instant {
  kind: "pause-answered";
  typeId: TypeId;
  key: string | null;
  ask: number;
  until: EpochMs;
}

/**
 * A caller asks to limit a type in the whole cluster, or to limit it otherwise, or no more. Facts that were told before
 * about its limit hold no longer.
 */
export interface LimitAsked extends Instant {
  kind: "limit-asked";
  typeId: TypeId;
  /** The number of the question, unique in the run. */
  ask: number;
}

/** The call of a {@link LimitAsked} has returned: what it wrote is written. */
export interface LimitWritten extends Instant {
  kind: "limit-written";
  typeId: TypeId;
  ask: number;
}

/** A caller was told that every node obeys its limit. */
export interface LimitAnswered extends Instant {
  kind: "limit-answered";
  typeId: TypeId;
  ask: number;
  /** Null: any number may run. */
  maxRunning: number | null;
  /** Null: they may start at any rate. */
  rate: Rate | null;
}

/** A caller was told that its merge is in the task's payload: see `merge-kept-once`. */
export interface MergeAcknowledged extends Committed {
  kind: "merge-acknowledged";
  taskId: string;
  /** The name of what was merged, unique in the run. */
  item: string;
}

/** A caller was told what became of a cancel, with the fence of the task in the answer. */
export interface CancelAcknowledged extends Committed {
  kind: "cancel-acknowledged";
  taskId: string;
  outcome: Exclude<CancelReply["outcome"], "not_found">;
  fence: number;
}

/** A caller was told that the task runs again, from this fence on: a new account begins. */
export interface RetryAcknowledged extends Committed {
  kind: "retry-acknowledged";
  taskId: string;
  fence: number;
}

/** A row was changed. */
export interface RowChanged extends Committed {
  kind: "row-changed";
  statement: StatementName;
  /** The execution that the statement was about. Null: about none. */
  execution: { owner: BootId; fence: number } | null;
  /** For a reap, whose executions it was to take; for others empty. */
  owners: readonly BootId[];
  /** Null: the row is new. */
  before: TaskRow | null;
  /** Null: retention dropped it, or its execution has succeeded and its type keeps no success. */
  after: TaskRow | null;
  /** The execution has succeeded, and its type keeps no success. Default: no. */
  isForgotten?: boolean;
}

/**
 * A consumer has a lease of a pulled task, or a longer or shorter one than before: the row of the lease, as a commit
 * has left it.
 */
export interface Leased extends Committed {
  kind: "leased";
  taskId: string;
  fence: number;
  consumer: string;
  until: EpochMs;
}

/** A node has answered a consumer's call, which was still there, with this task. The answer may be lost. */
export interface PullAnswered extends Instant {
  kind: "pull-answered";
  taskId: string;
  fence: number;
  consumer: string;
}

/** A node has told a consumer that it has the task until then, by the database's clock. The answer may be lost. */
export interface ExtendAnswered extends Instant {
  kind: "extend-answered";
  taskId: string;
  fence: number;
  until: EpochMs;
}

/** A node has told a consumer that its success counts. The answer may be lost. */
export interface SuccessAnswered extends Instant {
  kind: "success-answered";
  taskId: string;
  fence: number;
  consumer: string;
  /** The same had counted before. */
  isReplayed: boolean;
}

/** A handler was called. */
export interface HandlerStarted extends ExecutionEvent {
  kind: "started";
  /** Which layer brought the task. Null: not recorded. */
  finder: Finder | null;
  /** When the task was due, as its claim said. */
  dueAt: EpochMs;
  /** What its payload had collected. Absent: not recorded. */
  items?: readonly string[];
}

/** A handler returned. */
export interface HandlerEnded extends ExecutionEvent {
  kind: "ended";
}

/** An effect of a transactional handler, or of one of its `once` steps, was committed in the tasks' database. */
export interface EffectCommitted extends ExecutionEvent, Committed {
  kind: "effect";
  /** The key of the `once` step; null: the handler's own transaction, which also completes the task. */
  step: string | null;
}

/** An execution was told to stop and its task goes on without it: its time-out passed, or its node drained. */
export interface ExecutionAborted extends ExecutionEvent {
  kind: "timed-out" | "drain-aborted";
}

/**
 * `leads`: the node took the leader's term. `lease-broken`: it found itself without a good beat and fenced itself.
 * `leaving`: it was asked to stop. `draining`: it claims nothing more. `goodbye`: a clean end. `declared-dead`: by the
 * leader.
 */
export interface NodeEvent extends Instant {
  kind: "joined" | "leads" | "lease-broken" | "leaving" | "draining" | "goodbye" | "declared-dead";
  bootId: BootId;
  /** For a node that was declared dead: its last beat told a blocked loop. */
  wasBlocked?: boolean;
}

/** What may take a node from the cluster. `postgres-cut`: it cannot reach Postgres, though perhaps Redis. */
export type NodeLoss = "crash" | "pause" | "postgres-cut";

/** Which way nothing passes between a node and a server. */
export type CutWay = "out" | "in" | "both";

/**
 * What is wrong. `way` absent: it is not known, or all passes late. `overload`: there is more work than free places, or
 * a wheel is full. `row-lock`: a caller's own transaction holds the task's row. `clock-step`: of the database's clock,
 * also where a fail-over led to a server with another. `failover`: commits above `keptCommit` were forgotten.
 */
export type Fault =
  | { name: NodeLoss; bootId: BootId; way?: CutWay }
  | { name: "redis-cut" | "loop-blocked"; bootId: BootId; way?: CutWay }
  | { name: "postgres-away" | "redis-away" | "hints-lost" | "overload" }
  | { name: "row-lock"; taskId: string }
  | { name: "clock-step"; stepMs: number }
  | { name: "failover"; keptCommit: number };

/** A crash, a step and a fail-over have no end: they begin and are over. */
export interface FaultBegan extends Instant {
  kind: "fault-began";
  fault: Fault;
}

/** Ends what began with the same name, node and task; of several the one that began first. */
export interface FaultEnded extends Instant {
  kind: "fault-ended";
  fault: Fault;
}

/** What a node holds when nothing is to be done. */
export interface NodeAtRest {
  bootId: BootId;
  isStopped: boolean;
  /** The types it runs, by number. */
  typeIds: readonly number[];
  entries: readonly { taskId: string; dueAt: EpochMs }[];
  /** Timers that its clock holds, without those of its wheel and its periodic services as long as it runs. */
  timers: number;
  /** Ids of tasks whose claim got no answer. */
  claimsInDoubt: readonly string[];
  /** What it says does not work. */
  degraded: readonly string[];
}

/**
 * A look at everything, taken when no fault was on and nothing due for a reload interval. `isEnd`: nothing more comes,
 * every task has had the time to end.
 */
export interface Rest extends Instant {
  kind: "rest";
  isEnd: boolean;
  /** Every row of the live table. */
  rows: readonly TaskRow[];
  nodes: readonly NodeAtRest[];
}

/** One thing that happened, as an observer who trusts no node has recorded it. */
export type HistoryEvent =
  | CreateAcknowledged
  | EditAcknowledged
  | MergeAcknowledged
  | CancelAcknowledged
  | PauseAcknowledged
  | PauseAsked
  | PauseWritten
  | PauseAnswered
  | LimitAsked
  | LimitWritten
  | LimitAnswered
  | RetryAcknowledged
  | RowChanged
  | Leased
  | PullAnswered
  | ExtendAnswered
  | SuccessAnswered
  | HandlerStarted
  | HandlerEnded
  | EffectCommitted
  | ExecutionAborted
  | NodeEvent
  | FaultBegan
  | FaultEnded
  | Rest;
