import { BROKER_KINDS } from "@tickwheel/core";
import {
  batchFilterInput,
  deadLetterFilterInput,
  journalInput,
  memberFilterInput,
  previewInput,
  scheduleFilterInput,
  scheduleRunsInput,
} from "../queries/filters.js";
import { NEGATED_FIELDS, taskFilterInput } from "../queries/task-filter-input.js";
import { batchInput } from "../input/batch-input.js";
import { fieldsOf, inputFields } from "../input/input-shape.js";
import { backfillInput, OCCURRENCE, SCHEDULE_RULES } from "../input/schedule-input.js";
import { namespaceChangesInput, rateInput } from "../input/limit-input.js";
import { pauseInput, typeChangesInput } from "../input/setting-input.js";
import { operationInput, spreadInput, undoInput } from "../queries/operation-input.js";
import { backoffInput, deliverInput, taskChangesInput, taskInput } from "../input/task-input.js";
import { followUpTask, batch } from "../records/batch.js";
import {
  previewedInstant,
  SCHEDULE_FIELDS,
  scheduleBackfill,
  scheduleBackoff,
  scheduleRun,
} from "../records/schedule.js";
import {
  cancelledItem,
  cancelOutcome,
  delivery,
  journalEntry,
  retriedItem,
  TASK_FIELDS,
  taskResult,
} from "../records/task.js";
import { because, latenessParts, REPORT_FIELDS, takenFrom } from "../records/task-parts.js";
import {
  API_KEY_INPUTS,
  API_KEY_VIEWS,
  CLAIM_VIEWS,
  DEAD_LETTER_VIEWS,
  OPERATION_VIEWS,
  SETTING_VIEWS,
} from "./operation-types.js";
import { type CodeFile, typeScriptOf } from "./type-script.js";

const CORE = { Json: "@tickwheel/core" };
/** What the objects that several answers hold are called in code. */
const NAMES = {
  Delivery: "DeliveryFields",
  FollowUp: "FollowUpView",
  LatenessParts: "LatenessPartsFields<Instant>",
  TakenFrom: "TakenFromFields<Instant>",
};

const TASK_VIEWS: CodeFile = {
  imports: CORE,
  names: { ...NAMES, Task: "View" },
  types: [
    {
      name: "TaskFields",
      generics: ["Payload", "Instant", "Result = Json"],
      text: "A task as every edge shows it: code with the values of its payload and result and with Dates, REST and GraphQL with their texts and with instants as ISO 8601 in UTC.",
      form: TASK_FIELDS,
    },
    { name: "DeliveryFields", text: "Where a task is sent.", form: delivery.form },
    {
      name: "LatenessPartsFields",
      generics: ["Instant"],
      text: "Where the lateness of a start went, in whole milliseconds that add up to it.",
      form: latenessParts.form,
    },
    {
      name: "TakenFromFields",
      generics: ["Instant"],
      text: "A node from which a task was taken over.",
      form: takenFrom.form,
    },
    {
      name: "ReportFields",
      generics: ["Instant"],
      text: "What a task's handler has told last, as every edge shows it beside one task. Lists leave it out.",
      form: REPORT_FIELDS,
    },
    {
      name: "BecauseFields",
      generics: ["Instant"],
      text: "Why a task stands as it does, as every edge shows it beside one task. Lists leave it out.",
      form: { because },
    },
    {
      name: "JournalEntryFields",
      generics: ["Instant"],
      text: "An entry of a journal as every edge shows it.",
      form: journalEntry.form,
    },
    {
      name: "TaskResult",
      generics: ["View = TaskFields<Json", "Date>"],
      text: "What became of a call for one task.",
      form: taskResult.form,
    },
    {
      name: "CancelledTask",
      generics: ["View = TaskFields<Json", "Date>"],
      text: "What became of a cancel. `cancel_requested`: it runs, and its handler is told; `too_late`: it has ended.",
      form: cancelOutcome.form,
    },
    {
      name: "CancelledItem",
      generics: ["View = TaskFields<Json", "Date>"],
      text: "What became of one of many ids that were cancelled.",
      form: cancelledItem.form,
    },
    {
      name: "RetriedItem",
      generics: ["View = TaskFields<Json", "Date>"],
      text: "What became of one of many ids that were retried. `state_conflict`: it has not finished; `key_conflict`: a live task has its key.",
      form: retriedItem.form,
    },
  ],
};

const SCHEDULE_VIEWS: CodeFile = {
  imports: { ...CORE, SkipReason: "@tickwheel/schedules", DeliveryFields: "./task-view.generated.js" },
  names: NAMES,
  types: [
    {
      name: "ScheduleFields",
      generics: ["Payload", "Instant"],
      text: "A schedule as every edge shows it. Durations are milliseconds. What is not told by the scheduler alone may be given again as it is, and changes nothing then.",
      form: SCHEDULE_FIELDS,
    },
    {
      name: "ScheduleBackoff",
      text: "The wait between attempts, in the form in which it may be given. Durations are milliseconds.",
      form: scheduleBackoff.form,
    },
    {
      name: "ScheduleRunFields",
      generics: ["Instant"],
      text: "A run of a schedule, or instants that were skipped. The newest instant first.",
      form: scheduleRun.form,
    },
    {
      name: "PreviewFields",
      generics: ["Instant"],
      text: "An instant that is to come, with what a change of the clock or an exclusion does to it.",
      form: previewedInstant.form,
    },
    {
      name: "BackfillFields",
      generics: ["Instant"],
      text: "What a backfill does, or would do.",
      form: scheduleBackfill.form,
    },
  ],
};

const BATCH_VIEWS: CodeFile = {
  imports: CORE,
  names: NAMES,
  types: [
    { name: "BatchFields", generics: ["Instant"], text: "A batch as every edge shows it.", form: batch.form },
    { name: "FollowUpView", text: "What a batch makes at its end.", form: followUpTask.form },
  ],
};

const NO_OTHER = "Default: none.";

/** Inputs that the contract publishes itself. */
const GIVEN: CodeFile = {
  imports: { ...CORE, DurationInput: "@tickwheel/core" },
  types: [
    {
      name: "BackoffFields",
      text: "What a wait between attempts is told by.",
      form: inputFields(backoffInput),
      narrowed: {
        name: "BackoffInput",
        to: [
          '| (Omit<BackoffFields, "delay"> & { kind: "fixed"; delay: DurationInput })',
          '| (Omit<BackoffFields, "delays"> & { kind: "ladder"; delays: readonly DurationInput[] })',
          '| (BackoffFields & { kind: "exponential" | "alipay" | "rocketmq" })',
        ],
        text: "The wait between attempts: `fixed` needs its `delay`, `ladder` its `delays`.",
      },
      usual: NO_OTHER,
    },
    {
      name: "TaskChangesInput",
      text: "What may be changed of a task that waits; at least one field.",
      form: inputFields(taskChangesInput),
      usual: "Default: as it is.",
    },
    {
      name: "DeliverFields",
      text: "What a delivery is told by.",
      form: inputFields(deliverInput),
      narrowed: {
        name: "DeliverInput",
        to: [
          '| (DeliverFields & { kind: "webhook"; url: string })',
          `| (DeliverFields & { kind: ${BROKER_KINDS.map((kind) => JSON.stringify(kind)).join(" | ")}; to: string })`,
          '| { kind: "pull" }',
        ],
        text: "How a task is delivered, where no handler of a node runs it.",
      },
      usual: NO_OTHER,
    },
    {
      name: "ScheduleRulesInput",
      text: "When a schedule runs: one of `cron`, `every` and `after`, and its policies. Null is as good as absent.",
      form: fieldsOf(SCHEDULE_RULES),
      usual: NO_OTHER,
    },
    { name: "OccurrenceInput", text: "Options of a schedule's tasks.", form: fieldsOf(OCCURRENCE), usual: NO_OTHER },
    {
      name: "BackfillInput",
      text: "Which instants of a schedule that passed are to run.",
      form: inputFields(backfillInput),
      usual: NO_OTHER,
    },
    {
      name: "PauseInput",
      text: "A pause of a type, a key or a namespace.",
      form: inputFields(pauseInput),
      usual: NO_OTHER,
    },
    {
      name: "RateInput",
      text: "How often tasks may start in the whole cluster.",
      form: inputFields(rateInput),
      usual: NO_OTHER,
    },
    {
      name: "TypeChangesInput",
      text: "What is set of a type at run time.",
      form: inputFields(typeChangesInput),
      usual: NO_OTHER,
    },
    ...API_KEY_INPUTS,
    {
      name: "NamespaceChangesInput",
      text: "What is set of a namespace at run time.",
      form: inputFields(namespaceChangesInput),
      usual: NO_OTHER,
    },
  ],
};

const ANY = "Default: any.";

const FILTERS: CodeFile = {
  imports: {
    FilterState: "@tickwheel/core",
    TaskOutcome: "@tickwheel/core",
    TerminalReason: "@tickwheel/core",
    DurationInput: "@tickwheel/core",
    ShiftInput: "@tickwheel/core",
    OperationFilterInput: "./operation-filter.js",
  },
  types: [
    {
      name: "TaskFilterInput",
      text: "What `DelayTaskService.find` looks for; all of it must hold.",
      form: inputFields(taskFilterInput),
      usual: ANY,
    },
    {
      name: "TaskFilterNot",
      text: "What must not hold of a task that `DelayTaskService.find` looks for.",
      form: NEGATED_FIELDS,
      usual: "Default: none.",
    },
    { name: "JournalInput", text: "Which page of a task's journal.", form: inputFields(journalInput), usual: ANY },
    {
      name: "ScheduleFilterInput",
      text: "Which schedules, and which page of them.",
      form: inputFields(scheduleFilterInput),
      usual: ANY,
    },
    {
      name: "ScheduleRunsInput",
      text: "Which page of a schedule's runs.",
      form: inputFields(scheduleRunsInput),
      usual: ANY,
    },
    { name: "PreviewInput", text: "Which of the next instants.", form: inputFields(previewInput), usual: ANY },
    {
      name: "BatchFilterInput",
      text: "Which batches, and which page of them. An empty list of states is as good as none.",
      form: inputFields(batchFilterInput),
      usual: ANY,
    },
    {
      name: "DeadLetterFilterInput",
      text: "Which causes of dead tasks, and which page of them.",
      form: inputFields(deadLetterFilterInput),
      usual: ANY,
    },
    {
      name: "OperationInput",
      text: "What an operation is to do to which tasks.",
      form: inputFields(operationInput),
      usual: NO_OTHER,
    },
    { name: "UndoInput", text: "How an operation is undone.", form: inputFields(undoInput), usual: NO_OTHER },
    {
      name: "SpreadInput",
      text: "Between which instants due times are spread.",
      form: inputFields(spreadInput),
      usual: NO_OTHER,
    },
    {
      name: "MemberFilterInput",
      text: "Which members of a batch, and which page of them. An empty list of states is as good as none.",
      form: inputFields(memberFilterInput),
      usual: ANY,
    },
  ],
};

const { type: _type, payload: _payload, ...taskOptions } = inputFields(taskInput);

const TASK_OPTIONS: CodeFile = {
  imports: {
    BackoffInput: "@tickwheel/contract",
    DeliverInput: "@tickwheel/contract",
    DurationInput: "@tickwheel/core",
  },
  types: [
    {
      name: "GivenTaskOptions",
      text: "What a task may be given beside its type and its payload. Null is as good as absent.",
      form: taskOptions,
      usual: NO_OTHER,
    },
  ],
};

const BATCH_OPTIONS: CodeFile = {
  imports: {
    ...CORE,
    DeadlineInput: "@tickwheel/contract",
    FollowUpItem: "./task-options.js",
    MemberItem: "./task-options.js",
  },
  types: [
    {
      name: "BatchOptions",
      generics: [
        "Payloads extends readonly (Json | object)[] = readonly (Json | object)[]",
        "Complete extends Json | object = Json | object",
        "Success extends Json | object = Json | object",
      ],
      text: "A batch as code makes it. Null is as good as absent.",
      form: inputFields(batchInput),
      usual: NO_OTHER,
    },
  ],
};

/** The types of code that are made of the contract, each file in the library that publishes them. */
export function codeTypeFiles(): Record<string, string> {
  return {
    "libs/contract/src/input/given.generated.ts": typeScriptOf(GIVEN),
    "libs/contract/src/queries/filters.generated.ts": typeScriptOf(FILTERS),
    "libs/calls/src/requests/task-options.generated.ts": typeScriptOf(TASK_OPTIONS),
    "libs/calls/src/requests/batch-options.generated.ts": typeScriptOf(BATCH_OPTIONS),
    "libs/calls/src/requests/task-view.generated.ts": typeScriptOf(TASK_VIEWS),
    "libs/calls/src/requests/schedule-view.generated.ts": typeScriptOf(SCHEDULE_VIEWS),
    "libs/calls/src/queues/claim-view.generated.ts": typeScriptOf(CLAIM_VIEWS),
    "libs/calls/src/settings/setting-view.generated.ts": typeScriptOf(SETTING_VIEWS),
    "libs/calls/src/requests/batch-view.generated.ts": typeScriptOf(BATCH_VIEWS),
    "libs/calls/src/keys/api-key-view.generated.ts": typeScriptOf(API_KEY_VIEWS),
    "libs/calls/src/operations/operation-view.generated.ts": typeScriptOf(OPERATION_VIEWS),
    "libs/calls/src/dead-letters/dead-letter-view.generated.ts": typeScriptOf(DEAD_LETTER_VIEWS),
  };
}
