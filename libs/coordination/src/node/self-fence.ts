import type { Failure } from "../health/health.js";
import type { ClusterOptions } from "./cluster-node-ports.js";

type FenceOptions = Pick<ClusterOptions, "heartbeatIntervalMs" | "selfFenceAfterBeats">;

/** What a node reports as failing while its beats are not good. */
export const BEAT = "beating";
export const FIRST_BEAT = "the first beat";

/**
 * [self-fence]: whether a node's last good beat is recent enough to start work. Its age counts from its sending, by the
 * node's monotonic clock, so the node stops before others may declare it dead.
 */
export function isFresh(beatAgeMs: number, options: FenceOptions): boolean {
  return beatAgeMs < options.selfFenceAfterBeats * options.heartbeatIntervalMs;
}

/**
 * [self-fence]: whether a node aborts what it runs, because it has had no good beat for too long. Its beats must be
 * late at two looks in a row: at the first look after a blocked loop, the worker's good beats still wait to be heard.
 * (To start nothing, one look is enough.)
 */
export function mustFence(look: { wasLate: boolean; isLate: boolean }): boolean {
  return look.wasLate && look.isLate;
}

/** What is reported of a node that joined and got no good beat through. */
export function firstBeatMissing(limitMs: number): Failure {
  const detail = `no good beat within ${limitMs} ms of joining, so it joins anew: this machine, or Postgres, is too busy`;
  return { part: "heartbeat", operation: FIRST_BEAT, detail, isTried: () => true };
}
