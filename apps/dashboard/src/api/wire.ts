/** What the API sends and takes, as far as the page uses it. Instants are ISO 8601 strings. */

export const taskStates = ["scheduled", "paused", "running", "succeeded", "dead", "cancelled", "expired"] as const;
export type TaskState = (typeof taskStates)[number];

export const conflictPolicies = ["reject", "return", "replace", "refresh", "merge"] as const;
export type ConflictPolicy = (typeof conflictPolicies)[number];

export const roles = ["viewer", "operator", "admin"] as const;
export type Role = (typeof roles)[number];

/** Who is logged in. */
export interface SessionInfo {
  readonly id: string;
  readonly csrfToken: string;
  readonly role: Role;
  readonly namespace: string;
  /** May see the cluster. */
  readonly cluster: boolean;
  readonly keyId: string;
  readonly expiresAt: string;
}

export interface Task {
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly key: string | null;
  readonly payload: unknown;
  readonly state: TaskState;
  readonly reason: string | null;
  readonly scheduledAt: string;
  readonly dueAt: string | null;
  /** Of a paused task: what remains of its countdown, in milliseconds. */
  readonly remainingMs: number | null;
  readonly pausedAt: string | null;
  /** For how long it was paused before, in milliseconds. */
  readonly pausedMs: number;
  readonly startDeadlineAt: string | null;
  readonly createdAt: string;
  /** The last claim. */
  readonly claimedAt: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly latenessMs: number | null;
  /** `latenessMs` in parts; null: not measured. */
  readonly latenessParts: LatenessParts | null;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly crashCount: number;
  readonly priority: number;
  readonly version: number | string;
  readonly fence: number | string;
  readonly node: string | null;
  readonly result: unknown;
  readonly lastError: unknown;
  readonly deliver: unknown;
  readonly continues: string | null;
  readonly continuedBy: string | null;
  readonly tags: readonly string[];
  /** The batch that it is a member of. */
  readonly batchId: string | null;
  /** Its place in a batch of shards; `index` counts from 0. */
  readonly shard: { readonly index: number; readonly total: number } | null;
  readonly waitingFor: string | null;
  /** Only where the task is read by its id. */
  readonly because?: Because;
  /** Only where the task is read by its id. */
  readonly checkpoint?: { readonly state: unknown; readonly at: string } | null;
  /** Only where the task is read by its id. `value`: 0 to 1. */
  readonly progress?: { readonly value: number; readonly note: string | null; readonly at: string } | null;
}

/** Where a lateness went, in whole milliseconds that add up to it. */
export interface LatenessParts {
  readonly knownMs: number;
  readonly wheelMs: number;
  readonly placeMs: number;
  readonly claimMs: number;
  readonly startMs: number;
  readonly clockErrorMs: number;
  readonly takenFrom: TakenFrom | null;
}

/** The node that was to start a task and did not. */
export interface TakenFrom {
  readonly node: string;
  /** Null: it was not silent. */
  readonly silentSince: string | null;
  readonly takenOverAt: string;
}

export const becauseCodes = [
  ...(["SCHEDULED", "RETRIES", "PUT_OFF", "BREAKER", "PAUSED", "NO_NODE", "NO_PLACE", "DUE"] as const),
  ...(["RUNNING", "STOPPING", "SUCCEEDED", "SKIPPED", "DEAD", "CANCELLED", "EXPIRED"] as const),
] as const;
export type BecauseCode = (typeof becauseCodes)[number];

/** Why a task stands as it does. */
export interface Because {
  readonly code: BecauseCode;
  readonly hasNoNode: boolean;
  /** The last node that ran its type, where no live node does. */
  readonly lastRunner: { readonly node: string | null; readonly how: "DEAD" | "LEFT"; readonly at: string } | null;
  readonly places: { readonly inUse: number; readonly all: number } | null;
  readonly snoozes: number;
  readonly late: LateStart | null;
}

export interface LateStart {
  readonly latenessMs: number;
  readonly part: "known" | "wheel" | "place" | "claim" | "start";
  readonly partMs: number;
  readonly takenFrom: TakenFrom | null;
}

export interface TaskInput {
  readonly type: string;
  readonly payload: unknown;
  readonly delay?: number | string;
  readonly scheduledAt?: string;
  readonly key?: string;
  readonly onConflict?: ConflictPolicy;
  /** Reducers by field of the payload. */
  readonly merge?: unknown;
  readonly maxWait?: number | string;
  readonly priority?: number;
  readonly maxAttempts?: number;
  readonly startDeadline?: number | string;
  readonly idempotencyKey?: string;
  readonly tags?: readonly string[];
}

export interface TaskPage {
  readonly items: readonly Task[];
  readonly nextCursor: string | null;
  /** The look ended before the page was full; it goes on at the cursor. */
  readonly incomplete?: boolean;
}

export interface CancelResult {
  readonly outcome: "cancelled" | "cancel_requested";
  readonly task: Task;
}

export interface JournalEntry {
  readonly at: string;
  readonly from: TaskState | null;
  readonly to: TaskState;
  readonly node: string | null;
  readonly fence: number | string | null;
  readonly attempt: number | null;
  readonly reason: string | null;
  readonly actor: string | null;
  /** How many transitions it stands for: itself, and those since the entry before it that are folded into it. */
  readonly count: number;
  /** Of an end of a run: when its handler was called. */
  readonly startedAt: string | null;
  readonly latenessParts: LatenessParts | null;
  /** Of an attempt that failed. */
  readonly error: string | null;
}

export interface JournalPage {
  readonly items: readonly JournalEntry[];
  readonly nextCursor: string | null;
}

export interface Lateness {
  readonly p50: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

export interface Stats {
  readonly counts: Readonly<Record<TaskState, number>>;
  readonly countedAt: string;
  readonly overdue: number;
  readonly oldestOverdueMs: number | null;
  readonly lastMinute: {
    readonly created: number;
    readonly started: number;
    readonly succeeded: number;
    /** Of these. */
    readonly skipped: number;
    readonly failed: number;
    /** Null, or with nulls inside, when nothing started. */
    readonly latenessMs: Lateness | null;
  };
  /** Of the node that answered. */
  readonly wheel: { readonly entries: number; readonly bytes: number };
}

export type NodeState = "joining" | "live" | "suspect" | "draining" | "dead";

export interface ClusterNode {
  readonly label: string;
  /** For people. */
  readonly name: string;
  readonly bootId: string;
  readonly version: string;
  readonly joinedAt: string;
  readonly state: NodeState;
  readonly roles: readonly string[];
  readonly types: readonly string[];
  readonly heartbeatAgeMs: number | null;
  readonly loopLagMs: number | null;
  readonly clockOffsetMs: number | null;
  readonly ownedSlots: number | null;
  readonly wheelSize: number | null;
  readonly inFlight: number | null;
  /** Executions that it may have at once; 0: not known. */
  readonly places: number;
  /** Null: its event loop turns. */
  readonly blocked: {
    readonly forMs: number;
    readonly running: readonly { readonly type: string; readonly count: number }[];
    /** The task whose handler was called last. */
    readonly lastStarted: string | null;
  } | null;
  /** What it does not reach. */
  readonly away: readonly ("redis" | "postgres")[];
}

export interface Cluster {
  readonly coordination: "redis" | "postgres" | "postgres-degraded";
  readonly leader: { readonly node: string; readonly bootId: string; readonly term: number } | null;
  readonly view: number | null;
  readonly slots: number;
  readonly degraded: readonly { readonly part: string; readonly since: string; readonly detail: string }[];
  readonly nodes: readonly ClusterNode[];
  /** Nodes that left within a day, newest first; null: not known. */
  readonly gone: readonly GoneNode[] | null;
}

/** A node that is no part of the cluster any more. */
export interface GoneNode {
  readonly bootId: string;
  readonly label: string | null;
  readonly name: string | null;
  /** Declared dead, or it said goodbye. */
  readonly how: "DEAD" | "LEFT";
  readonly at: string;
  readonly lastBeatAt: string | null;
  /** Types that no node ran any more when it was gone. */
  readonly orphanedTypes: readonly string[];
}
