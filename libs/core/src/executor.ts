import type { ClaimedTask, Json, TaskType } from "./task.js";
import type { Completion } from "./task-store.js";

/** Runs claimed tasks: in-process handlers, or webhooks. Outcomes are values; an executor never throws. */
export interface Executor {
  /** The types that this node can run by it, of those given. */
  canRun(type: TaskType): boolean;
  /** Limits of a type on this node; absent: only the node's. */
  limits(type: TaskType): { concurrency?: number };
  run(execution: Execution): Promise<ExecutionResult>;
}

export interface Execution {
  task: ClaimedTask;
  type: TaskType;
  /** Aborts on time-out, cancel, lost lease and drain; `signal.reason` is a TickwheelError or Error that says which. */
  signal: AbortSignal;
  /** Tells the engine that the handler's own transaction has committed this completion: nothing is left to settle. */
  committed(completion: Completion): void;
  /** Epoch milliseconds of the estimated database time at the start. */
  startedAt: number;
}

export type ExecutionResult =
  | { kind: "succeeded"; result: Json }
  /** `retryAfterMs` overrides the backoff. */
  | { kind: "failed"; error: string; retryable: boolean; retryAfterMs?: number }
  /** Not run: a breaker is open; try again in `delayMs`. */
  | { kind: "deferred"; delayMs: number };
