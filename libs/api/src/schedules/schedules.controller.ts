import { HttpStatus, type Type } from "@nestjs/common";
import { SCHEDULE_OPERATIONS } from "@tickwheel/contract/operations";
import { type Forms, restController } from "../calls/rest-controller.js";
import { pageJson, taskJson } from "../tasks/task-json.js";
import { ScheduleApiService } from "./schedule-api.service.js";

/** How REST answers what is not simply what the service answers. */
const FORMS: Forms<typeof SCHEDULE_OPERATIONS.rows, ScheduleApiService> = {
  createSchedule: taskJson,
  schedules: pageJson,
  putSchedule: ({ outcome, schedule }, reply) => {
    reply.header("Tickwheel-Outcome", outcome);
    reply.status(outcome === "created" ? HttpStatus.CREATED : HttpStatus.OK);
    return taskJson(schedule);
  },
  schedule: taskJson,
  deleteSchedule: taskJson,
  pauseSchedule: taskJson,
  resumeSchedule: taskJson,
  triggerSchedule: taskJson,
  backfillSchedule: (done, reply) => {
    reply.status(done.dryRun ? HttpStatus.OK : HttpStatus.ACCEPTED);
    return done;
  },
  cancelBackfill: taskJson,
};

/** REST about schedules. */
export const SchedulesController: Type<object> = restController(SCHEDULE_OPERATIONS, ScheduleApiService, FORMS);
