import { type ApiKey, TickwheelError, type TraceHeaders } from "@tickwheel/core";
import { hasRole } from "../keys/api-key.js";
import type { AnswerBudget } from "../limits/answer-budget.js";

// What the fields of the roots share.

/** What the fields of one request share. */
export interface GraphqlContext {
  apiKey: ApiKey;
  budget: AnswerBudget;
  /** Of the request, for its trace. */
  headers: TraceHeaders;
  /** Fires when its client has gone. */
  signal?: AbortSignal;
}

/** A page of tasks, schedules or batches. */
export interface Connection<Node> {
  nodes: readonly Node[];
  /** `endCursor`: where the next page begins; null with `hasNextPage`: at the start. */
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  /** The look ended before the page was full: go on after `endCursor`. */
  incomplete: boolean;
}

/** A page as REST shows it. */
interface ShownPage<Node> {
  items: readonly Node[];
  nextCursor: string | null;
  incomplete?: boolean;
}

export function connectionOf<Node>({ items, nextCursor, incomplete }: ShownPage<Node>): Connection<Node> {
  const pageInfo = { hasNextPage: nextCursor !== null, endCursor: nextCursor };
  return { nodes: items, pageInfo, incomplete: incomplete === true };
}

/** The page of a field for which nothing is left of the answer: it goes on where it was to begin. */
export function unreadPage(after: string | null): Connection<never> {
  return { nodes: [], pageInfo: { hasNextPage: true, endCursor: after }, incomplete: true };
}

/** @throws TickwheelError `FORBIDDEN` */
export function requireOperator(apiKey: ApiKey): void {
  if (!hasRole(apiKey, "operator")) throw new TickwheelError("FORBIDDEN", "A mutation needs the role operator.");
}

/** Arguments as the query parameters that REST has for them, so that both are read by the same rules. */
export function queryOf(given: Record<string, unknown>): Record<string, unknown> {
  const present = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(present.map(([name, value]) => [name, isContainer(value) ? value : String(value)]));
}

/**
 * Whether a value is a list, an object or null. The rules for query parameters refuse both, so neither is written as
 * text.
 */
function isContainer(value: unknown): boolean {
  return typeof value === "object";
}
