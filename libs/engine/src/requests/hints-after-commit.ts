import type { Task, TaskHint } from "@tickwheel/core";
import { hintOf } from "./task-draft.js";
import type { CallOptions } from "./requests.js";

/**
 * [own-changes]: the hints after the store has answered a write: the tasks whose due time it set, if it is committed.
 * Within a caller's transaction it is not committed, and may never be: the loaders and sweeps find these tasks.
 */
export function hintsAfterCommit(tasks: readonly Task[], { within }: CallOptions): TaskHint[] {
  if (within) return [];
  return tasks.filter(({ state }) => state === "scheduled").map(hintOf);
}
