import type { ConflictPolicy, Reducers } from "@tickwheel/core";
import { type BackoffSetting, type DeliverInput, type DurationInput } from "@tickwheel/contract";
import type { TaskDefinition } from "./define-task.js";

/** Join this transaction instead of one of Tickwheel's own. */
export interface ManagerOption {
  /**
   * An open transaction of the application's: with `dataSource` a TypeORM EntityManager or QueryRunner, or anything
   * with `query(sql, parameters)`; with `transactions` what that library calls a transaction. A module with neither of
   * them refuses it, and so does one whose library it is not of: `TRANSACTION_UNAVAILABLE`. Default: a transaction of
   * Tickwheel's own.
   */
  manager?: object | undefined;
}

/** A task's options when it is scheduled from code. Null is as good as absent. */
export interface TaskOptions extends ManagerOption {
  /** From now: milliseconds, or a text such as `"15m"`; at most 100 years. Default, without `scheduledAt`: now. */
  delay?: DurationInput | null | undefined;
  /** An instant, past ones mean now; a Date, or ISO 8601 with offset. Default: `delay` says when. */
  scheduledAt?: Date | string | null | undefined;
  /** Of the live tasks of a type one has this key; 1 to 256 characters. Default: none. */
  key?: string | null | undefined;
  /** What happens where a live task has the key; default `"reject"`: `TASK_KEY_CONFLICT`. */
  onConflict?: ConflictPolicy | null | undefined;
  /** Of `onConflict: "merge"`, by field of the payload: `{ bytes: "add" }`. Default: each field replaces the other. */
  merge?: Reducers | null | undefined;
  /**
   * Of `refresh` and `merge`: the task is due at the latest this long after its creation; milliseconds or `"1h"`.
   * Default: no such bound.
   */
  maxWait?: DurationInput | null | undefined;
  /** 0 first … 9, among tasks that are due together. Default: the type's, else 5. */
  priority?: number | null | undefined;
  /** Attempts before the task is dead, 1 to 1,000. Default: the type's, else 3. */
  maxAttempts?: number | null | undefined;
  /** The wait between attempts. Default: the type's, else exponential from 1 s to 1 h with a jitter of 0.2. */
  backoff?: BackoffSetting | null | undefined;
  /** How long one attempt may take before its signal aborts, 1 ms to 24 h. Default: the type's, else 60 s. */
  timeout?: DurationInput | null | undefined;
  /**
   * How long after its scheduled time a task may still start, before it ends `expired`; milliseconds or `"5m"`.
   * Default: the type's, else however late.
   */
  startDeadline?: DurationInput | null | undefined;
  /**
   * Of several calls with the same one within 24 h the first is done, and the others get its answer (`replayed`); 1 to
   * 256 characters. Default: none.
   */
  idempotencyKey?: string | null | undefined;
  /** Where a webhook goes. Default: a handler runs the task. */
  deliver?: DeliverInput | null | undefined;
  /**
   * What the task belongs to, for whoever looks for it: at most 16, each once, of 1 to 64 characters. Default: none.
   */
  tags?: readonly string[] | null | undefined;
}

/** One of many tasks: its type, its payload and its options. */
export interface TaskItem<Payload> extends Omit<TaskOptions, "manager"> {
  /** Its type, by name or definition. */
  task: string | TaskDefinition<unknown, Payload>;
  /** Any JSON, at most 64 KiB and 32 levels deep. */
  payload: NoInfer<Payload>;
}
