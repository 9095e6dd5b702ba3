import type { BackoffSetting, DurationInput } from "../input/task-input.js";

/**
 * What a type's tasks get unless their creator says otherwise. Of a handler they hold for the whole cluster: the nodes
 * that run it announce them. Of a definition they are the word of whoever schedules by it.
 */
export interface TaskDefaults {
  /** Attempts before the task is dead; default 3, with a ladder one more than its rungs. */
  maxAttempts?: number;
  /** Default: exponential, 1 s, 1 h, jitter 0.2. */
  backoff?: BackoffSetting | null;
  /** How long one attempt may take before its signal aborts; default 60 s. */
  timeout?: DurationInput;
  /**
   * How long after its scheduled time a task may still start, before it ends `expired`; milliseconds or `"5m"`.
   * Default: however late.
   */
  startDeadline?: DurationInput;
  /** 0 first … 9, among tasks that are due together; default 5. */
  priority?: number;
}

/** A typed name for a task: `schedule` and `@DelayTaskHandler` take it and agree on the payload's type. */
export interface TaskDefinition<Payload> {
  readonly type: string;
  readonly defaults: TaskDefaults;
  /** Exists for the compiler alone. */
  readonly payloadType?: Payload;
}

/** The payload of a definition: `PayloadOf<typeof CancelOrder>`. */
export type PayloadOf<Definition> = Definition extends TaskDefinition<infer Payload> ? Payload : never;

/**
 * Names a task and its payload's type once, for those who schedule it and the handler that runs it.
 *
 * @param type 1–128 of `A-Z a-z 0-9 . _ : -`
 * @example
 * export const CancelOrder = defineTask<{ orderId: string }>("order.cancel", { maxAttempts: 5 });
 * await delayTasks.schedule(CancelOrder, { orderId: "42" }, { delay: "15m", key: "42" });
 */
export function defineTask<Payload>(type: string, defaults: TaskDefaults = {}): TaskDefinition<Payload> {
  return { type, defaults };
}
