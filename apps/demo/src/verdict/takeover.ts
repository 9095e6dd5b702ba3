import type { Kill, OrderHistory } from "../histories/histories.js";

/** Executions due up to so long after the kill are judged as part of the takeover. */
export const TAKEOVER_WINDOW_MS = 10_000;

/**
 * What an order tells about punctuality: when its first start was and since when it is counted.
 *
 * `running`: the killed node held its claim, so its first surviving start has a higher fence; counted from the kill.
 * `pending`: due within the window after the kill, first started with fence 1; counted from its due time. `normal`: all
 * others that started.
 */
export interface Punctuality {
  kind: "normal" | "pending" | "running";
  latenessMs: number;
}

/** The punctuality of an order; null when it never started. */
export function punctualityOf({ starts, cancelAt }: OrderHistory, kill: Kill | null): Punctuality | null {
  const byTime = [...starts].sort((a, b) => a.at - b.at);
  const first = byTime[0];
  if (!first) return null;
  const fromDueMs = first.at - cancelAt;
  if (!kill || cancelAt > kill.at + TAKEOVER_WINDOW_MS) return { kind: "normal", latenessMs: fromDueMs };
  const surviving = byTime.find(({ node }) => node !== kill.node);
  if (surviving && surviving.fence > 1 && surviving.at >= kill.at)
    return { kind: "running", latenessMs: surviving.at - kill.at };
  if (cancelAt >= kill.at && first.fence === 1) return { kind: "pending", latenessMs: fromDueMs };
  return { kind: "normal", latenessMs: fromDueMs };
}
