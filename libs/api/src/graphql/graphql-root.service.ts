import { Injectable } from "@nestjs/common";
import { BatchApiService } from "../batches/batch-api.service.js";
import { FigureApiService } from "../cluster/figure-api.service.js";
import { ScheduleApiService } from "../schedules/schedule-api.service.js";
import { TaskApiService } from "../tasks/task-api.service.js";
import type { RootFields } from "./graphql-fields.js";
import { batchFields, clusterFields, scheduleFields, taskFields } from "./graphql-root.js";

/** The root of every query and mutation. Each field does what REST does, by the same service. */
@Injectable()
export class GraphqlRoot {
  readonly fields: RootFields;

  constructor(
    tasks: TaskApiService,
    schedules: ScheduleApiService,
    batches: BatchApiService,
    figures: FigureApiService,
  ) {
    this.fields = {
      ...taskFields(tasks, figures),
      ...scheduleFields(schedules),
      ...batchFields(batches),
      ...clusterFields(tasks, figures),
    };
  }
}
