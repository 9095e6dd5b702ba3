import { Module } from "@nestjs/common";
import { ActivitiesService } from "./activities.service.js";
import { ActivityHandlers } from "./activity.handlers.js";

/** Activities that start and end by themselves. */
@Module({ providers: [ActivitiesService, ActivityHandlers], exports: [ActivitiesService] })
export class ActivitiesModule {}
