import { claimInput, completeInput, extendInput, failInput } from "./claim-input.js";
import { batchInput, membersInput } from "./batch-input.js";
import { backfillInput, scheduleInput, triggerInput } from "./schedule-input.js";
import { apiKeyChangesInput, apiKeyInput, revokeApiKeyInput, rotateApiKeyInput } from "./key-input.js";
import { namespaceChangesInput, rateInput } from "./limit-input.js";
import { keyPauseInput, pauseInput, typeChangesInput } from "./setting-input.js";
import { bulkInput, taskIdsInput, taskTagInput } from "./task-ids-input.js";
import { backoffInput, deliverInput, taskChangesInput, taskInput, taskKeyInput } from "./task-input.js";

/** Every input by the name that it has in the documents. */
export const INPUTS = {
  BackoffInput: backoffInput,
  DeliverInput: deliverInput,
  TaskInput: taskInput,
  TaskChangesInput: taskChangesInput,
  TaskKeyInput: taskKeyInput,
  TaskIdsInput: taskIdsInput,
  TaskTagInput: taskTagInput,
  BulkInput: bulkInput,
  ScheduleInput: scheduleInput,
  PauseInput: pauseInput,
  KeyPauseInput: keyPauseInput,
  RateInput: rateInput,
  TypeChangesInput: typeChangesInput,
  NamespaceChangesInput: namespaceChangesInput,
  ApiKeyInput: apiKeyInput,
  ApiKeyChangesInput: apiKeyChangesInput,
  RotateApiKeyInput: rotateApiKeyInput,
  RevokeApiKeyInput: revokeApiKeyInput,
  ScheduleTriggerInput: triggerInput,
  ScheduleBackfillInput: backfillInput,
  BatchInput: batchInput,
  MembersInput: membersInput,
  ClaimInput: claimInput,
  ExtendInput: extendInput,
  CompleteInput: completeInput,
  FailInput: failInput,
};
