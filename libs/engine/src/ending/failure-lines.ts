import { type DeadReason, shownText } from "@tickwheel/core";

/** What to do before a dead task is retried, by why it is dead. */
const MENDING: Readonly<Record<DeadReason, string>> = {
  ATTEMPTS: "mend what its attempts failed on (runbook: TYPE_FAILING)",
  NON_RETRYABLE: "its handler or receiver said that another attempt is of no use: mend what it refused",
  PAYLOAD_INVALID: "let the type's schema take its payload, by `upgrade` for an older version, or create it anew",
  RESULT_INVALID: "its handler is done, and runs again if you retry: let it return JSON within resultLimitBytes",
  CRASHES: "find out why its nodes ended while it ran (runbook: NODE_DIED)",
};

/**
 * What to do about a dead task, in a sentence for its line in the log. The id is all that it holds of the task itself.
 */
export function cureOfDead(id: string, reason: DeadReason): string {
  return `${MENDING[reason]}; then POST /v1/tasks/${id}/retry`;
}

/** The same of a failed attempt: nothing is to be done. */
export function cureOfFailed(delayMs: number): string {
  return `none is needed: it is tried again by itself in ${delayMs} ms`;
}

/** A task in a line: its id, and its key where it has one, with nothing that ends a line. */
export function shownTask(id: string, key: string | null): string {
  return key === null ? id : `${id} (key "${shownText(key)}")`;
}
