import { isTaskId, TASK_STATES, type TaskState } from "@tickwheel/core";
import * as z from "zod";
import { type InputRule, integerRule, maxRule, minRule, numberRule, textRule, typeRule } from "./input-rules.js";
import { field, inputObject } from "./input-schema.js";
import { tagRule } from "./tags-input.js";

/** The most items of one page. */
export const MAX_PAGE = 200;
export const DEFAULT_PAGE = 50;

const flagRule: InputRule = (value) => (typeof value === "boolean" ? null : "must be true or false");
const statesRule: InputRule = (value) =>
  Array.isArray(value) && value.every((state) => (TASK_STATES as readonly unknown[]).includes(state))
    ? null
    : `must be a list of ${TASK_STATES.join(", ")}`;
const cursorRule: InputRule = (value) => (isTaskId(value) ? null : "must be a cursor that this list gave");

/** What `DelayTaskService.find` looks for. */
export const taskFilterInput = inputObject({
  type: field<string>(typeRule).optional(),
  key: field<string>(textRule(1, 256)).optional(),
  states: field<readonly TaskState[]>(statesRule).optional(),
  live: field<boolean>(flagRule).optional(),
  /** One of the task's tags. */
  tag: field<string>(tagRule).optional(),
  /** Epoch milliseconds. */
  scheduledFrom: field<number>(numberRule).optional(),
  /** Epoch milliseconds, exclusive. */
  scheduledTo: field<number>(numberRule).optional(),
  limit: field<number>(integerRule, minRule(1), maxRule(MAX_PAGE)).default(DEFAULT_PAGE),
  /** The `next` of the page before. */
  after: field<string>(cursorRule).optional(),
});
export type TaskFilterInput = z.input<typeof taskFilterInput>;
