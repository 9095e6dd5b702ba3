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

/** What `DelayTaskService.find` looks for; all of it must hold. */
export interface TaskFilterInput {
  type?: string;
  key?: string;
  states?: readonly TaskState[];
  /** True: tasks that have not ended; false: those that have. Default: both. */
  live?: boolean;
  /** One of the task's tags. No index has them: a list that finds few of them may be `incomplete`. */
  tag?: string;
  /** Epoch milliseconds. */
  scheduledFrom?: number;
  /** Epoch milliseconds, exclusive. */
  scheduledTo?: number;
  /** 1 … 200; default 50. */
  limit?: number;
  /** The `next` of the page before. */
  after?: string;
}

/**
 * Checks a {@link TaskFilterInput}. Its type is written by hand: what is made of the rules would reach callers as
 * `any`.
 */
export const taskFilterInput = inputObject({
  type: field<string>(typeRule).optional(),
  key: field<string>(textRule(1, 256)).optional(),
  states: field<readonly TaskState[]>(statesRule).optional(),
  live: field<boolean>(flagRule).optional(),
  tag: field<string>(tagRule).optional(),
  scheduledFrom: field<number>(numberRule).optional(),
  scheduledTo: field<number>(numberRule).optional(),
  limit: field<number>(integerRule, minRule(1), maxRule(MAX_PAGE)).default(DEFAULT_PAGE),
  after: field<string>(cursorRule).optional(),
}) satisfies z.ZodType<unknown, TaskFilterInput>;
