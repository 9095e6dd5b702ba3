import type { Role } from "../api/wire.js";
import { fragmentOf, overview, types, type Route } from "../place/route.js";

export interface PageEntry {
  readonly page: Route["page"];
  readonly name: string;
  readonly icon: string;
  /** After `g`. */
  readonly key: string;
  readonly href: string;
  /** Pages that lie below it in the navigation. */
  readonly below?: readonly Route["page"][];
  /** The least role that has a use for it. Default: viewer. */
  readonly role?: Role;
  /** Only for keys with the right `cluster`. Default: for all. */
  readonly isOfCluster?: boolean;
}

/** The navigation, in its order; the bottom bar of a phone shows the first four. */
export const pages: readonly PageEntry[] = [
  { page: "overview", name: "Overview", icon: "home", key: "o", href: fragmentOf(overview) },
  {
    page: "tasks",
    name: "Tasks",
    icon: "tasks",
    key: "t",
    href: fragmentOf({ page: "tasks", line: "" }),
    below: ["task"],
  },
  { page: "types", name: "Types", icon: "types", key: "y", href: fragmentOf(types) },
  {
    page: "dead",
    name: "Dead letters",
    icon: "dead-letters",
    key: "d",
    href: fragmentOf({ page: "dead", filter: {} }),
    below: ["dead-group"],
  },
  {
    page: "schedules",
    name: "Schedules",
    icon: "cal",
    key: "s",
    href: fragmentOf({ page: "schedules" }),
    below: ["schedule", "schedule-edit", "schedule-create"],
  },
  {
    page: "batches",
    name: "Batches",
    icon: "batch",
    key: "b",
    href: fragmentOf({ page: "batches", filter: {} }),
    below: ["batch"],
  },
  {
    page: "operations",
    name: "Operations",
    icon: "undo",
    key: "p",
    href: fragmentOf({ page: "operations" }),
    below: ["operation"],
  },
  {
    page: "cluster",
    name: "Cluster",
    icon: "cluster",
    key: "c",
    href: fragmentOf({ page: "cluster", view: {} }),
    isOfCluster: true,
  },
  { page: "keys", name: "API keys", icon: "lock", key: "k", href: fragmentOf({ page: "keys" }), role: "admin" },
  { page: "create", name: "New task", icon: "plus", key: "n", href: fragmentOf({ page: "create" }), role: "operator" },
];

export function isAt(entry: PageEntry, route: Route): boolean {
  return entry.page === route.page || (entry.below?.includes(route.page) ?? false);
}

/** The pages that are of use to who has this role, and the right `cluster` or not. */
export function pagesFor({ may, cluster }: { may: (role: Role) => boolean; cluster: boolean }): PageEntry[] {
  return pages.filter(({ role = "viewer", isOfCluster = false }) => may(role) && (cluster || !isOfCluster));
}
