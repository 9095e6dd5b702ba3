export {
  type ApiKeyChangesInput,
  type ApiKeyInput,
  type RevokeApiKeyInput,
  type RotateApiKeyInput,
  askedTasksIn,
  type AskedTasks,
  type BackfillInput,
  type BackoffInput,
  type BackoffSetting,
  type BatchFilterInput,
  batchInput,
  type DeadlineInput,
  DEFAULT_PAGE,
  DEFAULT_PREVIEW,
  type DeliverFields,
  type DeliverInput,
  errorOfFaults,
  idempotencyFaults,
  type InputRule,
  INPUTS,
  isContainer,
  isoInstant,
  journalInput,
  type JournalInput,
  MAX_FAULTS,
  MAX_IDS,
  MAX_MEMBERS_OF_CALL,
  MAX_PAGE,
  MAX_PREVIEW,
  type MemberFilterInput,
  membersInput,
  type NamespaceChangesInput,
  type DeadLetterFilterInput,
  deadLetterFilterInput,
  type OperationFilterInput,
  type OperationInput,
  type OccurrenceInput,
  oneOfRule,
  type PauseInput,
  type PreviewInput,
  type RateInput,
  readCall,
  requireInput,
  type ScheduleFilterInput,
  type ScheduleRulesInput,
  type ScheduleRunsInput,
  type TaskChangesInput,
  taskFilter,
  type TaskFilterInput,
  type TaskFilterNot,
  taskInput,
  taskKeyInput,
  waitInput,
  textRule,
  throwFaults,
  type TypeChangesInput,
  type UndoInput,
} from "@tickwheel/contract";
export { ApiKeyCalls, type ApiKeyList, type MadeApiKey, noApiKey } from "./cases/api-key-calls.js";
export { SessionCalls } from "./cases/session-calls.js";
export { type AddedToBatch, BatchCalls, type MembersOfBatch, type ResultOfMember } from "./cases/batch-calls.js";
export { type Caller, type CallOptions, type CallPorts } from "./cases/caller.js";
export { DeadLetterCalls, type DeadLetterList, noDeadLetters } from "./cases/dead-letter-calls.js";
export {
  type ChangedTaskList,
  OperationCalls,
  type OperationList,
  type TriedOperation,
} from "./cases/operation-calls.js";
export { type BackfillOutcome, ScheduleCalls, type ScheduleRunPage } from "./cases/schedule-calls.js";
export {
  type NamedPause,
  type NamespaceOutcome,
  type PauseOutcome,
  type PausesPage,
  SettingCalls,
  type SettingOutcome,
  type TypeOutcome,
} from "./cases/setting-calls.js";
export { type FoundTask, TaskCalls, type TaskName } from "./cases/task-calls.js";
export {
  type DeadGroupDetailsView,
  type DeadGroupView,
  type ShownDeadGroups,
  toDeadGroupDetailsView,
  toDeadGroups,
} from "./dead-letters/dead-letter-view.js";
export type {
  DeadGroupDetailFields,
  DeadGroupFields,
  DeadLetterFields,
} from "./dead-letters/dead-letter-view.generated.js";
export { hashApiKey, newApiKey } from "./keys/api-key-text.js";
export type { ApiKeyFields } from "./keys/api-key-view.generated.js";
export { type ApiKeyView, toApiKeyView } from "./keys/api-key-view.js";
export { announcedOf } from "./payloads/announced-payload.js";
export { AnnouncedSchemas } from "./payloads/announced-schemas.js";
export type { PayloadClass } from "./payloads/class-schema.js";
export { maskedJson } from "./payloads/masked-json.js";
export { PayloadCheck } from "./payloads/payload-check.js";
export type { AnySchema, PayloadSchema, SchemaInput, SchemaOutput } from "./payloads/payload-schema.js";
export { type PayloadRules, readPayload } from "./payloads/read-payload.js";
export type { BatchOptions } from "./requests/batch-options.generated.js";
export type { BatchFields, FollowUpView } from "./requests/batch-view.generated.js";
export { type BatchView, toBatchView } from "./requests/batch-view.js";
export {
  type ChangedTaskView,
  type DryRunView,
  type OperationDetailsView,
  type OperationView,
  toChangedTaskView,
  toDryRunView,
  toOperationView,
  toReachView,
} from "./operations/operation-view.js";
export type {
  ChangedTaskFields,
  DryRunFields,
  OperationFields,
  UndoReachFields,
} from "./operations/operation-view.generated.js";
export { bodyHash, canonicalOf } from "./requests/body-hash.js";
export type { TaskItemResult } from "./requests/bulk-answers.js";
export { type BulkCaller, BulkCheck, type ItemRejection } from "./requests/bulk-check.js";
export { callOf } from "./requests/call-parameters.js";
export {
  defineTask,
  type InputOf,
  type PayloadOf,
  type FieldsGivenTo,
  type GivenTo,
  type SchemaTaskOptions,
  type TaskDefaults,
  type TaskDefinition,
} from "./requests/define-task.js";
export { joinedTransaction } from "./requests/joined-transaction.js";
export { eachOf } from "./requests/many.js";
export { type TaskDetails, toBecauseView, toReportView } from "./requests/report-view.js";
export { toScheduleRequest } from "./requests/schedule-request.js";
export type {
  BackfillFields,
  PreviewFields,
  ScheduleBackoff,
  ScheduleFields,
  ScheduleRunFields,
} from "./requests/schedule-view.generated.js";
export {
  type ScheduleRunView,
  type ScheduleView,
  toBackfillView,
  toPreviewView,
  toRunView,
  toBackoffView,
  toScheduleView,
} from "./requests/schedule-view.js";
export type { BreakerStanding, NamespaceStanding, SettingStanding, TypeStanding } from "./settings/setting-standing.js";
export type {
  LimitsFields,
  NamespaceStandingFields,
  PauseFields,
  TypeStandingFields,
} from "./settings/setting-view.generated.js";
export {
  type NamespaceStandingView,
  toNamespaceView,
  toPauseView,
  toStandingView,
  type TypeStandingView,
} from "./settings/setting-view.js";
export type {
  AtMostOne,
  DueOptions,
  FollowUpItem,
  CancelOptions,
  ManagerOption,
  MemberItem,
  MergeOf,
  PayloadOrNull,
  TaskItem,
  TaskOptions,
} from "./requests/task-options.js";
export { noTask, pausedTask } from "./requests/task-replies.js";
export { dueOf, inputOfCall, lastingInput, toTaskRequest, typeOf } from "./requests/task-request.js";
export type {
  BecauseFields,
  CancelledItem,
  CancelledTask,
  DeliveryFields,
  JournalEntryFields,
  LatenessPartsFields,
  ReportFields,
  RetriedItem,
  TakenFromFields,
  TaskFields,
  TaskResult,
} from "./requests/task-view.generated.js";
export {
  asDate,
  type JournalEntryView,
  resultOf,
  type TaskView,
  toJournalView,
  toTaskView,
} from "./requests/task-view.js";
export { type ConnectionPool, hearConnectionErrors } from "./transactions/connection-errors.js";
export { drizzleTransactions } from "./transactions/drizzle-transactions.js";
export { kyselyTransactions } from "./transactions/kysely-transactions.js";
export { pgTransactions } from "./transactions/pg-transactions.js";
export { prismaTransactions } from "./transactions/prisma-transactions.js";
export type { TransactionAdapter } from "./transactions/transaction-adapter.js";
export { typeormTransactions } from "./transactions/typeorm-transactions.js";
export { type Claimed, QueueCalls } from "./cases/queue-calls.js";
export { toClaim } from "./queues/claim-view.js";
export type { ClaimEndFields, ClaimFields } from "./queues/claim-view.generated.js";
