import type { Fault } from "@tickwheel/core";
import { textRule } from "./input-rules.js";

/** What is wrong with an idempotency key that came as a header, beside the field where it may stand as well. */
export function idempotencyFaults(header: string | undefined, field?: string | null): Fault[] {
  if (header === undefined) return [];
  const message = textRule(1, 256)(header);
  if (message !== null) return [{ path: "Idempotency-Key", message }];
  return field !== undefined && field !== null && field !== header
    ? [{ path: "idempotencyKey", message: "must be equal to the Idempotency-Key header" }]
    : [];
}
