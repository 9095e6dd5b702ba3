import { TickwheelError } from "@tickwheel/core";

/** Whether a write's data are refused, by the store or before they were sent (a BigInt has no JSON). */
export function isRefusal(error: unknown): boolean {
  return !(error instanceof TickwheelError) || error.details.dataRefused === true;
}

/** Whether the store refused a statement as a whole, so that it surely changed nothing. */
export function isRefusedStatement(error: unknown): error is TickwheelError {
  return error instanceof TickwheelError && error.code === "INTERNAL" && error.details.outcomeUnknown !== true;
}
