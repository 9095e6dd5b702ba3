import { isOccurrence } from "../task/occurrence-key.js";
import { MAX_TAGS, MAX_TAGS_BYTES, tagsBytes } from "../task/tags.js";
import type { Task, TaskState } from "../task/task.js";
import type { OperationAction, OperationOptions, OperationPlan } from "./operation.js";

/** What an action does to which tasks. The statements of the store say the same in SQL; a test holds them together. */
export interface ActionRule {
  /** What it does to a task, as the end of "It …". */
  text: string;
  /** The states in which a task can be changed. All others are left, and not counted. */
  states: readonly TaskState[];
  /** Whether it may have a rate: its tasks run because of it. */
  isPaced: boolean;
  /** Whether it leaves occurrences of schedules alone: their schedule says when they run. */
  sparesOccurrences: boolean;
  /** What it needs besides. Default: nothing. */
  needs?: "move" | "tag";
}

const ENDED: readonly TaskState[] = ["succeeded", "dead", "cancelled", "expired"];

export const ACTION_RULES: Readonly<Record<OperationAction, ActionRule>> = {
  cancel: {
    text: "cancels those that wait, and asks those that run to stop",
    states: ["paused", "scheduled", "running"],
    isPaced: false,
    sparesOccurrences: false,
  },
  retry: {
    text: "makes those that have ended due now, with new attempts, and those that wait after a failed attempt due now",
    states: ["scheduled", ...ENDED],
    isPaced: true,
    sparesOccurrences: false,
  },
  restore: {
    text: "schedules those that have ended again, for the time they were scheduled for",
    states: ENDED,
    isPaced: true,
    sparesOccurrences: false,
  },
  reschedule: {
    text: "gives those that wait another due time",
    states: ["paused", "scheduled"],
    isPaced: false,
    sparesOccurrences: true,
    needs: "move",
  },
  run_now: {
    text: "makes those that are scheduled due now",
    states: ["scheduled"],
    isPaced: true,
    sparesOccurrences: true,
  },
  pause: {
    text: "pauses those that are scheduled",
    states: ["scheduled"],
    isPaced: false,
    sparesOccurrences: true,
  },
  resume: {
    text: "resumes those that are paused",
    states: ["paused"],
    isPaced: false,
    sparesOccurrences: false,
  },
  discard: {
    text: "takes dead ones away: they end cancelled, reason `DISCARDED`",
    states: ["dead"],
    isPaced: false,
    sparesOccurrences: false,
  },
  add_tag: {
    text: "adds a tag to those that wait or are dead",
    states: ["paused", "scheduled", "dead"],
    isPaced: false,
    sparesOccurrences: false,
    needs: "tag",
  },
  remove_tag: {
    text: "takes a tag from those that wait or are dead",
    states: ["paused", "scheduled", "dead"],
    isPaced: false,
    sparesOccurrences: false,
    needs: "tag",
  },
};

/** What an action looks at of a task. */
export type ActedTask = Pick<Task, "state" | "key" | "tags" | "attempt" | "lastError" | "cancelRequestedAt">;

/** Whether an action changes such a task, whatever its filter says. */
export function isActedOn(task: ActedTask, { action, options }: Pick<OperationPlan, "action" | "options">): boolean {
  const { states, sparesOccurrences } = ACTION_RULES[action];
  if (!states.includes(task.state)) return false;
  if (sparesOccurrences && isOccurrence(task)) return false;
  return CONDITIONS[action]?.(task, options) ?? true;
}

type Condition = (task: ActedTask, options: OperationOptions) => boolean;

const CONDITIONS: Partial<Record<OperationAction, Condition>> = {
  cancel: ({ cancelRequestedAt }) => cancelRequestedAt === null,
  retry: ({ state, attempt, lastError }) => state !== "scheduled" || attempt > 0 || lastError !== null,
  add_tag: ({ tags }, { tag }) =>
    tags.length < MAX_TAGS && tagsBytes([...tags, tag!]) <= MAX_TAGS_BYTES && !tags.includes(tag!),
  remove_tag: ({ tags }, { tag }) => tags.includes(tag!),
};
