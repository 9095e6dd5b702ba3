import type { Coverage } from "./recorder.js";

/**
 * What a long run must have reached: every transition of a task, every fault, every layer that finds work, the rare branches. Names are those
 * that the {@link Recorder} counts; each line is a beginning, so that `row reap` stands for all that a reap leads to.
 */
export const MUST_BE_REACHED = [
  "row create none>scheduled",
  "row create scheduled>scheduled",
  "row create scheduled>cancelled REPLACED",
  "row create running>running",
  "row claim scheduled>running",
  "row settle running>succeeded",
  "row settle running>scheduled",
  "row settle running>dead ATTEMPTS",
  "row settle running>dead NON_RETRYABLE",
  "row settle running>cancelled",
  "row completeWithin running>succeeded",
  "row release running>scheduled",
  "row release running>cancelled",
  "row defer running>scheduled",
  "row reap running>scheduled",
  "row reap running>cancelled",
  "row reap running>dead CRASHES",
  "row cancel scheduled>cancelled",
  "row cancel running>running",
  "row edit scheduled>scheduled",
  "row retry succeeded>scheduled",
  "row retry dead>scheduled",
  "row retry cancelled>scheduled",
  "row retry expired>scheduled",
  "row expire scheduled>expired",
  "found by wheel",
  "found by sweep",
  "found by steal",
  "found by guard",
  "fault crash",
  "fault drain",
  "fault pause",
  "fault block-loop",
  "fault slow-loop",
  "fault jump-ahead",
  "fault postgres-cut",
  "fault postgres-late",
  "fault postgres-restart",
  "fault postgres-failover",
  "fault postgres-slow",
  "fault postgres-clock-step",
  "fault redis-cut",
  "fault redis-stop",
  "fault redis-hang",
  "fault redis-failover",
  "fault redis-flush",
  "fault redis-clock-step",
  "fault messages-lost",
  "fault messages-late",
  "fault node-joins",
  "handler throws",
  "handler hangs",
  "handler ignores-abort",
  "handler kills-node",
  "handler blocks-loop",
  "handler gives-up",
  "aborted by ExecutionTimeoutError",
  "aborted by ExecutionCancelledError",
  "aborted by NodeDrainingError",
  "aborted by TickwheelError",
  "told cluster.heartbeat.degraded",
  "told cluster.node.lost",
  "told cluster.leader.lost",
  "told engine.timeline.changed",
  "branch slow lane",
  "branch next cycle of a key",
  "branch fence refused",
  "branch crash lane",
  "release DRAIN",
  "release LEASE_LOST",
  "release LOST_REPLY",
  "release NOT_STARTED",
  "branch effect rolled back",
  "branch rows locked",
  "create folded",
] as const;

export function missing(coverage: Coverage): string[] {
  const reached = [...coverage.keys()];
  return MUST_BE_REACHED.filter((what) => !reached.some((name) => name.startsWith(what)));
}

/** Adds what one run has reached. */
export function add(total: Map<string, number>, coverage: Iterable<readonly [string, number]>): void {
  for (const [what, count] of coverage) total.set(what, (total.get(what) ?? 0) + count);
}
