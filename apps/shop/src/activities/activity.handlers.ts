import { Injectable } from "@nestjs/common";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler } from "@tickwheel/nestjs";
import { endActivity, startActivity } from "./activity-rows.js";
import { EndActivity, StartActivity } from "./activity.tasks.js";

/**
 * Starts and ends activities. Each statement names the instant that the task was scheduled for: the task of an earlier
 * plan, which runs while the activity is moved, has no effect.
 */
@Injectable()
export class ActivityHandlers {
  @DelayTaskHandler(StartActivity)
  async start({ payload, scheduledAt }: DelayTask<{ activityId: string }>, context: DelayTaskContext): Promise<void> {
    await context.transaction((manager) => startActivity(manager, payload.activityId, scheduledAt));
  }

  @DelayTaskHandler(EndActivity)
  async end({ payload, scheduledAt }: DelayTask<{ activityId: string }>, context: DelayTaskContext): Promise<void> {
    await context.transaction((manager) => endActivity(manager, payload.activityId, scheduledAt));
  }
}
