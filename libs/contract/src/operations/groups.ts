import { BATCH_OPERATIONS } from "./batch-operations.js";
import { CLUSTER_OPERATIONS } from "./cluster-operations.js";
import { DEAD_OPERATIONS } from "./dead-operations.js";
import { KEY_OPERATIONS } from "./key-operations.js";
import { MANY_OPERATIONS } from "./many-operations.js";
import type { Group } from "./operation.js";
import { HEALTH_OPERATIONS, SESSION_OPERATIONS } from "./other-operations.js";
import { PAGE_SESSION_OPERATIONS } from "./page-session-operations.js";
import { QUEUE_OPERATIONS } from "./queue-operations.js";
import { SCHEDULE_OPERATIONS } from "./schedule-operations.js";
import { SETTING_OPERATIONS } from "./setting-operations.js";
import { TASK_OPERATIONS } from "./task-operations.js";

/** All calls of the API. */
export const GROUPS: readonly Group[] = [
  TASK_OPERATIONS,
  SCHEDULE_OPERATIONS,
  BATCH_OPERATIONS,
  QUEUE_OPERATIONS,
  MANY_OPERATIONS,
  DEAD_OPERATIONS,
  SETTING_OPERATIONS,
  CLUSTER_OPERATIONS,
  KEY_OPERATIONS,
  PAGE_SESSION_OPERATIONS,
  SESSION_OPERATIONS,
  HEALTH_OPERATIONS,
];
