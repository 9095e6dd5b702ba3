import { namespaceChangesInput } from "../input/limit-input.js";
import { keyPauseInput, pauseInput, typeChangesInput } from "../input/setting-input.js";
import { taskKeyInput } from "../input/task-input.js";
import { pausesQuery } from "../queries/other-queries.js";
import {
  namespaceChange,
  namespaceDetails,
  pauseChange,
  pausePage,
  typeChange,
  typeDetails,
} from "../records/setting.js";
import { string } from "../shapes/parts.js";
import { group } from "./operation.js";

const OF_TYPE = { 200: typeChange, 202: typeChange };
const OF_NAMESPACE = { 200: namespaceChange, 202: namespaceChange };
const OF_PAUSE = { 200: pauseChange, 202: pauseChange };

/** What people set at run time, and every node obeys. */
export const SETTING_OPERATIONS = group({
  tag: "Settings",
  text: "Pauses types, keys and the namespace, and sets how many tasks of a type or of the namespace run, and how often they start. A change is answered when every node obeys it (200); or after 10 s (`settingsAnswerMs`), with the nodes that do not yet (202): it is made all the same.",
  path: { type: string("The type's name.") },
  rows: {
    pauseType: {
      summary: "Pauses a type: none of its tasks starts, what runs goes on",
      role: "operator",
      rest: "POST /v1/types/:type/pause",
      body: pauseInput,
      answers: OF_TYPE,
      errors: ["TYPE_NOT_FOUND"],
      repeat: "same",
      graphql: { mutation: "pauseType", body: "spread" },
    },
    resumeType: {
      summary: "Ends the pause of a type; what became due meanwhile starts, the oldest first",
      role: "operator",
      rest: "POST /v1/types/:type/resume",
      answers: OF_TYPE,
      errors: ["TYPE_NOT_FOUND"],
      repeat: "same",
      graphql: { mutation: "resumeType" },
    },
    updateType: {
      summary:
        "Sets how many tasks of a type run at once and how often they start, and how long those that have ended are kept",
      role: "operator",
      rest: "PATCH /v1/types/:type",
      body: typeChangesInput,
      answers: OF_TYPE,
      errors: ["TYPE_NOT_FOUND"],
      repeat: "same",
      graphql: { mutation: "updateType" },
    },
    closeBreaker: {
      summary: "Closes the breaker of a type: its tasks start again on all nodes",
      role: "operator",
      rest: "POST /v1/types/:type/breaker/close",
      answers: { 200: typeDetails },
      errors: ["TYPE_NOT_FOUND"],
      repeat: "same",
      graphql: { mutation: "closeBreaker" },
    },
    pauseKey: {
      summary: "Pauses a key of a type, also for tasks that get it later",
      role: "operator",
      rest: "POST /v1/keys/pause",
      body: keyPauseInput,
      answers: OF_PAUSE,
      errors: ["TYPE_NOT_FOUND"],
      repeat: "same",
      graphql: { mutation: "pauseKey", body: "spread" },
    },
    resumeKey: {
      summary: "Ends the pause of a key",
      role: "operator",
      rest: "POST /v1/keys/resume",
      body: taskKeyInput,
      answers: OF_PAUSE,
      errors: ["TYPE_NOT_FOUND"],
      repeat: "same",
      graphql: { mutation: "resumeKey", body: "spread" },
    },
    pauseNamespace: {
      summary: "Pauses all types of the namespace, those too that are made later",
      role: "admin",
      rest: "POST /v1/namespace/pause",
      body: pauseInput,
      answers: OF_PAUSE,
      repeat: "same",
      graphql: { mutation: "pauseNamespace", body: "spread" },
    },
    resumeNamespace: {
      summary: "Ends the pause of the namespace; types and keys that are paused by themselves stay so",
      role: "admin",
      rest: "POST /v1/namespace/resume",
      answers: OF_PAUSE,
      repeat: "same",
      graphql: { mutation: "resumeNamespace" },
    },
    updateNamespace: {
      summary: "Sets how many tasks of the namespace run at once in the whole cluster, and how often they start",
      role: "admin",
      rest: "PATCH /v1/namespace",
      body: namespaceChangesInput,
      answers: OF_NAMESPACE,
      repeat: "same",
      graphql: { mutation: "updateNamespace" },
    },
    namespace: {
      summary: "Shows the limits of the namespace, how full they are, and its pause",
      role: "viewer",
      rest: "GET /v1/namespace",
      answers: { 200: namespaceDetails },
      repeat: "reads",
      graphql: { query: "namespace" },
    },
    pauses: {
      summary: "Lists what is paused in the namespace: itself, types and keys",
      role: "viewer",
      rest: "GET /v1/pauses",
      query: pausesQuery,
      answers: { 200: pausePage },
      repeat: "reads",
      graphql: { query: "pauses" },
    },
  },
});
