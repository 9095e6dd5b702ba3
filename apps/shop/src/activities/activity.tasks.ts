import { defineTask } from "@tickwheel/nestjs";

/** Opens an activity at its start. The task's key is the activity's id. */
export const StartActivity = defineTask<{ activityId: string }>("activity.start", { maxAttempts: 10 });

/** Ends an activity. The task's key is the activity's id. */
export const EndActivity = defineTask<{ activityId: string }>("activity.end", { maxAttempts: 10 });
