import {
  BATCH_OPERATIONS,
  CLUSTER_OPERATIONS,
  DEAD_OPERATIONS,
  KEY_OPERATIONS,
  MANY_OPERATIONS,
  PAGE_SESSION_OPERATIONS,
  QUEUE_OPERATIONS,
  SCHEDULE_OPERATIONS,
  SETTING_OPERATIONS,
  TASK_OPERATIONS,
} from "@tickwheel/contract/operations";
import { MAX_GRAPHQL_CLAIM_WAIT_MS, throwFaults } from "@tickwheel/contract";
import { bytesOf } from "@tickwheel/core";
import type { ApiKeyApiService } from "../api-keys/api-key-api.service.js";
import type { SessionApiService } from "../api-keys/session-api.service.js";
import type { BatchApiService } from "../batches/batch-api.service.js";
import type { ClusterApiService } from "../cluster/cluster-api.service.js";
import type { DeadLetterApiService } from "../dead-letters/dead-letter-api.service.js";
import type { OperationApiService } from "../operations/operation-api.service.js";
import type { QueueApiService, ShownClaims } from "../queues/queue-api.service.js";
import type { ScheduleApiService } from "../schedules/schedule-api.service.js";
import type { SettingApiService } from "../settings/setting-api.service.js";
import type { TaskApiService } from "../tasks/task-api.service.js";
import type { DetailedTask, ShownTask } from "../tasks/task-json.js";
import { type FieldForms, fieldsOf, inTurn, pageInTurn, type RootFields, spending } from "./graphql-fields.js";

/** The services that answer. */
export interface Services {
  tasks: TaskApiService;
  schedules: ScheduleApiService;
  batches: BatchApiService;
  operations: OperationApiService;
  deadLetters: DeadLetterApiService;
  queues: QueueApiService;
  settings: SettingApiService;
  keys: ApiKeyApiService;
  sessions: SessionApiService;
  cluster: ClusterApiService;
}

const ofTask = spending(sizeOf);
const withTask = spending(sizeWithin);

/** All that hold tasks go one after the other, and share the budget of the answer. */
const TASKS: FieldForms<typeof TASK_OPERATIONS.rows, TaskApiService> = {
  create: withTask,
  createMany: (resolve) => inTurn(async (call) => (await resolve(call)).results),
  cancelByKey: withTask,
  pauseByKey: ofTask,
  resumeByKey: ofTask,
  cancelMany: spending(),
  cancelByTag: spending(),
  retryMany: spending(),
  find: pageInTurn,
  get: ofTask,
  edit: ofTask,
  cancel: withTask,
  runNow: ofTask,
  pause: ofTask,
  resume: ofTask,
  retry: ofTask,
};

const SCHEDULES: FieldForms<typeof SCHEDULE_OPERATIONS.rows, ScheduleApiService> = {
  schedules: pageInTurn,
  schedule: spending(({ payload }) => payload.length),
};

const BATCHES: FieldForms<typeof BATCH_OPERATIONS.rows, BatchApiService> = { addMembers: inTurn, members: pageInTurn };

/**
 * What is claimed spends of the budget: nothing is where that is spent. A wait holds the whole answer, so it is short.
 */
const QUEUES: FieldForms<typeof QUEUE_OPERATIONS.rows, QueueApiService> = {
  claim: (resolve) => {
    const spend = spending<ShownClaims>(({ claims }) => sum(claims.map(({ task: { payload } }) => payload.length)))(
      resolve,
    );
    return async (call) => {
      const { waitMs } = Object(call.body) as { waitMs?: unknown };
      if (typeof waitMs === "number" && waitMs > MAX_GRAPHQL_CLAIM_WAIT_MS)
        throwFaults([{ path: "waitMs", message: `must be at most ${MAX_GRAPHQL_CLAIM_WAIT_MS}` }]);
      return spend(call);
    };
  },
};

/** Every field of the roots, each by the service that REST has. */
export function rootFields({
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
}: Services): RootFields {
  return {
    ...fieldsOf(TASK_OPERATIONS, tasks, TASKS),
    ...fieldsOf(SCHEDULE_OPERATIONS, schedules, SCHEDULES),
    ...fieldsOf(BATCH_OPERATIONS, batches, BATCHES),
    ...fieldsOf(MANY_OPERATIONS, operations, {}),
    ...fieldsOf(DEAD_OPERATIONS, deadLetters, {}),
    ...fieldsOf(QUEUE_OPERATIONS, queues, QUEUES),
    ...fieldsOf(SETTING_OPERATIONS, settings, {}),
    ...fieldsOf(KEY_OPERATIONS, keys, {}),
    ...fieldsOf(PAGE_SESSION_OPERATIONS, sessions, {}),
    ...fieldsOf(CLUSTER_OPERATIONS, cluster, {}),
  };
}

/** What a task takes of the budget, with what its handler has told last. */
function sizeOf(task: ShownTask & Partial<Pick<DetailedTask, "checkpoint">>): number {
  const told = task.checkpoint ? JSON.stringify(task.checkpoint.state).length : 0;
  return told + bytesOf({ ...task, delivery: task.deliver });
}

function sum(lengths: readonly number[]): number {
  return lengths.reduce((all, length) => all + length, 0);
}

function sizeWithin({ task }: { task?: ShownTask }): number {
  return task ? sizeOf(task) : 0;
}
