import type { PayloadRules, TaskDefaults } from "@tickwheel/calls";
import type { DelayTask, DelayTaskContext } from "./delay-task.js";

/** Options of a handler. Who gives one a payload's type gets it in `condition`. */
export interface HandlerOptions<Payload = never> extends TaskDefaults {
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

/** A handler that a node is given, whoever found or made it. */
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
