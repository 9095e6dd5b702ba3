// Made by `npm run generate`.
import type { BackoffInput, DeliverInput } from "@tickwheel/contract";
import type { DurationInput } from "@tickwheel/core";

/** What a task may be given beside its type and its payload. Null is as good as absent. */
export interface GivenTaskOptions {
  /**
   * How long from now it is due, at most 100 years. Milliseconds, or a text such as `"15m"`. Default: `scheduledAt`,
   * else at once.
   */
  delay?: DurationInput | null | undefined;
  /**
   * When it is due; one that has passed means at once. Not together with `delay`. A Date, or ISO 8601 with offset.
   * Default: `delay` says when.
   */
  scheduledAt?: Date | string | null | undefined;
  /** 0 first; orders tasks that are due together. 0 to 9. Default: the type's, else 5. */
  priority?: number | null | undefined;
  /** Attempts before it is dead. 1 to 1,000. Default: the type's, else 3. */
  maxAttempts?: number | null | undefined;
  /** At most one live task of a type has it. 1 to 256 characters. Default: none. */
  key?: string | null | undefined;
  /** What becomes of it where a live task has its key. Default: `reject`. */
  onConflict?: "reject" | "return" | "replace" | "refresh" | "merge" | null | undefined;
  /**
   * For `merge`, with a `key`: how a field of the payload and the same field of the stored one combine, by the field's
   * name. `add`: the exact sum of two numbers; `append`: the new list behind the stored one; `max`, `min`: the greater
   * or smaller number; `replace`, as of all other fields: the new value. Such as `{"bytes":"add","files":"append"}`.
   * Default: none.
   */
  merge?: Readonly<Record<string, "replace" | "add" | "append" | "max" | "min">> | null | undefined;
  /**
   * For `refresh` and `merge`, with a `key`, above 0: the task is due at the latest this long after its creation.
   * Milliseconds, or a text such as `"15m"`. Default: no such bound.
   */
  maxWait?: DurationInput | null | undefined;
  /** The wait between attempts. Default: the type's, else exponential from 1 s to 1 h with a jitter of 0.2. */
  backoff?: BackoffInput | "alipay" | "rocketmq" | null | undefined;
  /**
   * How long one attempt may take, at most a day; of a webhook at least 1 s and at most 60 s, unless the node is
   * configured otherwise. Milliseconds, or a text such as `"15m"`. Default: the type's, else 60 s.
   */
  timeout?: DurationInput | null | undefined;
  /**
   * From the scheduled time, above 0: a task that has not started by then ends `expired`. Milliseconds, or a text such
   * as `"15m"`. Default: the type's, else however late.
   */
  startDeadline?: DurationInput | null | undefined;
  /**
   * The first of several equal creates with the same one within 24 h is done, and the others get its answer. 1 to 256
   * characters. Default: none.
   */
  idempotencyKey?: string | null | undefined;
  /** Where it is sent. Default: a handler runs it. */
  deliver?: DeliverInput | null | undefined;
  /**
   * What the task belongs to, to find it by; at most 1024 bytes in all. A refresh or a merge leaves those of the live
   * task. Handlers and receivers are not given them. At most 16, each once. Each: 1 to 64 characters. Such as
   * `["shop:7","vip"]`. Default: none.
   */
  tags?: readonly string[] | null | undefined;
}
