import type { ClaimedTask } from "@tickwheel/core";
import type { ExecutionEntry } from "./executions.js";

/** A task that was running this often when its node died is suspected of having killed it. */
const SUSPECT_AFTER_CRASHES = 2;

/**
 * I13: whether a task may start on a node that holds `others`. A suspect starts only where no other suspect is: when that node dies, it
 * is known which of them it was, and no other suspect is charged with the crash. Normal work goes on beside it.
 */
export function mayStartBeside(task: ClaimedTask, others: () => Iterable<Pick<ExecutionEntry, "task">>): boolean {
  if (!isSuspect(task)) return true;
  for (const other of others()) if (isSuspect(other.task) && other.task.id !== task.id) return false;
  return true;
}

function isSuspect({ crashCount }: ClaimedTask): boolean {
  return crashCount >= SUSPECT_AFTER_CRASHES;
}
