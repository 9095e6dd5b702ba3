import type { Random } from "../system/random.js";
import type { Backoff } from "../task/task.js";

/** The backoff of a task that says nothing: 1 s doubling up to 1 h, give or take 20 %. */
export const DEFAULT_BACKOFF: Backoff = { kind: "exponential", initialMs: 1_000, maxMs: 3_600_000, jitter: 0.2 };

/**
 * Milliseconds to wait after the failure of attempt number `attempt` (1 = the first). Exponential:
 * `initial · 2^(attempt − 1)`, at most `max`, times a factor drawn evenly from 1 ± jitter.
 *
 * @example backoffMs({ kind: "fixed", delayMs: 500 }, 3, random) // 500
 */
export function backoffMs(backoff: Backoff, attempt: number, random: Random): number {
  if (backoff.kind === "fixed") return backoff.delayMs;
  const exponent = Math.min(Math.max(attempt - 1, 0), 60);
  const base = Math.min(backoff.initialMs * 2 ** exponent, backoff.maxMs);
  return Math.round(base * (1 + backoff.jitter * (2 * random.next() - 1)));
}
