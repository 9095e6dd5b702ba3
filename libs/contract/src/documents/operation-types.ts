import { inputFields } from "../input/input-shape.js";
import { apiKeyChangesInput, apiKeyInput, revokeApiKeyInput, rotateApiKeyInput } from "../input/key-input.js";
import { API_KEY_FIELDS } from "../records/api-key.js";
import { deadGroup, deadGroupDetails, deadLetter } from "../records/dead-letter.js";
import { changedTask, dryRun, operationDetails, taskOperation } from "../records/operation.js";
import { claim, claimEnd, pulledTask } from "../records/queue.js";
import { limits, NAMESPACE_STANDING, pause, TYPE_STANDING, typeBreaker } from "../records/setting.js";
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

/** What people set as code sees it. */
export const SETTING_VIEWS: CodeFile = {
  imports: {},
  names: { Pause: "PauseFields<Instant>", Limits: "LimitsFields", TypeBreaker: "BreakerFields<Instant>" },
  types: [
    {
      name: "PauseFields",
      generics: ["Instant"],
      text: "What keeps tasks of a type, a namespace or a key from starting, as every edge shows it.",
      form: pause.form,
    },
    {
      name: "LimitsFields",
      text: "What may run of a type or a namespace in the whole cluster, and what does.",
      form: limits.form,
    },
    {
      name: "BreakerFields",
      generics: ["Instant"],
      text: "The breaker of a type whose attempts fail, as every edge shows it.",
      form: typeBreaker.form,
    },
    {
      name: "TypeStandingFields",
      generics: ["Instant"],
      text: "How a type stands by what people have set, as every edge shows it.",
      form: TYPE_STANDING,
    },
    {
      name: "NamespaceStandingFields",
      generics: ["Instant"],
      text: "How a namespace stands by what people have set, as every edge shows it.",
      form: NAMESPACE_STANDING,
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
