import type { Answer } from "../api/api-client.js";
import type { Problem } from "../api/problem.js";

/**
 * What is known of something that is read again and again: the last good value, since when, and why it is not newer.
 */
export interface Feed<T> {
  readonly value: T | null;
  /** Milliseconds of the epoch. */
  readonly readAt: number | null;
  /** Null if the last answer was good. */
  readonly problem: Problem | null;
}

export const emptyFeed: Feed<never> = { value: null, readAt: null, problem: null };

/** The feed after one more answer. A failure keeps the last value, but a refusal (403, 404) ends what it said. */
export function feedAfter<T>(feed: Feed<T>, answer: Answer<T>, now: number): Feed<T> {
  if (answer.ok) return { value: answer.value, readAt: now, problem: null };
  const { problem } = answer;
  const isRefusal = problem.status === 403 || problem.status === 404;
  return isRefusal ? { value: null, readAt: null, problem } : { ...feed, problem };
}

const longestWaitMs = 30_000;

/** How long to wait before the next poll: what the server asked for, within reason, else undefined. */
export function waitAskedFor(...feeds: readonly Feed<unknown>[]): number | undefined {
  const asked = feeds.flatMap(({ problem }) => problem?.retryAfterMs ?? []);
  return asked.length === 0 ? undefined : Math.min(longestWaitMs, Math.max(...asked, 1000));
}
