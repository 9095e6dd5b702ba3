import type { Task, TaskHint } from "@tickwheel/core";
import { hintOf } from "./task-draft.js";
import type { CallOptions } from "./requests.js";

/**
 * [own-changes]: what the owners are told of once the store has answered to a write: the tasks whose due time it set,
 * if it is committed. Within a transaction of the caller's it is not, and may never be: these tasks are found by the
 * loaders and sweeps.
 */
export function hintsAfterCommit(tasks: readonly Task[], { within }: CallOptions): TaskHint[] {
  if (within) return [];
  return tasks.filter(({ state }) => state === "scheduled").map(hintOf);
}
