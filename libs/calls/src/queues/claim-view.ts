import type { JsonText } from "@tickwheel/core";
import type { Claim } from "@tickwheel/engine";
import type { InstantForm } from "../requests/task-view.js";
import type { ClaimFields } from "./claim-view.generated.js";

/** A claim as every edge shows it. */
export function toClaim<Instant>(
  { token, type, task }: Claim,
  instantOf: InstantForm<Instant>,
): ClaimFields<JsonText, Instant> {
  const { id, key, payload, attempt, maxAttempts, fence, member } = task;
  return {
    token,
    leaseUntil: instantOf(task.leaseUntil),
    task: {
      id,
      type,
      key,
      payload,
      scheduledAt: instantOf(task.scheduledAt),
      dueAt: instantOf(task.dueAt),
      createdAt: instantOf(task.createdAt),
      attempt,
      maxAttempts,
      fence,
      batchId: member?.batchId ?? null,
    },
  };
}
