export { openTracing, type TracingOptions } from "@tickwheel/observability";
export {
  duration,
  type Duration,
  type DurationInput,
  type HalfOpenRange,
  MAX_PAYLOAD_BYTES,
  MAX_RANGES,
  type NamedEvent,
  NonRetryableError,
  type RangeCut,
  RetryAtError,
  type ShiftInput,
  splitRange,
  type TaskDeadEvent,
  type TaskFailedEvent,
  type TelemetryEvent,
  TickwheelError,
} from "@tickwheel/core";
export {
  BrokerAwayError,
  type BrokerConnection,
  type BrokerMessage,
  type BrokerTarget,
  PublishRefusedError,
} from "@tickwheel/executors";
export { dayBefore, dayIn, type InstantRange } from "@tickwheel/schedules";
export {
  type AnySchema,
  type ApiKeyChangesInput,
  type ApiKeyInput,
  type ApiKeyView,
  type RotateApiKeyInput,
  type BackfillFields,
  type BackfillInput,
  type BackoffInput,
  type BackoffSetting,
  type BatchFilterInput,
  type BatchOptions,
  type BatchView,
  type CancelledItem,
  type CancelledTask,
  type CancelOptions,
  type ChangedTaskView,
  type DeadlineInput,
  defineTask,
  type DeliverInput,
  drizzleTransactions,
  type DryRunView,
  type FollowUpItem,
  type FollowUpView,
  type InputOf,
  type ItemRejection,
  type JournalEntryView,
  type JournalInput,
  kyselyTransactions,
  type LatenessPartsFields,
  type LimitsFields,
  type ManagerOption,
  MAX_IDS,
  MAX_MEMBERS_OF_CALL,
  MAX_PAGE,
  type MemberFilterInput,
  type MemberItem,
  type NamespaceChangesInput,
  type NamespaceStandingView,
  type OccurrenceInput,
  type OperationFilterInput,
  type OperationInput,
  type OperationView,
  type PauseFields,
  type PauseInput,
  type PayloadClass,
  type PayloadOf,
  type PayloadRules,
  type PayloadSchema,
  pgTransactions,
  type PreviewFields,
  type PreviewInput,
  prismaTransactions,
  type RateInput,
  type RetriedItem,
  type ScheduleBackoff,
  type ScheduleFilterInput,
  type ScheduleRulesInput,
  type ScheduleRunsInput,
  type ScheduleRunView,
  type ScheduleView,
  type SchemaInput,
  type SchemaOutput,
  type SchemaTaskOptions,
  type TakenFromFields,
  type TaskChangesInput,
  type TaskDefaults,
  type TaskDefinition,
  type TaskDetails,
  taskFilter,
  type TaskFilterInput,
  type TaskFilterNot,
  type TaskItem,
  type TaskItemResult,
  type TaskOptions,
  type TaskResult,
  type TaskView,
  type TransactionAdapter,
  type TypeChangesInput,
  type TypeStandingView,
  type UndoInput,
} from "@tickwheel/calls";
export {
  migrate,
  type MigrateOptions,
  type TaskTrigger,
  taskTrigger,
  type TriggerMigration,
} from "@tickwheel/postgres-store";
export type { RedisCluster, RedisSource } from "@tickwheel/redis-coordination";
export { type CodeIntervalOptions, type CodeScheduleOptions } from "./handlers/code-schedule.js";
export type { DelayTaskAround, NextAround } from "./handlers/around.js";
export type { DelayTask, DelayTaskContext, SpawnItem } from "./handlers/delay-task.js";
export type { HandlerOptions } from "./handlers/node-handler.js";
export type { NodeLogger } from "./log/node-logger.js";
export type { DelayTaskNodeOptions } from "./node/node-options.js";
export { type ChangedTaskFilter, DelayOperations, type OperationFilter } from "./faces/delay-operations.js";
export { type ApiKeyFilter, DelayApiKeys, type NewApiKey } from "./faces/delay-api-keys.js";
export { type DeadGroupsPage, DelayDeadLetters } from "./faces/delay-dead-letters.js";
export { type AddedMembers, DelayBatches, type MemberResult } from "./faces/delay-batches.js";
export { DelayKeys, DelayNamespace, DelayTypes, type SettingResult } from "./faces/delay-settings.js";
export { DelaySchedules, type NewSchedule } from "./faces/delay-schedules.js";
export * from "./faces/delay-task.service.js";
export { type DelayTaskReads } from "./faces/delay-task-reads.js";
export { type ScheduledTask } from "./faces/scheduled-task.js";
export * from "./faces/task-shapes.js";
export { createNode, type CreateNodeOptions } from "./plain/create-node.js";
export { type TaskHandler, TickwheelNode } from "./plain/tickwheel-node.js";
