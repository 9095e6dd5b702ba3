import { TickwheelError } from "@tickwheel/core";

/** Why an execution was aborted. */
export type AbortCause = "timeout" | "cancel" | "lease_lost" | "drain";

/** The `signal.reason` of an execution that took longer than its task's time-out. */
export class ExecutionTimeoutError extends Error {
  override readonly name = "ExecutionTimeoutError";
}

/** The `signal.reason` of an execution whose task was to be cancelled. */
export class ExecutionCancelledError extends Error {
  override readonly name = "ExecutionCancelledError";
}

/** The `signal.reason` of an execution whose node shuts down. */
export class NodeDrainingError extends Error {
  override readonly name = "NodeDrainingError";
}

export function abortReason(cause: AbortCause, timeoutMs: number): Error {
  switch (cause) {
    case "timeout":
      return new ExecutionTimeoutError(`timed out after ${timeoutMs} ms`);
    case "cancel":
      return new ExecutionCancelledError("the task was asked to be cancelled");
    case "lease_lost":
      return new TickwheelError("LEASE_LOST", "this node may no longer run the task: it lost its place in the cluster");
    case "drain":
      return new NodeDrainingError("the node shuts down");
  }
}
