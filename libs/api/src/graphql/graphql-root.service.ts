import { Injectable } from "@nestjs/common";
import { ApiKeyApiService } from "../api-keys/api-key-api.service.js";
import { SessionApiService } from "../api-keys/session-api.service.js";
import { BatchApiService } from "../batches/batch-api.service.js";
import { ClusterApiService } from "../cluster/cluster-api.service.js";
import { DeadLetterApiService } from "../dead-letters/dead-letter-api.service.js";
import { OperationApiService } from "../operations/operation-api.service.js";
import { QueueApiService } from "../queues/queue-api.service.js";
import { ScheduleApiService } from "../schedules/schedule-api.service.js";
import { SettingApiService } from "../settings/setting-api.service.js";
import { TaskApiService } from "../tasks/task-api.service.js";
import type { RootFields } from "./graphql-fields.js";
import { rootFields } from "./graphql-root.js";

/** The root of every query and mutation. Each field does what REST does, by the same service. */
@Injectable()
export class GraphqlRoot {
  readonly fields: RootFields;

  constructor(
    tasks: TaskApiService,
    schedules: ScheduleApiService,
    batches: BatchApiService,
    operations: OperationApiService,
    deadLetters: DeadLetterApiService,
    queues: QueueApiService,
    settings: SettingApiService,
    keys: ApiKeyApiService,
    sessions: SessionApiService,
    cluster: ClusterApiService,
  ) {
    this.fields = rootFields({
      tasks,
      schedules,
      batches,
      operations,
      deadLetters,
      queues,
      settings,
      keys,
      sessions,
      cluster,
    });
  }
}
