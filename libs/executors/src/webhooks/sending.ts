import { errorText, type Execution } from "@tickwheel/core";

/** The shortest pause before a task is due again that this node could not send, in milliseconds. */
const LEAST_PAUSE_MS = 1_000;

/** When a task is due again that this node could not send: a tenth of what it is overdue, at most `mostMs`. */
export function untilNextLookMs({ task, startedAt }: Execution, mostMs: number): number {
  return Math.min(Math.max((startedAt - task.scheduledAt) / 10, LEAST_PAUSE_MS), mostMs);
}

/** The words of an error. Where several addresses were tried, it has a message for each, and none of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join(", ");
  return error instanceof Error ? error.message : errorText(error);
}
