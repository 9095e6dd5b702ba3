import type { TaskFilter } from "../api/asked.js";
import type { TabCount, TaskTab } from "../api/wire.js";
import type { TaskQuery } from "../api/tickwheel-api.js";
import { filterWords, type FilterWord, type TasksPlace } from "../place/tasks-place.js";
import { formatCount } from "../time/format.js";
import { rangeOf, spanOf, spanText, type Side } from "../time/span.js";

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
  /** On which side of now its tasks are due. */
  readonly side: Side;
}

/** What the page says of each tab. */
export const tabWords: Readonly<Record<TaskTab, TabWords>> = {
  overdue: {
    ...{ name: "Overdue", mark: "overdue", order: "Longest overdue first", side: "back", isGoodEmpty: true },
    ...{ are: ["is overdue: due, and not started", "are overdue: due, and not started"], none: "Nothing is overdue" },
  },
  running: {
    ...{ name: "Running", mark: "running", order: "Longest running first", side: "back", isGoodEmpty: false },
    ...{ are: ["runs", "run"], none: "Nothing runs" },
  },
  scheduled: {
    ...{ name: "Scheduled", mark: "scheduled", order: "Next first", side: "ahead", isGoodEmpty: false },
    ...{ are: ["is scheduled, and not due yet", "are scheduled, and not due yet"], none: "Nothing is scheduled" },
  },
  paused: {
    ...{ name: "Paused", mark: "paused", order: "First created first", side: "ahead", isGoodEmpty: false },
    ...{ are: ["is paused: its countdown stands still", "are paused: their countdown stands still"] },
    none: "Nothing is paused",
  },
  failing: {
    ...{ name: "Failing", mark: "failing", order: "Next try first", side: "ahead", isGoodEmpty: true },
    ...{ are: ["has failed and is tried again", "have failed and are tried again"], none: "Nothing is failing" },
  },
  dead: {
    ...{ name: "Dead", mark: "dead", order: "Newest death first", side: "back", isGoodEmpty: true },
    ...{ are: ["is dead: somebody should look", "are dead: somebody should look"], none: "Nothing is dead" },
  },
  finished: {
    ...{ name: "Finished", mark: "succeeded", order: "Newest day first", side: "back", isGoodEmpty: false },
    ...{ are: ["has finished", "have finished"], none: "Nothing has finished yet" },
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

/** What the API is asked for the list, as of `now` in milliseconds of the epoch. */
export function queryOf({ tab, filter }: TasksPlace, now: number): TaskQuery {
  const { due, created, ...others } = filter;
  return {
    tab,
    ...others,
    ...rangeQuery("due", due, { side: sideOf("due", tab), now }),
    ...rangeQuery("created", created, { side: sideOf("created", tab), now }),
  };
}

function rangeQuery(name: string, text: string | undefined, at: { side: Side; now: number }): TaskQuery {
  const span = text === undefined ? null : spanOf(text);
  if (span === null) return {};
  const { from, to } = rangeOf(span, at);
  return { [`${name}From`]: from, [`${name}To`]: to };
}

function sideOf(word: FilterWord, tab: TaskTab | undefined): Side {
  if (word === "created") return "back";
  return tab === undefined ? "ahead" : tabWords[tab].side;
}

export interface FilterChip {
  readonly word: FilterWord;
  readonly text: string;
}

/** The filter as chips: each field, and what it says in words. */
export function chipsOf({ tab, filter }: TasksPlace): FilterChip[] {
  return filterWords.flatMap((word) => {
    const value = filter[word];
    if (!value) return [];
    const isSpan = word === "due" || word === "created";
    return { word, text: isSpan ? spanText(value, sideOf(word, tab)) : value };
  });
}

/** The words that the filter does not have yet and that leave something to find in the tab. */
export function addableWords({ tab, filter }: TasksPlace): FilterWord[] {
  const isUseful: Partial<Record<FilterWord, boolean>> = {
    state: tab === "finished",
    // A paused task is due when it is resumed, and so is not due.
    due: tab !== "paused",
  };
  return filterWords.filter((word) => filter[word] === undefined && (isUseful[word] ?? true));
}

export function without(filter: TaskFilter, word: FilterWord): TaskFilter {
  const { [word]: _, ...others } = filter;
  return others;
}
