import type { ClaimedTask, DeadReason, EpochMs, NewTask, TaskType } from "../task/task.js";
import type { DeferralReason } from "../task/journal.js";
import type { LatenessParts } from "../task/lateness.js";
import type { Completion } from "./task-store.js";

/** Runs claimed tasks: in-process handlers, or webhooks. Outcomes are values; an executor never throws. */
export interface Executor {
  /** The types that this node can run by it, of those given. */
  canRun(type: TaskType): boolean;
  /** Limits of a type on this node; absent: only the node's. */
  limits(type: TaskType): { concurrency?: number };
  /**
   * Judges the attempts of a type on this node, where its breaker may open; null: it has none. Default: no type has
   * one.
   *
   * @param opens called when so many have failed that the breaker should open
   */
  judge?(type: TaskType, opens: () => void): AttemptJudge | null;
  run(execution: Execution): Promise<ExecutionResult>;
}

/** Says from the latest attempts of a type when its breaker should open. */
export interface AttemptJudge {
  /** For how long it opens at first, in milliseconds. */
  readonly openForMs: number;
  /** An attempt has ended. */
  add(hasFailed: boolean): void;
  /** Forgets the attempts so far. */
  reset(): void;
  stop(): void;
}

/**
 * Which layer of the search for due work brought a task: for the record, nothing depends on it.
 *
 * - `wheel`: this node knew in time, by its own change, a message or the window load, whether the task lay in the wheel
 *   or was due at once
 * - `sweep`: a due sweep, of what this node or nobody owns
 * - `steal`: a due sweep, of another node's task that was overdue
 * - `full-sweep`: the full sweep, no matter which node owns the task
 */
export type Finder = "wheel" | "sweep" | "steal" | "full-sweep";

export interface Execution {
  task: ClaimedTask;
  type: TaskType;
  /** Aborts on time-out, cancel, lost lease and drain; `signal.reason` is a TickwheelError or Error that says which. */
  readonly signal: AbortSignal;
  /**
   * Tells the engine that the handler's own transaction has committed this completion: nothing is left to settle.
   * `finishedAt`: when the task ended, as its row says.
   */
  committed(completion: Completion, finishedAt: EpochMs): void;
  /** Epoch milliseconds of the estimated database time at the start. */
  startedAt: number;
  /** Whether its task's row is deleted when it succeeds, as people have set it just now. Default: it is kept. */
  readonly isForgotten?: boolean;
  /** Where the lateness of its start went; its end keeps it. */
  latenessParts?: LatenessParts | null;
  /** Which layer brought it to this node. */
  foundBy: Finder;
}

/** `forOthers`: why this node may not do what another one may: it does not take the task again at once. */
export type ExecutionResult =
  /** `result`: JSON, as `Completion` has it. `spawned`: tasks that are written where this end counts. */
  | { kind: "succeeded"; result: string | null; spawned?: readonly NewTask[] }
  /** Its condition said no: its handler was not called. */
  | { kind: "skipped" }
  /**
   * `retryAfterMs` overrides the backoff. `reason`: what is at fault; default of one that is not retryable:
   * `NON_RETRYABLE`.
   */
  | {
      kind: "failed";
      error: string;
      /** What a handler threw, for the event that tells it. */
      thrown?: unknown;
      retryable: boolean;
      reason?: DeadReason;
      retryAfterMs?: number;
      forOthers?: string;
    }
  /** Its handler puts the task off, or its receiver: it is due again in `delayMs`, and the attempt does not count. */
  | { kind: "snoozed"; delayMs: number; defersType?: TypeDeferral; restsHost?: HostRest }
  /** Not run; try again in `delayMs`. `reason`: why; default `BREAKER`. */
  | { kind: "deferred"; delayMs: number; reason?: DeferralReason; forOthers?: string };

/** A handler's wish that nothing of its type starts for a while, on any node. */
export interface TypeDeferral {
  forMs: number;
  /** What people are told of it; null: nothing. */
  reason: string | null;
}

/** A host's wish to be left alone for a while, by all nodes. */
export interface HostRest {
  /** With its port, where the URL names one. */
  host: string;
  forMs: number;
}

/** What the handler of a schedule's occurrence is told. */
export interface OccurrenceFacts {
  /** The schedule's name. */
  schedule: string;
  /** The instant that it runs for. */
  occurrenceAt: EpochMs;
  /** How many instants were missed before it. */
  missed: number;
}

/** Tasks that are occurrences of schedules. */
export interface Occurrences {
  /** Whether the task with this key is one. */
  isOccurrence(key: string | null): boolean;
  /**
   * Notes that an attempt of it starts; null: its schedule is kept no more.
   *
   * @param startedAt when it was claimed, or its due time if it was claimed ahead of that; an earlier attempt's start
   *   wins
   */
  begin(taskId: string, startedAt: EpochMs): Promise<OccurrenceFacts | null>;
}
