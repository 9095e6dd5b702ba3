import type { InputRule } from "./input-rules.js";
import { field, inputObject } from "./input-schema.js";

/** The most ids of one call. */
export const MAX_IDS = 1_000;

const idsRule: InputRule = (value) =>
  Array.isArray(value) && value.length <= MAX_IDS && value.every((id) => typeof id === "string")
    ? null
    : `must be a list of at most ${MAX_IDS} ids`;

/** Names tasks by their ids. One that no task can have is no fault: there is no such task. */
export const taskIdsInput = inputObject({ ids: field<readonly string[]>(idsRule) });
