import { type CancelledTask, noTask } from "@tickwheel/calls";
import { TickwheelError } from "@tickwheel/core";
import type { ShownTask } from "./task-json.js";

/**
 * A cancellation that must have been possible.
 *
 * @param name of the task, for the error's text
 * @throws TickwheelError `TASK_NOT_FOUND`, or `TASK_STATE_CONFLICT` where the task had ended otherwise
 */
export function requireCancelled({ outcome, task }: CancelledTask<ShownTask>, name: string): CancelledTask<ShownTask> {
  if (outcome === "not_found") throw noTask(name);
  if (outcome === "too_late")
    throw new TickwheelError("TASK_STATE_CONFLICT", `The task is ${task?.state}; it is too late to cancel it.`);
  return { outcome, task };
}
