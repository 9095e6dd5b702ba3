import type { DurationInput, Json } from "@tickwheel/core";
import type { ServiceStats } from "@tickwheel/engine";
import type {
  AtMostOne,
  ManagerOption,
  TaskChangesInput,
  TaskDefinition,
  TaskOptions,
  TaskView,
} from "@tickwheel/calls";

/** A task's type, or its definition. */
export type AnyTask = string | TaskDefinition<unknown>;

/** A page of a list of tasks. `incomplete`: the budget of rows and time ended the look before the page was full. */
export interface FoundTasks<Payload = Json> {
  items: TaskView<Payload>[];
  /** Give it as `after` to go on; null: that was all. */
  next: string | null;
  incomplete: boolean;
}
/** Which live tasks of a tag are meant, and in which transaction. */
export interface TagOptions extends ManagerOption {
  /** Default: any. */
  type?: AnyTask | undefined;
}
/** Which page of a list. `limit`: 1 … 200, default 50; `after`: the `next` of the page before. */
export interface PageOptions {
  limit?: number | undefined;
  after?: string | undefined;
}
/** What may be changed of a scheduled task from code. */
export type TaskChanges<Payload = Json | object> = OtherChanges<Payload> &
  AtMostOne<TaskChangesInput, "delay" | "scheduledAt">;

interface OtherChanges<Payload> extends Omit<TaskChangesInput, "payload" | "delay" | "scheduledAt"> {
  /** In place of the present one. */
  payload?: Payload | undefined;
}
/** Counts and lateness of the application's namespace; `wheel` is this node's. */
export type TaskStatsView = Omit<ServiceStats, "countedAt"> & { countedAt: Date };

/**
 * Options of a series: those of a task but for its time.
 *
 * @typeParam Payload what its handler takes
 */
export type SeriesOptions = Pick<
  TaskOptions,
  "priority" | "maxAttempts" | "backoff" | "timeout" | "startDeadline" | "tags" | "manager"
> & {
  /** When its tasks are due: 2 to 100 durations from now, or instants, each later than the one before. */
  at: readonly (DurationInput | Date)[];
  /** The whole series is known by it, and one live task or series of the type has it. */
  key: string;
  /** What a live task or series of this key means. `replace`: it ends, and this one begins. Default: `reject`. */
  onConflict?: "reject" | "return" | "replace" | undefined;
};

/** How long a call waits for a task to end. */
export interface WaitOptions {
  /** At most an hour. Default: `"30s"`. */
  timeout?: DurationInput | undefined;
  /** Ends the wait before its time. */
  signal?: AbortSignal | undefined;
}

/** Options of a task that is waited for. In a transaction of the caller's it could not start. */
export type AwaitedTaskOptions<Payload = never> = TaskOptions<Payload> & {
  manager?: never;
  /** How long to wait, at most an hour. Default: `"30s"`. */
  wait?: DurationInput | undefined;
  /** Ends the wait before its time. */
  signal?: AbortSignal | undefined;
};

/**
 * How a task has ended, or that it has not.
 *
 * - `succeeded`: with what its handler returned.
 * - `dead`, `cancelled`, `expired`: `task.lastError` and `task.reason` say why.
 * - `pending`: the time is over, and the task goes on. Ask again by `id`.
 * - `forgotten`: it has ended, and its type keeps no ended tasks.
 *
 * @typeParam Result what the handler returns, as JSON
 */
export type TaskEnd<Result = Json, Payload = Json> =
  | { outcome: "succeeded"; id: string; result: Result; task: TaskView<Payload> }
  | { outcome: "dead" | "cancelled" | "expired" | "pending"; id: string; task: TaskView<Payload> }
  | { outcome: "forgotten"; id: string };
