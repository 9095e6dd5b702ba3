import type { FieldName } from "@tickwheel/core/filter";
import type { TabCount, TaskTab } from "../api/wire.js";
import { formatCount } from "../time/format.js";

interface TabWords {
  readonly name: string;
  /** The state whose sign it has. */
  readonly mark: string;
  /** In which order the server lists it. */
  readonly order: string;
  /** What its tasks do, after their number: one of them, and more. */
  readonly are: readonly [one: string, more: string];
  /** Where it has no task. */
  readonly none: string;
  /** Having none is as it should be. */
  readonly isGoodEmpty: boolean;
  /** Besides those that matter everywhere, the fields that leave something to find. */
  readonly fields: readonly FieldName[];
}

/** What the page says of each tab. */
export const tabWords: Readonly<Record<TaskTab, TabWords>> = {
  overdue: {
    fields: ["due"],
    name: "Overdue",
    mark: "overdue",
    order: "Longest overdue first",
    isGoodEmpty: true,
    are: ["is overdue: due, and not started", "are overdue: due, and not started"],
    none: "Nothing is overdue",
  },
  running: {
    fields: ["started", "node"],
    name: "Running",
    mark: "running",
    order: "Longest running first",
    isGoodEmpty: false,
    are: ["runs", "run"],
    none: "Nothing runs",
  },
  scheduled: {
    fields: ["due"],
    name: "Scheduled",
    mark: "scheduled",
    order: "Next first",
    isGoodEmpty: false,
    are: ["is scheduled, and not due yet", "are scheduled, and not due yet"],
    none: "Nothing is scheduled",
  },
  paused: {
    fields: [],
    name: "Paused",
    mark: "paused",
    order: "First created first",
    isGoodEmpty: false,
    are: ["is paused: its countdown stands still", "are paused: their countdown stands still"],
    none: "Nothing is paused",
  },
  failing: {
    fields: ["error", "due"],
    name: "Failing",
    mark: "failing",
    order: "Next try first",
    isGoodEmpty: true,
    are: ["has failed and is tried again", "have failed and are tried again"],
    none: "Nothing is failing",
  },
  dead: {
    fields: ["error", "reason", "finished"],
    name: "Dead",
    mark: "dead",
    order: "Newest death first",
    isGoodEmpty: true,
    are: ["is dead: somebody should look", "are dead: somebody should look"],
    none: "Nothing is dead",
  },
  finished: {
    fields: ["states", "finished"],
    name: "Finished",
    mark: "succeeded",
    order: "Newest day first",
    isGoodEmpty: false,
    are: ["has finished", "have finished"],
    none: "Nothing has finished yet",
  },
};

/** The order of the list of all tabs. */
export const orderOfAll = "Newest first";

/** `412`, `100,000+`; `–` where it is not known. */
export function countText(count: TabCount | undefined): string {
  return `${formatCount(count?.count)}${count?.atLeast ? "+" : ""}`;
}

/**
 * What the page opens with; null: it is not known yet.
 *
 * @param countedAt the time of the count, as text: the list may know of what came since
 */
export function tabSentence(tab: TaskTab | undefined, count: TabCount | undefined, countedAt: string): string | null {
  if (tab === undefined) return "Tasks of all tabs, live and finished.";
  if (count === undefined) return null;
  const { are, none } = tabWords[tab];
  if (count.count === 0 && count.atLeast)
    return `None of the tasks that were looked at ${are[0]}, as counted at ${countedAt}; more wait that were not.`;
  if (count.count === 0) return `${none}, as counted at ${countedAt}.`;
  const isOne = count.count === 1 && !count.atLeast;
  return `${count.atLeast ? "At least " : ""}${formatCount(count.count)} ${are[isOne ? 0 : 1]}.`;
}

/** The tab that opens first: what is overdue, if anything is. */
export function firstTab(counts: Readonly<Record<"overdue", TabCount>>): TaskTab {
  return counts.overdue.count > 0 ? "overdue" : "scheduled";
}

/** The fields that are offered first in a tab: what matters everywhere, and what matters there. */
export function firstFields(tab: TaskTab | undefined): FieldName[] {
  return ["type", "key", "tag", "created", ...(tab === undefined ? (["states"] as const) : tabWords[tab].fields)];
}
