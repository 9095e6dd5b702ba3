export { BATCH_OPERATIONS } from "./operations/batch-operations.js";
export { CLUSTER_OPERATIONS } from "./operations/cluster-operations.js";
export { DEAD_OPERATIONS } from "./operations/dead-operations.js";
export { GROUPS } from "./operations/groups.js";
export { KEY_OPERATIONS } from "./operations/key-operations.js";
export { MANY_OPERATIONS } from "./operations/many-operations.js";
export {
  addressOf,
  type AnswerOf,
  type BodyKind,
  type Group,
  isBodyOptional,
  isRead,
  type Operation,
  type Operations,
  placesOf,
  type QueryOf,
} from "./operations/operation.js";
export { HEALTH_OPERATIONS, SESSION_OPERATIONS } from "./operations/other-operations.js";
export { PAGE_SESSION_OPERATIONS } from "./operations/page-session-operations.js";
export { QUEUE_OPERATIONS } from "./operations/queue-operations.js";
export { SCHEDULE_OPERATIONS } from "./operations/schedule-operations.js";
export { SETTING_OPERATIONS } from "./operations/setting-operations.js";
export { TASK_OPERATIONS } from "./operations/task-operations.js";
export {
  batchQuery,
  eventQuery,
  forecastQuery,
  historyQuery,
  memberQuery,
  previewQuery,
  runsQuery,
  scheduleQuery,
  typesQuery,
} from "./queries/other-queries.js";
export { apiKeyQuery } from "./queries/key-queries.js";
export { changedTaskQuery, operationQuery } from "./queries/operation-queries.js";
export { type Query, readQuery, UNKNOWN_PARAMETER, type ValuesOf } from "./queries/query.js";
export { STREAM_TOPICS, streamQuery, type StreamTopic } from "./queries/stream-query.js";
export { askedTasksOf, journalQuery, taskQuery } from "./queries/task-queries.js";
export { inputShape } from "./input/input-shape.js";
export type { Shape } from "./shapes/shape.js";
