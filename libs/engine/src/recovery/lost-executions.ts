import type { RunningRow } from "@tickwheel/core";
import type { ExecutionEntry } from "../held/executions.js";

type Held = Pick<ExecutionEntry, "state" | "task">;

/**
 * [stale-silence], [no-in-doubt-leak]: executions in memory that this node has lost, because the store does not hold
 * them as running under it. `missing` is to be remembered for the next look. An execution is lost when it was missing
 * twice, because a handler's own commit may be on its way back while the store is asked.
 * @param unfinished executions that had not ended when the query was sent
 */
export function lostExecutions<E extends Held>(
  unfinished: readonly E[],
  rows: readonly RunningRow[],
  missingBefore: ReadonlySet<E>,
): { lost: E[]; missing: Set<E> } {
  const running = new Set(rows.map(nameOf));
  const missing = unfinished.filter(({ state, task }) => state !== "ended" && !running.has(nameOf(task)));
  return { lost: missing.filter((entry) => missingBefore.has(entry)), missing: new Set(missing) };
}

function nameOf({ id, fence }: { id: string; fence: number }): string {
  return `${id}:${fence}`;
}
