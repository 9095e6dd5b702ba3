import { AT_ONCE_MS, type EpochMs, type Halts, isDeferred, type Task } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { WaitingFor } from "./requests.js";

/** What a task waits in. */
export interface WaitingScene extends Pick<Ownership, "nodes"> {
  /** Whether consumers fetch its tasks. */
  isPulled: boolean;
  /** Whether its type, its namespace or its key is paused. */
  isPaused: boolean;
  /** Whether its type's breaker is open. */
  isBreakerOpen: boolean;
  /** Whether a limit of its type or its namespace lets no more start just now. */
  isLimitFull: boolean;
}

/** What keeps a task from starting, as the decision looks at it. */
export function haltedBy({ pause, breaker, limit }: Halts): Omit<WaitingScene, "nodes" | "isPulled"> {
  return { isPaused: pause !== null, isBreakerOpen: breaker !== null, isLimitFull: limit !== null };
}

/**
 * Why a task does not run; null: it is not due, or about to start.
 * - `PAUSE`: it is paused until somebody resumes it; or it is due, and its type, its namespace or its key is paused
 * - `HANDLER`: it is due, and no node of the view runs its type
 * - `CONSUMER`: it is due, and consumers fetch tasks of its type
 * - `LIMIT`: nodes run its type, but a limit of the cluster lets no more of it, or of its namespace, start just now
 * - `CAPACITY`: nodes run its type, but it is overdue for longer than a free place would allow
 * - `BREAKER`: nodes run its type, but its breaker is open; or its host's has put it off untried: only a deferral moves
 *   the due time of a task that never failed beyond what was asked for
 */
export function waitingFor(task: Task, scene: WaitingScene, now: EpochMs): WaitingFor | null {
  if (task.state === "paused") return "PAUSE";
  if (task.state !== "scheduled") return null;
  if (task.dueAt > now) return isDeferred(task) ? "BREAKER" : null;
  if (scene.isPaused) return "PAUSE";
  if (scene.isPulled) return scene.isLimitFull ? "LIMIT" : "CONSUMER";
  if (!scene.nodes.some(({ typeIds }) => typeIds.includes(task.typeId))) return "HANDLER";
  if (scene.isBreakerOpen) return "BREAKER";
  if (scene.isLimitFull) return "LIMIT";
  return now - task.dueAt > AT_ONCE_MS ? "CAPACITY" : null;
}
