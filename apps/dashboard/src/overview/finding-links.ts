import type { Finding } from "../api/figures.js";
import type { TaskFilter } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";

export interface FindingLink {
  readonly text: string;
  readonly href: string;
}

/** Where to look further: what a finding is about, by its code and its facts. The first is the likeliest. */
export function linksOf({ code, facts }: Finding, seesNodes: boolean): FindingLink[] {
  const [type, node] = [textOf(facts.type), textOf(facts.node)];
  return [
    ...scheduleLinks(facts.schedules),
    ...tasksLinks(code, type),
    ...(code === "FUTURE_OVER_CAPACITY" ? [{ text: "What is coming", href: aheadOf(facts.bucketMs) }] : []),
    ...(type === null ? [] : [{ text: "The type", href: fragmentOf({ page: "types", type }) }]),
    ...(node === null || !seesNodes
      ? []
      : [{ text: "The node", href: fragmentOf({ page: "overview", view: { node } }) }]),
  ];
}

/** One link for each, up to three; of more, all that there are. */
function scheduleLinks(named: unknown): FindingLink[] {
  const names = Array.isArray(named) ? named.flatMap((name) => textOf(name) ?? []) : [];
  const linkTo = (name: string, text: string): FindingLink => ({
    text,
    href: fragmentOf({ page: "schedule", name }),
  });
  if (names.length === 1) return [linkTo(names[0]!, "The schedule")];
  const first = names.slice(0, MOST_SCHEDULES).map((name) => linkTo(name, name));
  const all = { text: "All schedules", href: fragmentOf({ page: "schedules" }) };
  return names.length > MOST_SCHEDULES ? [...first, all] : first;
}

/** As many as the sentence names. */
const MOST_SCHEDULES = 3;

function tasksLinks(code: string, type: string | null): FindingLink[] {
  const link = (text: string, filter: TaskFilter): FindingLink[] => {
    return [{ text, href: fragmentOf({ page: "tasks", filter: { ...filter, ...(type !== null && { type }) } }) }];
  };
  switch (code) {
    case "TYPE_WITHOUT_NODE":
    case "OVERDUE_UNEXPLAINED":
      return link("See the tasks", { state: "scheduled" });
    case "TYPE_FAILING":
      return [...link("See the tasks", { state: "scheduled" }), ...link("The dead", { state: "dead" })];
    case "PLACES_TAKEN":
      return link("What runs", { state: "running" });
    default:
      return [];
  }
}

function aheadOf(bucketMs: unknown): string {
  const ahead = typeof bucketMs === "number" && bucketMs > 60_000 ? "24h" : "1h";
  return fragmentOf({ page: "overview", view: { ahead } });
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
