import { formatLine } from "@tickwheel/core/filter";
import type { Finding, TaskTab } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";

export interface FindingLink {
  readonly text: string;
  readonly href: string;
}

/** Where to look further: what a finding is about, by its code and its facts. The first is the likeliest. */
export function linksOf({ code, facts }: Finding, seesNodes: boolean): FindingLink[] {
  const type = textOf(facts.type);
  const node = textOf(facts.node);
  return [
    ...linksToEach(namesOf(facts.schedules), SCHEDULES),
    ...linksToEach(batchesOf(facts), BATCHES),
    ...operationLinks(textOf(facts.operationId)),
    ...(code === "DEAD_TASKS" ? [deadLink(type, textOf(facts.fingerprint))] : []),
    ...tasksLinks(code, type),
    ...(code === "FUTURE_OVER_CAPACITY" ? [{ text: "What is coming", href: aheadOf(facts.bucketMs) }] : []),
    ...(type === null ? [] : [{ text: "The type", href: fragmentOf({ page: "types", type }) }]),
    ...(node === null || !seesNodes
      ? []
      : [{ text: "The node", href: fragmentOf({ page: "overview", view: { node } }) }]),
  ];
}

interface Named {
  readonly name: string;
  readonly href: string;
}
interface Kind {
  readonly one: string;
  readonly all: FindingLink;
}

const SCHEDULES: Kind = {
  one: "The schedule",
  all: { text: "All schedules", href: fragmentOf({ page: "schedules" }) },
};
const BATCHES: Kind = {
  one: "The batch",
  all: { text: "All batches", href: fragmentOf({ page: "batches", filter: {} }) },
};

/** One link for each, up to three; of more, all that there are. */
function linksToEach(named: readonly Named[], { one, all }: Kind): FindingLink[] {
  if (named.length === 1) return [{ text: one, href: named[0]!.href }];
  const first = named.slice(0, MOST_NAMED).map(({ name, href }) => ({ text: name, href }));
  return named.length > MOST_NAMED ? [...first, all] : first;
}

function operationLinks(id: string | null): FindingLink[] {
  return id === null ? [] : [{ text: "The operation", href: fragmentOf({ page: "operation", id }) }];
}

/** To the cause, or to all of them. */
function deadLink(type: string | null, fingerprint: string | null): FindingLink {
  return type === null || fingerprint === null
    ? { text: "Dead letters", href: fragmentOf({ page: "dead", filter: {} }) }
    : { text: "The cause", href: fragmentOf({ page: "dead-group", type, fingerprint }) };
}

/** As many as the sentence names. */
const MOST_NAMED = 3;

function namesOf(schedules: unknown): Named[] {
  return textsOf(schedules).map((name) => ({ name, href: fragmentOf({ page: "schedule", name }) }));
}

/** A batch is shown by its id, and named by its name where it has one. */
function batchesOf({ batches, batchIds }: Finding["facts"]): Named[] {
  const names = textsOf(batches);
  return textsOf(batchIds).map((id, place) => ({ name: names[place] ?? id, href: fragmentOf({ page: "batch", id }) }));
}

function textsOf(values: unknown): string[] {
  return Array.isArray(values) ? values.flatMap((value) => textOf(value) ?? []) : [];
}

function tasksLinks(code: string, type: string | null): FindingLink[] {
  const link = (text: string, tab: TaskTab): FindingLink[] => {
    return [{ text, href: fragmentOf({ page: "tasks", tab, line: type === null ? "" : formatLine({ type }) }) }];
  };
  switch (code) {
    case "TYPE_WITHOUT_NODE":
    case "OVERDUE_UNEXPLAINED":
    case "LIMIT_FULL":
      return link("See the tasks", "overdue");
    case "BREAKER_OPEN":
      return [...link("What failed", "failing"), ...link("What waits", "overdue")];
    case "TYPE_FAILING":
      return [...link("See the tasks", "failing"), ...link("The dead", "dead")];
    case "PLACES_TAKEN":
      return link("What runs", "running");
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
