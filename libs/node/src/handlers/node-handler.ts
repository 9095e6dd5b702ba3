import type { DurationInput } from "@tickwheel/core";
import type { PayloadRules, TaskDefaults } from "@tickwheel/calls";
import type { DelayTask, DelayTaskContext } from "./delay-task.js";

/** When the breaker of a type opens. */
export interface BreakerOptions {
  /** It opens when this share of the attempts has failed, above 0 and up to 1; default 0.5. */
  errorShare?: number | undefined;
  /** How many attempts have to end on one node within ten seconds, 1 to 10,000; default 10. */
  leastAttempts?: number | undefined;
  /** For how long it opens at first, 1 s to 10 min, as text or milliseconds; default `"10s"`. */
  openFor?: DurationInput | undefined;
}

/** Options of a handler. Options with a payload's type give it to `condition`. */
export interface HandlerOptions<Payload = never> extends TaskDefaults {
  /**
   * When too many attempts of the type fail, no node starts any for a while; then one node tries one task, and its
   * outcome closes the breaker or opens it for twice as long, up to ten minutes. No attempt is lost meanwhile. Errors
   * and time-outs count; `NonRetryableError`, payloads that do not fit and aborts do not. `{}`: the defaults. Default:
   * the type has no breaker.
   *
   * @example breaker: { errorShare: 0.5, leastAttempts: 10, openFor: "10s" }
   */
  breaker?: BreakerOptions | undefined;
  /** At most so many at once on this node, 1 to 100,000; default: the node's `concurrency`. */
  concurrency?: number | undefined;
  /**
   * Whether the task still has to run ("is it still unpaid?"): asked at each attempt, right before the handler is
   * called, and within the attempt's time-out. No: the handler is not called, and the task ends `succeeded` with the
   * reason `SKIPPED` and no result. What throws, or answers neither true nor false, is a failed attempt. The functions
   * of the option `around` lie around the handler alone. Default: each has to run.
   *
   * @example condition: ({ payload }) => orders.isUnpaid(payload.orderId)
   */
  condition?: ((task: DelayTask<Payload>, context: DelayTaskContext) => boolean | Promise<boolean>) | undefined;
  /**
   * Whether what the handler returned, or its transaction, is a success; what is none is a failed attempt, and a
   * transaction is rolled back. Default: each is one.
   */
  succeeded?: ((result: never) => boolean) | undefined;
}

/** A handler that a node is given, no matter what found or made it. */
export interface NodeHandler {
  type: string;
  /** How its definition checks payloads. Default: it has no schema. */
  payload?: PayloadRules | undefined;
  options: HandlerOptions<never>;
  /** Where it stands in the code, for people: class and method, or the call. */
  where: string;
  handle(task: DelayTask, context: DelayTaskContext): unknown;
  /** Its option `condition`, as it is to be called. Default: it has none. */
  condition?(task: DelayTask, context: DelayTaskContext): boolean | Promise<boolean>;
}

/** A listener that a node is given. */
export interface NodeListener {
  event: string;
  listen(event: unknown): unknown;
}
