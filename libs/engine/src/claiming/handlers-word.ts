import { type ClaimedTask, defaultAttempts, GIVEN, type TypePolicy } from "@tickwheel/core";

/**
 * [handlers-word]: what its creator did not give of a task is as the handler that is called says: attempts, backoff and
 * time-out. So a task that was made before any node ran its type, or by one that knew an older policy, obeys its
 * handler. Changes the task, which a claim has just brought.
 */
export function obeyHandler(task: ClaimedTask, { maxAttempts, backoff, timeoutMs }: TypePolicy): void {
  const isGiven = (option: keyof typeof GIVEN): boolean => (task.given & GIVEN[option]) !== 0;
  const isLadder = backoff !== undefined && !isGiven("backoff");
  if (isLadder) task.backoff = backoff;
  if (timeoutMs !== undefined && !isGiven("timeoutMs")) task.timeoutMs = timeoutMs;
  if (isGiven("maxAttempts")) return;
  if (maxAttempts !== undefined) task.maxAttempts = maxAttempts;
  else if (isLadder) task.maxAttempts = defaultAttempts(backoff);
}
