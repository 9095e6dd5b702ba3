import {
  type Ahead,
  aheads,
  type BatchFilter,
  type DeadFilter,
  type DeadReason,
  deadReasons,
  type DeadSince,
  deadSinces,
} from "../api/asked.js";
import {
  type BatchState,
  batchStates,
  type HistoryRange,
  historyRanges,
  type TaskState,
  taskStates,
  taskTabs,
} from "../api/wire.js";
import { tasksFragmentOf, tasksPlaceOf, type TasksPlace } from "./tasks-place.js";

/** What the overview shows. */
export interface OverviewView {
  /** How far back. Default `1h`. */
  readonly range?: HistoryRange;
  /** How far ahead. Default `1h`. */
  readonly ahead?: Ahead;
  /** The type that is shown alone. */
  readonly type?: string;
  /** The label of a node that is to be looked at. */
  readonly node?: string;
}

/** What the page of the cluster shows. */
export interface ClusterView {
  /** The label of the node that is looked at alone. */
  readonly node?: string;
  /** How far back its time line goes. Default `1h`. */
  readonly range?: HistoryRange;
  /** The id of the event that is shown from near. Default: the latest takeover or death. */
  readonly event?: string;
}

/** Where the page is. It stands in the address's fragment, which is never sent to a server. */
export type Route =
  | { readonly page: "overview"; readonly view: OverviewView }
  | ({ readonly page: "tasks" } & TasksPlace)
  | { readonly page: "task"; readonly id: string }
  | { readonly page: "types"; /** Whose page it is; null: the list. */ readonly type: string | null }
  | { readonly page: "schedules" }
  | { readonly page: "schedule"; readonly name: string }
  | { readonly page: "schedule-edit"; readonly name: string }
  | { readonly page: "schedule-create" }
  | { readonly page: "batches"; readonly filter: BatchFilter }
  | { readonly page: "batch"; readonly id: string; /** Members in this state alone. */ readonly state?: TaskState }
  | { readonly page: "dead"; readonly filter: DeadFilter }
  | { readonly page: "dead-group"; readonly type: string; readonly fingerprint: string }
  | { readonly page: "operations" }
  | { readonly page: "operation"; readonly id: string; /** Tasks of this outcome alone. */ readonly outcome?: string }
  | { readonly page: "keys" }
  | { readonly page: "cluster"; readonly view: ClusterView }
  | { readonly page: "create"; /** The id of the task whose fields the form begins with. */ readonly from?: string }
  | { readonly page: "log-in"; /** The fragment to go to afterwards. */ readonly back: string }
  | { readonly page: "unknown" };

/** The fragments of the overview and of the types, as they are without anything chosen. */
export const overview: Route & { page: "overview" } = { page: "overview", view: {} };
export const types: Route & { page: "types" } = { page: "types", type: null };

/**
 * The route of a fragment: `#/?range=24h`, `#/tasks/dead?q=type:mail`, the same as
 * `#/tasks?tab=dead&q=type:mail`, `#/tasks/<id>`, `#/types/<type>`, `#/schedules`,
 * `#/schedules/<name>`, `#/schedules/<name>/edit`, `#/new-schedule`, `#/batches?state=open`,
 * `#/batches/<id>?state=dead`, `#/dead?since=7d`, `#/dead/<type>/<fingerprint>`, `#/operations`,
 * `#/operations/<id>?outcome=…`, `#/keys`, `#/cluster?node=…`, `#/new?from=<id>`, `#/log-in?back=…`.
 */
export function routeOf(fragment: string): Route {
  const [path = "", search = ""] = fragment.replace(/^#?\/?/, "").split("?", 2);
  const [section, item, ...rest] = path.split("/").filter((part) => part !== "");
  const query = new URLSearchParams(search);
  if (section === undefined) return { page: "overview", view: viewOf(query) };
  if (section === "schedules" && rest.length === 1 && rest[0] === "edit") return editOf(decoded(item!));
  if (section === "dead" && rest.length === 1) return deadGroupOf(decoded(item!), decoded(rest[0]!));
  if (rest.length > 0) return { page: "unknown" };
  return (item === undefined ? listOf(section, query) : itemOf(section, decoded(item), query)) ?? { page: "unknown" };
}

function listOf(section: string, query: URLSearchParams): Route | null {
  switch (section) {
    case "tasks":
      // As the REST API has it: `/v1/tasks?tab=dead`.
      return { page: "tasks", ...tasksPlaceOf(tabOf(query.get("tab")), query) };
    case "types":
      return types;
    case "schedules":
      return { page: "schedules" };
    case "batches":
      return { page: "batches", filter: batchFilterOf(query) };
    case "dead":
      return { page: "dead", filter: deadFilterOf(query) };
    case "operations":
      return { page: "operations" };
    case "keys":
      return { page: "keys" };
    case "new-schedule":
      return { page: "schedule-create" };
    case "cluster":
      return { page: "cluster", view: clusterViewOf(query) };
    case "new":
      return { page: "create", ...(query.get("from") && { from: query.get("from")! }) };
    case "log-in":
      return { page: "log-in", back: backOf(query) };
    default:
      return null;
  }
}

function itemOf(section: string, item: string | null, query: URLSearchParams): Route | null {
  if (item === null) return null;
  if (section === "tasks") return taskOf(item, query);
  if (section === "schedules") return { page: "schedule", name: item };
  if (section === "batches") return { page: "batch", id: item, ...stateIn(query) };
  if (section === "operations") return { page: "operation", id: item, ...outcomeIn(query) };
  return section === "types" ? { page: "types", type: item } : null;
}

/** A tab's list, or one task: no id is the name of a tab. */
function taskOf(item: string, query: URLSearchParams): Route {
  const tab = tabOf(item);
  return tab === undefined ? { page: "task", id: item } : { page: "tasks", ...tasksPlaceOf(tab, query) };
}

const tabOf = (word: string | null) => taskTabs.find((one) => one === word);

function editOf(name: string | null): Route {
  return name === null ? { page: "unknown" } : { page: "schedule-edit", name };
}

export function fragmentOf(route: Exclude<Route, { page: "unknown" }>): string {
  switch (route.page) {
    case "overview":
      return `#/${searchOf(route.view)}`;
    case "tasks":
      return tasksFragmentOf(route);
    case "types":
      return route.type === null ? "#/types" : `#/types/${encodeURIComponent(route.type)}`;
    case "task":
      return `#/tasks/${encodeURIComponent(route.id)}`;
    case "schedules":
      return "#/schedules";
    case "schedule":
      return `#/schedules/${encodeURIComponent(route.name)}`;
    case "schedule-edit":
      return `#/schedules/${encodeURIComponent(route.name)}/edit`;
    case "schedule-create":
      return "#/new-schedule";
    case "batches":
      return `#/batches${searchOf(route.filter)}`;
    case "batch":
      return `#/batches/${encodeURIComponent(route.id)}${searchOf({ state: route.state })}`;
    case "dead":
      return `#/dead${searchOf(route.filter)}`;
    case "dead-group":
      return `#/dead/${encodeURIComponent(route.type)}/${encodeURIComponent(route.fingerprint)}`;
    case "operations":
      return "#/operations";
    case "operation":
      return `#/operations/${encodeURIComponent(route.id)}${searchOf({ outcome: route.outcome })}`;
    case "keys":
      return "#/keys";
    case "cluster":
      return `#/cluster${searchOf(route.view)}`;
    case "create":
      return `#/new${searchOf({ from: route.from })}`;
    case "log-in":
      return route.back === "#/" ? "#/log-in" : `#/log-in?${new URLSearchParams({ back: route.back })}`;
  }
}

/** Only a place of this page, and never the log-in itself. */
function backOf(search: URLSearchParams): string {
  const back = search.get("back") ?? "";
  return back.startsWith("#/") && !back.startsWith("#/log-in") ? back : "#/";
}

function viewOf(query: URLSearchParams): OverviewView {
  const ahead = query.get("ahead");
  return {
    ...rangeIn(query),
    ...(aheads.some((one) => one === ahead) && { ahead: ahead as Ahead }),
    ...(query.get("type") && { type: query.get("type")! }),
    ...(query.get("node") && { node: query.get("node")! }),
  };
}

function clusterViewOf(query: URLSearchParams): ClusterView {
  const node = query.get("node");
  const event = query.get("event") ?? "";
  return { ...(node && { node }), ...rangeIn(query), ...(/^\d{1,18}$/.test(event) && { event }) };
}

function rangeIn(query: URLSearchParams): { range?: HistoryRange } {
  const range = query.get("range");
  return historyRanges.some((one) => one === range) ? { range: range as HistoryRange } : {};
}

function batchFilterOf(search: URLSearchParams): BatchFilter {
  const state = search.get("state");
  const namePrefix = search.get("namePrefix");
  return {
    ...(batchStates.some((one) => one === state) && { state: state as BatchState }),
    ...(namePrefix && { namePrefix }),
  };
}

function searchOf(
  filter:
    | OverviewView
    | ClusterView
    | BatchFilter
    | DeadFilter
    | { from?: string }
    | { state?: TaskState }
    | { outcome?: string },
): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "" && value !== false);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function deadGroupOf(type: string | null, fingerprint: string | null): Route {
  return type === null || fingerprint === null ? { page: "unknown" } : { page: "dead-group", type, fingerprint };
}

function deadFilterOf(search: URLSearchParams): DeadFilter {
  const [type, reason, error, since] = ["type", "reason", "error", "since"].map((name) => search.get(name));
  return {
    ...(type && { type }),
    ...(deadReasons.some((one) => one === reason) && { reason: reason as DeadReason }),
    ...(error && { error }),
    ...(deadSinces.some((one) => one === since) && { since: since as DeadSince }),
  };
}

function stateIn(search: URLSearchParams): { state?: TaskState } {
  const state = search.get("state");
  return taskStates.some((one) => one === state) ? { state: state as TaskState } : {};
}

/** An outcome is a word of capitals. */
function outcomeIn(search: URLSearchParams): { outcome?: string } {
  const outcome = search.get("outcome") ?? "";
  return /^[A-Z_]{1,40}$/.test(outcome) ? { outcome } : {};
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
