import { Injectable } from "@nestjs/common";
import { DelayTaskService } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { type ActivityPlan, callOff, writePlan } from "./activity-rows.js";
import { EndActivity, StartActivity } from "./activity.tasks.js";

/** Activities: each has a task for its start and one for its end, which follow its plan. */
@Injectable()
export class ActivitiesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly delayTasks: DelayTaskService,
  ) {}

  /** Plans an activity, or moves it: its tasks replace those of the plan before. @returns false: it is too late */
  async plan(plan: ActivityPlan): Promise<boolean> {
    const { activityId, startsAt, endsAt } = plan;
    return this.dataSource.transaction(async (manager) => {
      if (!(await writePlan(manager, plan))) return false;
      const options = { key: activityId, onConflict: "replace", manager } as const;
      await this.delayTasks.schedule(StartActivity, { activityId }, { ...options, scheduledAt: startsAt });
      await this.delayTasks.schedule(EndActivity, { activityId }, { ...options, scheduledAt: endsAt });
      return true;
    });
  }

  /** Calls an activity off before it has begun, and takes both tasks out. @returns false: it is too late */
  async callOff(activityId: string): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      if (!(await callOff(manager, activityId))) return false;
      await this.delayTasks.cancelByKey(StartActivity, activityId, { manager });
      await this.delayTasks.cancelByKey(EndActivity, activityId, { manager });
      return true;
    });
  }
}
