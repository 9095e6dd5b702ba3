import type { EpochMs, Task } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { WaitingFor } from "./requests.js";

/** A task that is overdue for longer than this, although a node runs its type, waits for a place. */
const OVERDUE_MS = 1_500;

/**
 * Why a task does not run; null: it is not due, or about to start.
 * - `PAUSE`: it is held until somebody resumes it
 * - `HANDLER`: it is due, and no node of the view runs its type
 * - `CAPACITY`: nodes run its type, but it is overdue for longer than a free place would allow
 * - `BREAKER`: it was put off untried. Only a deferral moves the due time of a task that never failed beyond what was
 *   asked for
 */
export function waitingFor(task: Task, ownership: Pick<Ownership, "nodes">, now: EpochMs): WaitingFor | null {
  if (task.state === "held") return "PAUSE";
  if (task.state !== "scheduled") return null;
  if (task.dueAt > now) return isDeferred(task) ? "BREAKER" : null;
  if (!ownership.nodes.some(({ typeIds }) => typeIds.includes(task.typeId))) return "HANDLER";
  return now - task.dueAt > OVERDUE_MS ? "CAPACITY" : null;
}

function isDeferred(task: Task): boolean {
  return task.webhook !== null && task.fence > 0 && task.lastError === null && task.dueAt > task.scheduledAt;
}
