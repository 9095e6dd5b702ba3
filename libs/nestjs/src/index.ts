export { openTracing, type TracingOptions } from "@tickwheel/observability";
export {
  type HalfOpenRange,
  MAX_PAYLOAD_BYTES,
  MAX_RANGES,
  NonRetryableError,
  type RangeCut,
  RetryAtError,
  shownText,
  splitRange,
  type NamedEvent,
  type TaskDeadEvent,
  type TaskFailedEvent,
  type TelemetryEvent,
  TickwheelError,
} from "@tickwheel/core";
export { dayBefore, dayIn, type InstantRange } from "@tickwheel/schedules";
export { bodyHash, ListHash } from "./requests/body-hash.js";
export * from "./requests/batch-options.js";
export * from "./requests/batch-request.js";
export * from "./requests/batch-view.js";
export * from "./requests/bulk-answers.js";
export { type BulkCaller, BulkCheck, type CheckedItem, checkTask, type ItemRejection } from "./requests/bulk-check.js";
export * from "./requests/define-task.js";
export { AnnouncedSchemas } from "./payloads/announced-schemas.js";
export { PayloadCheck } from "./payloads/payload-check.js";
export type { AnySchema, PayloadSchema, SchemaInput, SchemaOutput } from "./payloads/payload-schema.js";
export type { PayloadClass } from "./payloads/class-schema.js";
export type { PayloadRules } from "./payloads/read-payload.js";
export { checkEdited, checkTriggered } from "./module/changed-payloads.js";
export { inParallel } from "./requests/many.js";
export * from "./requests/task-options.js";
export * from "./requests/task-replies.js";
export {
  ClusterCron,
  ClusterInterval,
  type ClusterIntervalOptions,
  type CodeScheduleOptions,
} from "./handlers/cluster-cron.decorators.js";
export type { DelayTaskAround, NextAround } from "./handlers/around.js";
export * from "./handlers/delay-task.decorators.js";
export * from "./module/delay-task.health.js";
export { DelayTaskModule, type OpenNode, TICKWHEEL_OPTIONS } from "./module/delay-task.module.js";
export * from "./module/tokens.js";
export { DelayTaskNode } from "./node/delay-task.node.js";
export { assembleNode } from "./node/assemble-node.js";
export { NestTelemetry } from "./node/nest-telemetry.js";
export type { NodeGround, NodeStores } from "./node/node-ground.js";
export { openDelayTaskNode, openStores, schemaMigration } from "./node/open-node.js";
export * from "./node/delay-task.options.js";
export { FULL_SWEEP_INTERVAL_NAME, TICKWHEEL_SCHEDULER_REGISTRY } from "./module/delay-task.orchestrator.js";
export { type AddedMembers, DelayBatches, type MemberResult } from "./module/delay-batches.js";
export { DelaySchedules, type NewSchedule } from "./module/delay-schedules.js";
export * from "./module/delay-task.service.js";
export * from "./requests/schedule-request.js";
export * from "./requests/schedule-view.js";
export {
  type BatchFilterInput,
  batchInput,
  type DeadlineInput,
  MAX_MEMBERS_OF_CALL,
  type MemberFilterInput,
  membersInput,
} from "./input/batch-input.js";
export {
  pauseInput,
  type PreviewInput,
  DEFAULT_PREVIEW,
  MAX_PREVIEW,
  backfillInput,
  type BackfillInput,
  backfillOf,
  type ScheduleFilterInput,
  type ScheduleRulesInput,
  type ScheduleRunsInput,
  type OccurrenceInput,
  triggerInput,
} from "./input/schedule-input.js";
export * from "./input/input-check.js";
export { errorOfFaults, MAX_FAULTS, throwFaults } from "./input/input-faults.js";
export { drizzleTransactions } from "./transactions/drizzle-transactions.js";
export { kyselyTransactions } from "./transactions/kysely-transactions.js";
export { pgTransactions } from "./transactions/pg-transactions.js";
export { prismaTransactions } from "./transactions/prisma-transactions.js";
export type { TransactionAdapter } from "./transactions/transaction-adapter.js";
export { isoInstant } from "./input/iso-instant.js";
export { parseInstant, textRule } from "./input/input-rules.js";
export { MAX_PAYLOAD_DEPTH } from "./input/payload-limits.js";
export { DELAY_TASK_OPTION_NAMES } from "./node/option-rules.js";
export { deliverFaults, dueOf, toTaskRequest } from "./requests/task-request.js";
export { DEFAULT_PAGE, type JournalInput, MAX_PAGE, type TaskFilterInput } from "./input/task-filter-input.js";
export { MAX_IDS, taskIdsInput } from "./input/task-ids-input.js";
export * from "./input/task-input.js";
export * from "./requests/report-view.js";
export * from "./requests/task-view.js";
export * from "./requests/traced-create.js";
