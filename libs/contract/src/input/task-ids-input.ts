import { id, list } from "../shapes/parts.js";
import { type InputRule, typeRule } from "./input-rules.js";
import { field, inputObject } from "./input-schema.js";
import { inputShape, named, said } from "./input-shape.js";
import { tagRule } from "./tags-input.js";
import { taskInput } from "./task-input.js";

/** The most ids of one call. */
export const MAX_IDS = 1_000;
/** The most tasks of one bulk call. */
export const MAX_BULK = 10_000;

const idsRule: InputRule = (value) =>
  Array.isArray(value) && value.length <= MAX_IDS && value.every((id) => typeof id === "string")
    ? null
    : `must be a list of at most ${MAX_IDS} ids`;

const bulkRule: InputRule = (value) =>
  Array.isArray(value) && value.length <= MAX_BULK ? null : `must be a list of at most ${MAX_BULK} tasks`;

/** Names tasks by their ids. One that no task can have is no fault: there is no such task. */
export const taskIdsInput = inputObject({
  ids: said(field<readonly string[]>(idsRule), "Their ids.", { shape: () => list(id(), { maxItems: MAX_IDS }) }),
});
named("TaskIdsInput", taskIdsInput);

/** Names the live tasks of a tag. */
export const taskTagInput = inputObject({
  tag: said(field<string>(tagRule), "Their tag."),
  type: said(field<string>(typeRule).nullish(), "Only tasks of this type. Default: of any."),
});
named("TaskTagInput", taskTagInput);

/** Tasks that are made by one call. They are checked one by one, with the rules of a task. */
export const bulkInput = inputObject({
  tasks: said(field<readonly unknown[]>(bulkRule), "One bad item does not stop the rest.", {
    shape: () => list(inputShape(taskInput), { maxItems: MAX_BULK }),
  }),
});
named("BulkInput", bulkInput);
