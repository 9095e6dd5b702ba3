import type { TaskOutcome } from "../reports/task-outcomes.js";
import type { TaskTab } from "../reports/task-tabs.js";
import type { NamespaceReader } from "../task/namespace-reader.js";
import { type EpochMs, TASK_STATES, type TaskState, TERMINAL_STATES, type TerminalReason } from "../task/task.js";

/** The longest text that {@link TaskConditions.error} may be, in characters. */
export const MAX_ERROR_FILTER = 200;

/**
 * Words for states of tasks, besides the states themselves. `overdue`: scheduled, and its next try is due. `failing`:
 * scheduled again after an attempt that failed. `waiting`: scheduled or paused. `ended`: terminal.
 */
export const STATE_WORDS = ["overdue", "failing", "waiting", "ended"] as const;
export const FILTER_STATES = [...TASK_STATES, ...STATE_WORDS] as const;
export type FilterState = (typeof FILTER_STATES)[number];

/** The states that a task may have which a word of a filter means. */
export const STATES_OF_WORD: Readonly<Record<(typeof STATE_WORDS)[number], readonly TaskState[]>> = {
  overdue: ["scheduled"],
  failing: ["scheduled"],
  waiting: ["scheduled", "paused"],
  ended: TERMINAL_STATES,
};

/** A single value stands for a list of one. */
export type OneOrMore<Value> = Value | readonly Value[];

/** The list that one or more values are; absent: an empty one. */
export function listOf<Value extends string>(values: OneOrMore<Value> | undefined): readonly Value[] {
  if (values === undefined) return [];
  return typeof values === "string" ? [values] : values;
}

/** Whether a name of a type stands for all that begin so: it ends with `*`, which no type's name does. */
export function isBeginning(name: string): boolean {
  return name.endsWith("*");
}

/** The only type that a filter lets in, by its whole name; null: there may be more. */
export function oneTypeOf({ type }: { readonly type?: OneOrMore<string> }): string | null {
  const [name, ...more] = listOf(type);
  return name === undefined || more.length > 0 || isBeginning(name) ? null : name;
}

/**
 * Which tasks are meant: those for which every field holds that is given. A list holds if one of its values does, but
 * for `tag`. `…From` is the first instant that belongs, `…To` the first that belongs no more; a task without the
 * instant is left out by both. For `priority` and `attempt`, both ends belong to the range. What each field means and
 * takes is told by `FILTER_FIELDS`.
 *
 * @example { type: ["mail.*"], states: ["failing"], not: { tag: "vip" } }
 */
export interface Conditions<Instant> {
  states?: readonly FilterState[];
  type?: OneOrMore<string>;
  key?: string;
  keyPrefix?: string;
  live?: boolean;
  tag?: OneOrMore<string>;
  id?: OneOrMore<string>;
  batch?: string;
  schedule?: string;
  operation?: string;
  outcome?: OneOrMore<TaskOutcome>;
  createdFrom?: Instant;
  createdTo?: Instant;
  scheduledFrom?: Instant;
  scheduledTo?: Instant;
  /** For a paused task: as it was when it was paused. */
  dueFrom?: Instant;
  dueTo?: Instant;
  startedFrom?: Instant;
  startedTo?: Instant;
  finishedFrom?: Instant;
  finishedTo?: Instant;
  priorityFrom?: number;
  priorityTo?: number;
  attemptFrom?: number;
  attemptTo?: number;
  node?: string;
  error?: string;
  fingerprint?: OneOrMore<string>;
  reason?: OneOrMore<TerminalReason>;
  createdBy?: OneOrMore<string>;
  /** What must not hold. A task without a value fits; of several values, none may hold. */
  not?: NegatedConditions;
}

/** Fields as of {@link Conditions}. */
export interface NegatedConditions {
  type?: OneOrMore<string>;
  /** The task has none of these. */
  tag?: OneOrMore<string>;
  node?: string;
  error?: string;
  reason?: OneOrMore<TerminalReason>;
  createdBy?: OneOrMore<string>;
}

/** What has been checked, with instants in milliseconds. */
export type TaskConditions = Conditions<EpochMs>;

/** A filter that was said twice over: in fields, and in a line beside them. */
export interface JoinedConditions extends TaskConditions {
  /** What must hold besides. */
  also?: TaskConditions;
}

/**
 * An instant as people give it: a `Date`, milliseconds since 1970, ISO 8601 (`2026-11-24T06:00:00Z`), a day
 * (`2026-11-24`: its beginning), a time of today (`06:00`, `06:00:10`), or a duration (`15m`, `2h30m`, `7d`). A
 * duration is an age where something has happened (`created`, `started`, `finished`), and a time to go where it lies
 * ahead (`due`, `scheduled`; with `-` before it: since when it is over).
 */
export type TimePoint = EpochMs | Date | string;

/** A filter as people give it, not checked yet; see `checkFilter`. */
export interface TaskFilterInput extends Conditions<TimePoint> {
  /** The same as `states`, of which only one may be given. */
  state?: OneOrMore<FilterState>;
}

/** Which tasks of a namespace a list shows. */
export interface TaskFilter extends NamespaceReader, JoinedConditions {
  /** Only this tab's tasks, in its order. Default: all, newest id first. */
  tab?: TaskTab;
  /** 1 … 200. */
  limit: number;
  /** The cursor from which to go on: the `next` of a page of the same order. */
  after?: string;
  /**
   * The page ends with the task that reaches so many bytes, see `bytesOf`; at least one task is on it. Default 2 MiB.
   */
  maxBytes?: number;
}
