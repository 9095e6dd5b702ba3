import { type FinishedState, finishedStates, type TaskFilter } from "../api/asked.js";
import { taskStates, type TaskTab, taskTabs } from "../api/wire.js";
import { spanOf } from "../time/span.js";

/** Which list of tasks is shown. */
export interface TasksPlace {
  /** Absent: the tasks of all tabs, newest first. */
  readonly tab?: TaskTab;
  readonly filter: TaskFilter;
}

/** The fields of a filter, in the order in which the line, the chips and the address tell them. */
export const filterWords = ["state", "type", "key", "tag", "node", "error", "due", "created"] as const;
export type FilterWord = (typeof filterWords)[number];

/** What a word may say; null: it is good. An empty text says nothing, and is none. */
export function faultOfWord(word: FilterWord, value: string): "empty" | "span" | "state" | null {
  if (value === "") return "empty";
  if (word === "due" || word === "created") return spanOf(value) === null ? "span" : null;
  return word === "state" && !stateWords.includes(value) ? "state" : null;
}

/** What `state` may say: a state, or a tab that is none. */
export const stateWords: readonly string[] = [...new Set<string>([...taskStates, ...taskTabs])];

export type WordValues = Partial<Record<FilterWord, string>>;

/**
 * The list of what was said, word by word; what is not good is left out. A state that a tab stands for leads to that
 * tab; of finished tasks it stays in the filter.
 *
 * @example placeOf(undefined, { state: "dead", type: "mail" }) // { tab: "dead", filter: { type: "mail" } }
 */
export function placeOf(tab: TaskTab | undefined, values: WordValues): TasksPlace {
  const good = filterWords.filter((word) => faultOfWord(word, values[word] ?? "") === null);
  const { state, ...filter } = Object.fromEntries(good.map((word) => [word, values[word]])) as WordValues;
  if (state === undefined) return tab === undefined ? { filter } : { tab, filter };
  if (isFinishedState(state)) return { tab: "finished", filter: { state, ...filter } };
  const isShown = state === "scheduled" && (tab === "overdue" || tab === "failing");
  return { tab: isShown ? tab : (state as TaskTab), filter };
}

function isFinishedState(state: string): state is FinishedState {
  return finishedStates.some((one) => one === state);
}

/** The filter as it stands in the tab, where another tab can have no such state. */
export function filterIn(tab: TaskTab, { state, ...filter }: TaskFilter): TaskFilter {
  return tab === "finished" && state !== undefined ? { state, ...filter } : filter;
}

/** The list at `#/tasks/<tab>?type=…`. */
export function tasksPlaceOf(tab: TaskTab | undefined, query: URLSearchParams): TasksPlace {
  return placeOf(tab, Object.fromEntries(filterWords.map((word) => [word, query.get(word) ?? ""])));
}

export function tasksFragmentOf({ tab, filter }: TasksPlace): string {
  const given = filterWords.flatMap((word) => (filter[word] ? [[word, filter[word]]] : []));
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given as [string, string][])}`;
  return `#/tasks${tab === undefined ? "" : `/${tab}`}${search}`;
}
