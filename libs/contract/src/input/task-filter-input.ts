import { isTaskId, MAX_ERROR_FILTER, TASK_STATES, type TaskState } from "@tickwheel/core";
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

const instantRule: InputRule = (value) =>
  numberRule(value instanceof Date ? value.getTime() : value) === null
    ? null
    : "must be an instant: a Date, or epoch milliseconds";
const instant = field<Date | number>(instantRule).transform((value) =>
  value instanceof Date ? value.getTime() : value,
);
const limit = field<number>(integerRule, minRule(1), maxRule(MAX_PAGE)).default(DEFAULT_PAGE);

/** What `DelayTaskService.find` looks for; all of it must hold. */
export interface TaskFilterInput {
  /** The name of their type. Default: any. */
  type?: string | undefined;
  /** Default: any key, or none. */
  key?: string | undefined;
  /** In one of these states. Default: in any. */
  states?: readonly TaskState[] | undefined;
  /** True: tasks that have not ended; false: those that have. Default: both. */
  live?: boolean | undefined;
  /** One of the task's tags; default: any. No index has them: a list that finds few may be `incomplete`. */
  tag?: string | undefined;
  /** Those that are scheduled for this instant or later; epoch milliseconds or a Date. Default: any. */
  scheduledFrom?: Date | number | undefined;
  /** Those that are scheduled for before this instant; epoch milliseconds or a Date. Default: any. */
  scheduledTo?: Date | number | undefined;
  /** Those whose next try is due at this instant or later; epoch milliseconds or a Date. Default: any. */
  dueFrom?: Date | number | undefined;
  /** Those whose next try is due before this instant; epoch milliseconds or a Date. Default: any. */
  dueTo?: Date | number | undefined;
  /** Those that were created at this instant or later; epoch milliseconds or a Date. Default: any. */
  createdFrom?: Date | number | undefined;
  /** Those that were created before this instant; epoch milliseconds or a Date. Default: any. */
  createdTo?: Date | number | undefined;
  /** The label (`ip:pid`) of the node that runs them, or that ran them last. Default: any, or none. */
  node?: string | undefined;
  /** 1 to 200 characters that their last error contains, in upper or lower case. Default: any error, or none. */
  error?: string | undefined;
  /** 1 … 200; default 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  after?: string | undefined;
}

/** Which page of a task's journal. */
export interface JournalInput {
  /** 1 … 200; default 50. */
  limit?: number | undefined;
  /** The `next` of the page before. Default: the first page. */
  after?: number | undefined;
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
  scheduledFrom: instant.optional(),
  scheduledTo: instant.optional(),
  dueFrom: instant.optional(),
  dueTo: instant.optional(),
  createdFrom: instant.optional(),
  createdTo: instant.optional(),
  node: field<string>(textRule(1, 256)).optional(),
  error: field<string>(textRule(1, MAX_ERROR_FILTER)).optional(),
  limit,
  after: field<string>(cursorRule).optional(),
}) satisfies z.ZodType<unknown, TaskFilterInput>;

/** Checks a {@link JournalInput}. */
export const journalInput = inputObject({
  limit,
  after: field<number>(integerRule, minRule(0)).optional(),
}) satisfies z.ZodType<unknown, JournalInput>;
