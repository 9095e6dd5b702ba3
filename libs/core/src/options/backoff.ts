import type { Random } from "../system/random.js";
import type { Backoff } from "../task/task.js";

/** The backoff of a task that says nothing: 1 s doubling up to 1 h, give or take 20 %. */
export const DEFAULT_BACKOFF: Backoff = { kind: "exponential", initialMs: 1_000, maxMs: 3_600_000, jitter: 0.2 };

/** The most rungs of a ladder. */
export const MAX_RUNGS = 100;

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

/**
 * Ladders by the names of those who are known for them.
 *
 * - `alipay`: as Alipay notifies merchants: after 4, 10 and 10 minutes, then 1, 2, 6 and 15 hours.
 * - `rocketmq`: as RocketMQ redelivers to a consumer: after 10 and 30 s, then 1 … 10, 20 and 30 minutes, 1 and 2 hours.
 */
export const BACKOFF_PRESETS = {
  alipay: ladder([4 * MINUTE, 10 * MINUTE, 10 * MINUTE, HOUR, 2 * HOUR, 6 * HOUR, 15 * HOUR]),
  rocketmq: ladder([
    10 * SECOND,
    30 * SECOND,
    ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30].map((minutes) => minutes * MINUTE),
    HOUR,
    2 * HOUR,
  ]),
} as const satisfies Record<string, Backoff>;
export type BackoffPreset = keyof typeof BACKOFF_PRESETS;

const DEFAULT_MAX_ATTEMPTS = 3;

/** How many attempts a task has of which nobody says it: with a ladder one more than its rungs, else 3. */
export function defaultAttempts(backoff: Backoff): number {
  return backoff.kind === "ladder" ? backoff.delaysMs.length + 1 : DEFAULT_MAX_ATTEMPTS;
}

/**
 * Milliseconds to wait after the failure of attempt number `attempt` (1 = the first). Exponential:
 * `initial · 2^(attempt − 1)`, at most `max`, times a factor drawn evenly from 1 ± jitter. Ladder: its rung of that
 * number, or its last one.
 *
 * @example backoffMs({ kind: "ladder", delaysMs: [500, 900] }, 3, random) // 900
 */
export function backoffMs(backoff: Backoff, attempt: number, random: Random): number {
  const failed = Math.max(attempt - 1, 0);
  switch (backoff.kind) {
    case "fixed":
      return backoff.delayMs;
    case "ladder":
      return backoff.delaysMs[failed] ?? backoff.delaysMs.at(-1) ?? 0;
    case "exponential": {
      const base = Math.min(backoff.initialMs * 2 ** Math.min(failed, 60), backoff.maxMs);
      return Math.round(base * (1 + backoff.jitter * (2 * random.next() - 1)));
    }
  }
}

function ladder(delaysMs: readonly number[]): Backoff & { kind: "ladder" } {
  return { kind: "ladder", delaysMs };
}
