import type { TaskTab } from "../api/wire.js";

/** Which list of tasks is shown. */
export interface TasksPlace {
  /** Absent: the tasks of all tabs, newest first. */
  readonly tab?: TaskTab;
  /** The filter as a line of `@tickwheel/core/filter`; empty: none. */
  readonly line: string;
}

/** The list at `#/tasks/<tab>?q=<line>`. */
export function tasksPlaceOf(tab: TaskTab | undefined, query: URLSearchParams): TasksPlace {
  const line = query.get("q") ?? "";
  return tab === undefined ? { line } : { tab, line };
}

/** What may stand in a fragment as it is, and makes a line readable there. */
const READABLE = /%(?:3A|2C|2F|40)/g;

/** @example tasksFragmentOf({ tab: "dead", line: "type:mail.* -tag:vip" }) // "#/tasks/dead?q=type:mail.*+-tag:vip" */
export function tasksFragmentOf({ tab, line }: TasksPlace): string {
  const search = line === "" ? "" : `?${new URLSearchParams({ q: line })}`;
  return `#/tasks${tab === undefined ? "" : `/${tab}`}${search.replaceAll(READABLE, decodeURIComponent)}`;
}
