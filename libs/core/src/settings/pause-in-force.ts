import type { EpochMs } from "../task/task.js";

/** Whether a pause holds at `now`; at its end it is over. `until` null: it holds until somebody ends it. */
export function isPauseInForce({ until }: { readonly until: EpochMs | null }, now: EpochMs): boolean {
  return until === null || until > now;
}
