import { isTaskId } from "../ids/is-task-id.js";
import type { EpochMs, Task, TaskState } from "../task/task.js";

/**
 * Lists of tasks by what is the matter with them. Each has an order of its own, given here, and shows only tasks in its
 * states. `overdue`: due and not started, longest overdue first. `running`: longest running first. `scheduled`: not due
 * yet, next first. `paused`: first the one that was created first. `failing`: scheduled again after an attempt that
 * failed, next try first; snoozing alone is no failure. `dead`: newest death first. `finished`: succeeded, cancelled or
 * expired, newest day (UTC) of the end first, within a day the one that was created last.
 */
export const TASK_TABS = ["overdue", "running", "scheduled", "paused", "failing", "dead", "finished"] as const;
export type TaskTab = (typeof TASK_TABS)[number];

/** Where a task stands in a tab's order. */
export interface TabPlace {
  /** The instant that the tab orders by; 0 where it orders by id alone. */
  at: EpochMs;
  /** Orders tasks of one instant. */
  id: string;
}

const DAY_MS = 86_400_000;

interface TabRule {
  /** The states of its tasks. */
  states: readonly TaskState[];
  /** Whether later instants, and among equal ones higher ids, come first. */
  isNewestFirst: boolean;
  at(task: Pick<Task, "dueAt" | "claimedAt" | "finishedAt">): EpochMs;
}

/** What each tab shows and how it is ordered. */
export const TAB_RULES: Readonly<Record<TaskTab, TabRule>> = {
  overdue: { states: ["scheduled"], isNewestFirst: false, at: ({ dueAt }) => dueAt },
  running: { states: ["running"], isNewestFirst: false, at: ({ claimedAt }) => claimedAt ?? 0 },
  scheduled: { states: ["scheduled"], isNewestFirst: false, at: ({ dueAt }) => dueAt },
  paused: { states: ["paused"], isNewestFirst: false, at: () => 0 },
  failing: { states: ["scheduled"], isNewestFirst: false, at: ({ dueAt }) => dueAt },
  dead: { states: ["dead"], isNewestFirst: true, at: ({ finishedAt }) => finishedAt ?? 0 },
  finished: {
    states: ["succeeded", "cancelled", "expired"],
    isNewestFirst: true,
    at: ({ finishedAt }) => startOfDay(finishedAt ?? 0),
  },
};

/** The beginning of an instant's day in UTC. */
export function startOfDay(at: EpochMs): EpochMs {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/** Where the task stands in a tab that shows it. */
export function tabPlaceOf(tab: TaskTab, task: Pick<Task, "id" | "dueAt" | "claimedAt" | "finishedAt">): TabPlace {
  return { at: TAB_RULES[tab].at(task), id: task.id };
}

/** Below 0: `one` stands before `other` in the tab's order. */
export function comparePlaces(tab: TaskTab, one: TabPlace, other: TabPlace): number {
  const ascending = one.at - other.at || (one.id === other.id ? 0 : one.id < other.id ? -1 : 1);
  return TAB_RULES[tab].isNewestFirst ? -ascending : ascending;
}

/**
 * Whether the tab shows the task at `now`.
 *
 * @example
 *   isInTab("overdue", { state: "scheduled", dueAt: 5, attempt: 0, lastError: null }, 5); // true
 */
export function isInTab(
  tab: TaskTab,
  { state, dueAt, attempt, lastError }: Pick<Task, "state" | "dueAt" | "attempt" | "lastError">,
  now: EpochMs,
): boolean {
  if (!TAB_RULES[tab].states.includes(state)) return false;
  if (tab === "overdue") return dueAt <= now;
  if (tab === "scheduled") return dueAt > now;
  return tab !== "failing" || attempt > 0 || lastError !== null;
}

/** The cursor of a place: the list goes on behind it. Only {@link readTabCursor} knows its form. */
export function tabCursor(tab: TaskTab, { at, id }: TabPlace): string {
  return `${tab}.${at}.${id}`;
}

/** Null: this tab gave no such cursor. Its instant lies within the years that every store can compare. */
export function readTabCursor(tab: TaskTab, cursor: string): TabPlace | null {
  const [of, at, id, ...more] = cursor.split(".");
  if (of !== tab || more.length > 0 || at === undefined || id === undefined) return null;
  if (!/^(0|-?[1-9]\d{0,13})$/.test(at) || !isTaskId(id)) return null;
  if (tab === "finished" && Number(at) % DAY_MS !== 0) return null;
  return { at: Number(at), id: id.toLowerCase() };
}
