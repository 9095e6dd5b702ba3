import {
  type EditReply,
  type PauseReply,
  type RetryReply,
  shownText,
  type Task,
  type TaskTarget,
  TickwheelError,
} from "@tickwheel/core";

/** A task that is not there, in its namespace or at all. */
export function noTask(id: unknown): TickwheelError {
  const name = typeof id === "string" ? shownText(id) : "without an id";
  return new TickwheelError("TASK_NOT_FOUND", `There is no task ${name}.`);
}

/**
 * The task that an edit left.
 *
 * @throws TickwheelError `TASK_NOT_FOUND`, `VERSION_MISMATCH`, `TASK_STATE_CONFLICT`
 */
export function editedTask(reply: EditReply, id: string): Task {
  if (reply.outcome === "changed") return reply.task;
  if (reply.outcome === "not_found") throw noTask(id);
  if (reply.outcome === "version_mismatch")
    throw new TickwheelError("VERSION_MISMATCH", `The task has version ${reply.task.version}.`);
  throw stateConflict(
    reply.task,
    reply.task.state === "paused" ? "resume it first" : "only a task that waits can be changed",
  );
}

/**
 * The task that a pause or a resume left.
 *
 * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT`
 */
export function pausedTask(how: "pause" | "resume", reply: PauseReply, target: TaskTarget): Task {
  if (reply.outcome === "not_found") throw noTask("id" in target ? target.id : "with this type and key");
  if (reply.outcome === "occurrence")
    throw stateConflict(reply.task, "it belongs to a schedule, which can be paused instead");
  if (reply.outcome === "state_conflict")
    throw stateConflict(
      reply.task,
      how === "pause" ? "only a scheduled task can be paused" : "only a paused task can be resumed",
    );
  return reply.task;
}

/**
 * The task that a retry has scheduled again.
 *
 * @throws TickwheelError `TASK_NOT_FOUND`, `TASK_STATE_CONFLICT`, `TASK_KEY_CONFLICT`
 */
export function retriedTask(reply: RetryReply, id: string): Task {
  if (reply.outcome === "scheduled") return reply.task;
  if (reply.outcome === "not_found") throw noTask(id);
  if (reply.outcome === "key_conflict")
    throw new TickwheelError("TASK_KEY_CONFLICT", "Another live task has this task's key.");
  throw stateConflict(reply.task, "only a finished task can be retried");
}

function stateConflict(task: Task, rule: string): TickwheelError {
  return new TickwheelError("TASK_STATE_CONFLICT", `The task is ${task.state}; ${rule}.`, {
    details: { state: task.state },
  });
}
