/** What the lists of tasks by tab take and answer. */

export const taskTabs = ["overdue", "running", "scheduled", "paused", "failing", "dead", "finished"] as const;
export type TaskTab = (typeof taskTabs)[number];

/** The states of the tasks in the tab `finished`. */
export const finishedStates = ["succeeded", "cancelled", "expired"] as const;
export type FinishedState = (typeof finishedStates)[number];

/** What a list of tasks leaves out. Every field but `due` and `created` is a filter of the API as it is. */
export interface TaskFilter {
  readonly type?: string;
  readonly key?: string;
  readonly tag?: string;
  /** The label of the node that runs the task or ran it last. */
  readonly node?: string;
  /** A part of the last error. */
  readonly error?: string;
  /** A stretch of time, as `time/span.ts` reads it. */
  readonly due?: string;
  /** The same. */
  readonly created?: string;
  /** In the tab `finished`; any other tab shows one state alone. */
  readonly state?: FinishedState;
}

export interface TabCount {
  readonly count: number;
  /** Counting ended there. */
  readonly atLeast?: true;
}

/** How many tasks each tab has, at most ten seconds ago. */
export type TabCounts = Readonly<Record<TaskTab, TabCount>> & { readonly countedAt: string };
