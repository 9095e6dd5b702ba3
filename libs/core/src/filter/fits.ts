import { fingerprintOf } from "../errors/fingerprint.js";
import type { TaskOutcome } from "../reports/task-outcomes.js";
import { isInTab } from "../reports/task-tabs.js";
import { type EpochMs, type Task, type TaskState, TASK_STATES, TERMINAL_STATES } from "../task/task.js";
import {
  type FilterState,
  isBeginning,
  type JoinedConditions,
  listOf,
  STATES_OF_WORD,
  type TaskConditions,
} from "./task-filter.js";

/** What a filter looks at of a task. */
export type FilteredTask = Pick<
  Task,
  | "id"
  | "type"
  | "state"
  | "key"
  | "keyLive"
  | "tags"
  | "batchId"
  | "createdAt"
  | "scheduledAt"
  | "dueAt"
  | "startedAt"
  | "finishedAt"
  | "priority"
  | "attempt"
  | "lastError"
  | "errorPrint"
  | "reason"
  | "createdBy"
> & {
  /** The label of the node that runs the task, or that ran it last, also one that waits again; null: none did. */
  lastNode: string | null;
  /** The name of the schedule whose run it is, or was; null: of none. */
  schedule: string | null;
  /** What became of it by the operations that remember it, by their ids. */
  outcomes: ReadonlyMap<string, TaskOutcome>;
};

/**
 * Whether a task is meant by a filter that has been checked.
 *
 * @param now what `overdue` is judged by
 */
export function fits(task: FilteredTask, filter: JoinedConditions, now: EpochMs): boolean {
  return (
    hasValues(task, filter) &&
    !isNegated(task, filter) &&
    (filter.states === undefined || filter.states.some((state) => isInState(task, state, now))) &&
    (filter.live === undefined || isLive(task) === filter.live) &&
    RANGES.every((range) => isWithin(range, task, filter)) &&
    (filter.also === undefined || fits(task, filter.also, now))
  );
}

function hasValues(task: FilteredTask, filter: TaskConditions): boolean {
  return (
    (filter.type === undefined || isOfTypes(task, filter.type)) &&
    (filter.key === undefined || task.key === filter.key) &&
    (filter.keyPrefix === undefined || task.key?.startsWith(filter.keyPrefix) === true) &&
    listOf(filter.tag).every((tag) => task.tags.includes(tag)) &&
    (filter.id === undefined || listOf(filter.id).includes(task.id)) &&
    (filter.batch === undefined || task.batchId === filter.batch) &&
    (filter.schedule === undefined || task.schedule === filter.schedule) &&
    (filter.operation === undefined || isOfOperation(task, filter)) &&
    (filter.node === undefined || task.lastNode === filter.node) &&
    (filter.error === undefined || hasError(task, filter.error)) &&
    (filter.fingerprint === undefined || hasPrint(task, filter.fingerprint)) &&
    (filter.reason === undefined || hasReason(task, filter.reason)) &&
    (filter.createdBy === undefined || listOf(filter.createdBy).includes(task.createdBy))
  );
}

function isOfOperation({ outcomes }: FilteredTask, { operation, outcome }: TaskConditions): boolean {
  const became = outcomes.get(operation!);
  return became !== undefined && (outcome === undefined || listOf(outcome).includes(became));
}

function isNegated(task: FilteredTask, { not = {} }: TaskConditions): boolean {
  return (
    isOfTypes(task, not.type) ||
    listOf(not.tag).some((tag) => task.tags.includes(tag)) ||
    (not.node !== undefined && task.lastNode === not.node) ||
    (not.error !== undefined && hasError(task, not.error)) ||
    hasReason(task, not.reason) ||
    listOf(not.createdBy).includes(task.createdBy)
  );
}

function isOfTypes({ type }: FilteredTask, names: TaskConditions["type"]): boolean {
  return listOf(names).some((name) => (isBeginning(name) ? type.startsWith(name.slice(0, -1)) : type === name));
}

function hasReason({ reason }: FilteredTask, reasons: TaskConditions["reason"]): boolean {
  return reason !== null && listOf(reasons).includes(reason);
}

function hasError({ lastError }: FilteredTask, part: string): boolean {
  return lastError?.toLowerCase().includes(part.toLowerCase()) === true;
}

function hasPrint({ errorPrint }: FilteredTask, fingerprints: TaskConditions["fingerprint"]): boolean {
  return errorPrint !== null && listOf(fingerprints).includes(fingerprintOf(errorPrint));
}

/** A keyed task is live while it holds its key; an unkeyed one until it ends. */
function isLive({ key, keyLive, state }: FilteredTask): boolean {
  return key === null ? !TERMINAL_STATES.includes(state) : keyLive;
}

function isInState(task: FilteredTask, state: FilterState, now: EpochMs): boolean {
  if (state === "overdue" || state === "failing") return isInTab(state, task, now);
  return statesOfWord(state).includes(task.state);
}

interface Range {
  of(task: FilteredTask): number | null;
  ends(filter: TaskConditions): { from: number | undefined; to: number | undefined };
  /** Whether its end belongs to it. */
  isClosed?: true;
}

const RANGES: readonly Range[] = [
  { of: (task) => task.createdAt, ends: (filter) => ({ from: filter.createdFrom, to: filter.createdTo }) },
  { of: (task) => task.scheduledAt, ends: (filter) => ({ from: filter.scheduledFrom, to: filter.scheduledTo }) },
  { of: (task) => task.dueAt, ends: (filter) => ({ from: filter.dueFrom, to: filter.dueTo }) },
  { of: (task) => task.startedAt, ends: (filter) => ({ from: filter.startedFrom, to: filter.startedTo }) },
  { of: (task) => task.finishedAt, ends: (filter) => ({ from: filter.finishedFrom, to: filter.finishedTo }) },
  {
    of: (task) => task.priority,
    ends: (filter) => ({ from: filter.priorityFrom, to: filter.priorityTo }),
    isClosed: true,
  },
  {
    of: (task) => task.attempt,
    ends: (filter) => ({ from: filter.attemptFrom, to: filter.attemptTo }),
    isClosed: true,
  },
];

function isWithin(range: Range, task: FilteredTask, filter: TaskConditions): boolean {
  const { from, to } = range.ends(filter);
  if (from === undefined && to === undefined) return true;
  const value = range.of(task);
  if (value === null || (from !== undefined && value < from)) return false;
  return to === undefined || value < to || (range.isClosed === true && value === to);
}

/** The states of tasks that a word of a filter means. */
export function statesOfWord(word: FilterState): readonly TaskState[] {
  return word in STATES_OF_WORD ? STATES_OF_WORD[word as keyof typeof STATES_OF_WORD] : [word as TaskState];
}

/**
 * The states in which a task can fit, in the order of {@link TASK_STATES}. A live task waits or runs. A task that is
 * not live may, too: it may have lost its key while it runs.
 */
export function possibleStates({ states, live }: Pick<TaskConditions, "states" | "live">): readonly TaskState[] {
  const named = new Set((states ?? TASK_STATES).flatMap((state) => statesOfWord(state)));
  return TASK_STATES.filter((state) => named.has(state) && !(live === true && TERMINAL_STATES.includes(state)));
}
