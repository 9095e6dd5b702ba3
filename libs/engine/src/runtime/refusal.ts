import { TickwheelError } from "@tickwheel/core";

/** Whether a write's data are refused, by the store or before they were sent (a BigInt has no JSON). */
export function isRefusal(error: unknown): boolean {
  return !(error instanceof TickwheelError) || error.details.dataRefused === true;
}
