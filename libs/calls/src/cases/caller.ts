import {
  type ApiKeyStore,
  type CallerTransaction,
  type DeadLetterStore,
  type EffectStore,
  type Fault,
  type NamespaceReader,
  requireRole,
  type Role,
  type TraceHeaders,
  type Tracing,
} from "@tickwheel/core";
import type {
  BatchService,
  NodeBreakers,
  NodeQueues,
  NodeSettings,
  OperationService,
  ScheduleService,
  TaskService,
} from "@tickwheel/engine";
import { idempotencyFaults } from "@tickwheel/contract";
import type { PayloadCheck } from "../payloads/payload-check.js";
import type { BulkCaller } from "../requests/bulk-check.js";
import type { CancelOptions } from "../requests/task-options.js";
import type { RetentionBounds } from "../settings/type-changes.js";
import type { DeliveryBounds } from "../requests/task-request.js";

/** Who calls. Everything happens in its namespace; what belongs to another one is as if absent. */
export interface Caller {
  readonly namespace: string;
  /** As `createdBy` and in the journal: `application`, `key:<id>`. */
  readonly actor: string;
  /**
   * `viewer` reads, and is shown of a webhook its origin alone; `operator` writes; `admin` pauses the namespace too;
   * `worker` claims tasks of its `types`, see `mayClaim`.
   */
  readonly rights: Role;
  /** The types of a worker. Absent or null: it is none. */
  readonly types?: readonly string[] | null;
  /** May give others the right of cluster-wide calls. Absent: it may not. */
  readonly cluster?: boolean;
  /** Whose turns its reads take: an API key's id. Absent: the application's, which has all places of its namespace. */
  readonly reader?: string;
}

/** How a call is to be done. An absent option is as usual. */
export interface CallOptions {
  /** The open transaction that it joins. Only code has one. Default: one of its own. */
  within?: CallerTransaction | undefined;
  /** What came with it over HTTP, for its span. Default: it is a call in code. */
  headers?: TraceHeaders | undefined;
  /**
   * The idempotency key of the whole call. A call for one task may have it in its input as well; then both are equal.
   * Default: none.
   */
  idempotencyKey?: string | undefined;
  /** Fires when its client has gone. Default: the client waits. */
  signal?: AbortSignal | undefined;
  /** A list ends with the item that reaches so many bytes. Default: 2 MiB. */
  maxBytes?: number | undefined;
}

/** How a cancel is to be done. */
export type CancelCall = CallOptions & Pick<CancelOptions, "returning">;

/** What all use cases work on; a node has it. Each is read at the call: it throws until the schema is there. */
export interface CallPorts {
  readonly service: TaskService;
  readonly schedules: ScheduleService;
  readonly batches: BatchService;
  readonly operations: OperationService;
  /** By whose names tasks are found. */
  readonly apiKeys: Pick<ApiKeyStore, "idsByName">;
  /** What consumers fetch. */
  readonly queues: NodeQueues;
  /** Dead tasks by cause. */
  readonly deadLetters: Pick<DeadLetterStore, "list" | "get" | "see">;
  /** What people have set for types and keys. */
  readonly settings: Pick<NodeSettings, "current" | "read" | "change" | "levelOf" | "isLimitFull">;
  /** The breakers of types, as this node knows and closes them. */
  readonly breakers: Pick<NodeBreakers, "standingOf" | "close">;
  /** What handlers have told of their tasks. */
  readonly reports: Pick<EffectStore, "readReport">;
  readonly payloads: PayloadCheck;
  /** Where the node lets tasks be sent, and how long it keeps what has ended. */
  readonly options: DeliveryBounds & RetentionBounds;
  readonly tracing: Tracing;
}

/** @throws TickwheelError `FORBIDDEN`: the caller may only read */
export function requireOperator({ rights }: Caller): void {
  requireRole({ role: rights }, "operator");
}

/** @throws TickwheelError `FORBIDDEN`: only an administrator may do this */
export function requireAdmin({ rights }: Caller): void {
  requireRole({ role: rights }, "admin");
}

/** The faults of the key of a whole call: over HTTP it is a header, in code an option. */
export function keyFaults({ idempotencyKey, headers }: Pick<CallOptions, "idempotencyKey" | "headers">): Fault[] {
  const faults = idempotencyFaults(idempotencyKey);
  return headers ? faults : faults.map((fault) => ({ ...fault, path: "idempotencyKey" }));
}

/** Who reads, as the engine takes it. */
export function readerOf({ namespace, reader }: Caller): NamespaceReader {
  return { namespace, caller: reader };
}

/** Whose tasks are checked, by which rules. */
export function bulkCallerOf({ namespace, actor }: Caller, { options: deliveries, payloads }: CallPorts): BulkCaller {
  return { namespace, actor, deliveries, payloads };
}
