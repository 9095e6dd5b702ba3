import { Readable } from "node:stream";
import { HttpStatus, StreamableFile } from "@nestjs/common";
import { REPLAYED } from "@tickwheel/contract/documents";
import { TASK_OPERATIONS } from "@tickwheel/contract/operations";
import type { Type } from "@nestjs/common";
import type { Call } from "../calls/call.js";
import { type Forms, type Reply, restController } from "../calls/rest-controller.js";
import { TaskApiService } from "./task-api.service.js";
import { bulkJson, cancelJson, itemsJson, pageJson, taskJson, type ShownTask } from "./task-json.js";
import { type CancelledTask, noTask } from "@tickwheel/calls";
import { TickwheelError } from "@tickwheel/core";

/** How REST answers what is not simply what the service answers. */
const FORMS: Forms<typeof TASK_OPERATIONS.rows, TaskApiService> = {
  create: ({ outcome, task, replayed }, reply, call) => {
    tellWait(reply, call);
    const isNew = outcome === "created" || outcome === "replaced";
    reply.header("Tickwheel-Outcome", outcome);
    tellReplay(reply, replayed);
    reply.status(isNew ? HttpStatus.CREATED : HttpStatus.OK);
    return taskJson(task);
  },
  createMany: ({ results, replayed }, reply) => {
    tellReplay(reply, replayed);
    return new StreamableFile(Readable.from(bulkJson(results)));
  },
  cancelByKey: (cancelled) => cancelJson(requireCancelled(cancelled, "with this type and key")),
  pauseByKey: taskJson,
  resumeByKey: taskJson,
  cancelMany: itemsJson,
  cancelByTag: itemsJson,
  retryMany: itemsJson,
  find: pageJson,
  get: (task, reply, call) => {
    tellWait(reply, call);
    return taskJson(task);
  },
  edit: taskJson,
  cancel: (cancelled, reply, { at, isBrief }) => {
    const { outcome, task } = requireCancelled(cancelled, at);
    if (!isBrief || outcome !== "cancelled") return cancelJson({ outcome, task });
    reply.header("Preference-Applied", "return=minimal");
    reply.status(HttpStatus.NO_CONTENT);
    return undefined;
  },
  runNow: taskJson,
  pause: taskJson,
  resume: taskJson,
  retry: taskJson,
};

/** REST about tasks. */
export const TasksController: Type<object> = restController(TASK_OPERATIONS, TaskApiService, FORMS);

function tellWait(reply: Reply, { waitSeconds }: Call): void {
  if (waitSeconds > 0) reply.header("Preference-Applied", `wait=${waitSeconds}`);
}

function tellReplay(reply: Reply, replayed: boolean): void {
  if (replayed) reply.header(REPLAYED, "true");
}

/**
 * A cancellation that must have been possible.
 *
 * @param name of the task, for the error's text
 * @throws TickwheelError `TASK_NOT_FOUND`, or `TASK_STATE_CONFLICT` where the task had ended otherwise
 */
function requireCancelled({ outcome, task }: CancelledTask<ShownTask>, name: string): CancelledTask<ShownTask> {
  if (outcome === "not_found") throw noTask(name);
  if (outcome === "too_late")
    throw new TickwheelError("TASK_STATE_CONFLICT", `The task is ${task?.state}; it is too late to cancel it.`);
  return { outcome, task };
}
