import { Injectable } from "@nestjs/common";
import { DelayTaskService, type TaskView } from "@tickwheel/nestjs";
import { type Push, SendPush } from "./send-push.task.js";

/** Push messages at an instant that a user chooses. */
@Injectable()
export class PushesService {
  constructor(private readonly delayTasks: DelayTaskService) {}

  /**
   * Plans a message. One that is planned already is moved: its task gets the new instant, and each field
   * of its payload the new value.
   *
   * @param pushId the caller's own name for it
   */
  async plan(pushId: string, push: Push, at: Date): Promise<TaskView> {
    const options = { key: pushId, scheduledAt: at, onConflict: "merge" } as const;
    const { task } = await this.delayTasks.schedule(SendPush, push, options);
    return task;
  }

  /** @returns false: it is sent, or there is none */
  async cancel(pushId: string): Promise<boolean> {
    const { outcome } = await this.delayTasks.cancelByKey(SendPush, pushId);
    return outcome === "cancelled";
  }
}
