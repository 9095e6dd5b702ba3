import { inputFields } from "../input/input-shape.js";
import { apiKeyChangesInput, apiKeyInput, revokeApiKeyInput, rotateApiKeyInput } from "../input/key-input.js";
import { API_KEY_FIELDS } from "../records/api-key.js";
import { deadGroup, deadGroupDetails, deadLetter } from "../records/dead-letter.js";
import { changedTask, dryRun, operationDetails, taskOperation } from "../records/operation.js";
import { claim, claimEnd, pulledTask } from "../records/queue.js";
import type { ExtendedForm } from "../shapes/shape.js";
import type { CodeFile, CodeType } from "./type-script.js";

/** Operations on many tasks as code sees them. */
export const OPERATION_VIEWS: CodeFile = {
  imports: {},
  names: {},
  types: [
    {
      name: "OperationFields",
      generics: ["Instant"],
      text: "An operation on many tasks as every edge shows it.",
      form: taskOperation.form,
    },
    {
      name: "UndoReachFields",
      text: "What an undo would find now; null: it cannot be undone.",
      form: { undoReach: (operationDetails.form as ExtendedForm).fields.undoReach! },
    },
    {
      name: "ChangedTaskFields",
      generics: ["Instant"],
      text: "A task that an operation has changed.",
      form: changedTask.form,
    },
    {
      name: "DryRunFields",
      generics: ["Instant"],
      text: "What an operation would do now, as every edge shows it.",
      form: dryRun.form,
    },
  ],
};

/** Claims of consumers as code sees them. */
export const CLAIM_VIEWS: CodeFile = {
  imports: {},
  names: { PulledTask: "PulledTaskFields<Payload, Instant>" },
  types: [
    {
      name: "PulledTaskFields",
      generics: ["Payload", "Instant"],
      text: "A task as its consumer gets it, as every edge shows it.",
      form: pulledTask.form,
    },
    {
      name: "ClaimFields",
      generics: ["Payload", "Instant"],
      text: "A claim as every edge shows it.",
      form: claim.form,
    },
    {
      name: "ClaimEndFields",
      generics: ["Instant"],
      text: "What became of a claim's task, as every edge shows it.",
      form: claimEnd.form,
    },
  ],
};

/** Dead tasks by cause as code sees them. */
export const DEAD_LETTER_VIEWS: CodeFile = {
  imports: {},
  names: { DeadLetter: "DeadLetterFields<Instant>" },
  types: [
    {
      name: "DeadLetterFields",
      generics: ["Instant"],
      text: "A dead task as every edge shows it beside its cause.",
      form: deadLetter.form,
    },
    {
      name: "DeadGroupFields",
      generics: ["Instant"],
      text: "The dead tasks of a type with one cause, as every edge shows them.",
      form: deadGroup.form,
    },
    {
      name: "DeadGroupDetailFields",
      generics: ["Instant"],
      text: "What is told of one cause besides.",
      form: (deadGroupDetails.form as ExtendedForm).fields,
    },
  ],
};

/** API keys as code sees them. */
export const API_KEY_VIEWS: CodeFile = {
  imports: {},
  names: {},
  types: [
    {
      name: "ApiKeyFields",
      generics: ["Instant"],
      text: "An API key as every edge shows it: never its text.",
      form: API_KEY_FIELDS,
    },
  ],
};

/** What is given of API keys. */
export const API_KEY_INPUTS: readonly CodeType[] = [
  {
    name: "ApiKeyInput",
    text: "An API key that is to be made.",
    form: inputFields(apiKeyInput),
    usual: "Default: none.",
  },
  {
    name: "ApiKeyChangesInput",
    text: "What is changed of an API key.",
    form: inputFields(apiKeyChangesInput),
    usual: "Default: as it is.",
  },
  {
    name: "RotateApiKeyInput",
    text: "How an API key is rotated.",
    form: inputFields(rotateApiKeyInput),
    usual: "Default: none.",
  },
  {
    name: "RevokeApiKeyInput",
    text: "How an API key is revoked.",
    form: inputFields(revokeApiKeyInput),
    usual: "Default: none.",
  },
];
