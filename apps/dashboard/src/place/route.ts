import { taskStates, type TaskFilter, type TaskState } from "../api/wire.js";

/** Where the page is. It stands in the address's fragment, which is never sent to a server. */
export type Route =
  | { readonly page: "overview" }
  | { readonly page: "tasks"; readonly filter: TaskFilter }
  | { readonly page: "task"; readonly id: string }
  | { readonly page: "create" }
  | { readonly page: "log-in"; /** The fragment to go to afterwards. */ readonly back: string }
  | { readonly page: "unknown" };

/** The route of a fragment: `#/`, `#/tasks?state=dead`, `#/tasks/<id>`, `#/new`, `#/log-in?back=…`. */
export function routeOf(fragment: string): Route {
  const [path = "", search = ""] = fragment.replace(/^#?\/?/, "").split("?", 2);
  const [section, item, ...rest] = path.split("/").filter((part) => part !== "");
  if (section === undefined) return { page: "overview" };
  if (section === "new" && item === undefined) return { page: "create" };
  if (section === "log-in" && item === undefined) return { page: "log-in", back: backOf(new URLSearchParams(search)) };
  if (section !== "tasks" || rest.length > 0) return { page: "unknown" };
  if (item === undefined) return { page: "tasks", filter: filterOf(new URLSearchParams(search)) };
  const id = decoded(item);
  return id === null ? { page: "unknown" } : { page: "task", id };
}

export function fragmentOf(route: Exclude<Route, { page: "unknown" }>): string {
  switch (route.page) {
    case "overview":
      return "#/";
    case "tasks":
      return `#/tasks${searchOf(route.filter)}`;
    case "task":
      return `#/tasks/${encodeURIComponent(route.id)}`;
    case "create":
      return "#/new";
    case "log-in":
      return route.back === "#/" ? "#/log-in" : `#/log-in?${new URLSearchParams({ back: route.back })}`;
  }
}

/** Only a place of this page, and never the log-in itself. */
function backOf(search: URLSearchParams): string {
  const back = search.get("back") ?? "";
  return back.startsWith("#/") && !back.startsWith("#/log-in") ? back : "#/";
}

function filterOf(search: URLSearchParams): TaskFilter {
  const state = search.get("state");
  return {
    ...(isState(state) && { state }),
    ...(search.get("type") && { type: search.get("type")! }),
    ...(search.get("key") && { key: search.get("key")! }),
    ...(search.get("tag") && { tag: search.get("tag")! }),
    ...(search.get("live") === "true" && { live: true }),
  };
}

function searchOf(filter: TaskFilter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "" && value !== false);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function isState(value: string | null): value is TaskState {
  return taskStates.some((state) => state === value);
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
