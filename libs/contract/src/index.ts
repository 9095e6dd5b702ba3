export {
  batchInput,
  type BatchInput,
  batchNameRule,
  batchTaskFaults,
  type BatchTaskKind,
  type DeadlineInput,
  MAX_MEMBERS_OF_CALL,
  membersInput,
} from "./input/batch-input.js";
export { claimInput, completeInput, extendInput, failInput, MAX_GRAPHQL_CLAIM_WAIT_MS } from "./input/claim-input.js";
export type {
  ApiKeyChangesInput,
  ApiKeyInput,
  BackfillInput,
  BackoffFields,
  BackoffInput,
  DeliverFields,
  DeliverInput,
  NamespaceChangesInput,
  OccurrenceInput,
  PauseInput,
  RateInput,
  RevokeApiKeyInput,
  RotateApiKeyInput,
  ScheduleRulesInput,
  TaskChangesInput,
  TypeChangesInput,
} from "./input/given.generated.js";
export { idempotencyFaults } from "./input/idempotency-input.js";
export { checkInput, readCall, requireInput } from "./input/input-check.js";
export { errorOfFaults, MAX_FAULTS, throwFaults } from "./input/input-faults.js";
export { type InputRule, isContainer, oneOfRule, parseUrl, textRule } from "./input/input-rules.js";
export { isoInstant } from "./input/iso-instant.js";
export { payloadText, WrittenPayload } from "./input/payload-input.js";
export { MAX_PAYLOAD_DEPTH } from "./input/payload-limits.js";
export { NO_PAYLOAD } from "./input/payload-value.js";
export {
  backfillInput,
  backfillOf,
  type CheckedScheduleInput,
  RULE_NAMES,
  scheduleInput,
  triggerInput,
} from "./input/schedule-input.js";
export { namespaceChangesInput } from "./input/limit-input.js";
export { apiKeyChangesInput, apiKeyInput, revokeApiKeyInput, rotateApiKeyInput } from "./input/key-input.js";
export { keyPauseInput, MAX_TYPE_CONCURRENCY, pauseInput, typeChangesInput } from "./input/setting-input.js";
export { ownTags } from "./input/tags-input.js";
export { roleFaults, workerTypesFaults } from "./input/worker-input.js";
export { bulkInput, MAX_BULK, MAX_IDS, taskIdsInput, taskTagInput } from "./input/task-ids-input.js";
export {
  type BackoffSetting,
  isGiven,
  taskChangesInput,
  taskInput,
  type TaskInput,
  taskKeyInput,
  waitInput,
} from "./input/task-input.js";
export { askedOperationFilter, type OperationFilterInput } from "./queries/operation-filter.js";
export {
  type CheckedOperation,
  operationInput,
  operationReasonInput,
  shiftOf,
  undoInput,
} from "./queries/operation-input.js";
export { INPUTS } from "./input/inputs.js";
export { deadCursorOf } from "./queries/dead-queries.js";
export {
  batchFilterInput,
  deadLetterFilterInput,
  journalInput,
  memberFilterInput,
  previewInput,
  scheduleFilterInput,
  scheduleRunsInput,
} from "./queries/filters.js";
export { askedTasksIn, taskFilter } from "./queries/task-filter-input.js";
export type { AskedTasks } from "./queries/task-queries.js";
export type {
  BatchFilterInput,
  DeadLetterFilterInput,
  JournalInput,
  MemberFilterInput,
  OperationInput,
  PreviewInput,
  ScheduleFilterInput,
  ScheduleRunsInput,
  TaskFilterInput,
  SpreadInput,
  TaskFilterNot,
  UndoInput,
} from "./queries/filters.generated.js";
export { DEFAULT_PREVIEW, MAX_PREVIEW } from "./queries/other-queries.js";
export { DEFAULT_PAGE, MAX_PAGE } from "./queries/parameters.js";
