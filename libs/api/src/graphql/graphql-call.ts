import { type Operation, readQuery } from "@tickwheel/contract/operations";
import type { ApiKey, TraceHeaders } from "@tickwheel/core";
import type { AnswerBudget } from "../limits/answer-budget.js";

/** What the fields of one request share. */
export interface GraphqlContext {
  apiKey: ApiKey;
  budget: AnswerBudget;
  /** Of the request, for its trace. */
  headers: TraceHeaders;
  /** Fires when its client has gone. */
  signal?: AbortSignal;
}

/** A field's arguments, apart as REST has them. */
export interface FieldCall extends GraphqlContext {
  /** The id or the name that REST has in the address; `""`: the call has none. */
  at: string;
  /** The texts that REST has in the query. */
  query: Record<string, unknown>;
  /** Where the page begins; null: at the start, or it is no page. */
  after: string | null;
  body: unknown;
  /** The version that the thing must have; null: any. */
  expected: number | null;
  idempotencyKey: string | undefined;
}

/** Of a field, by name, as graphql-js gives them. Null is as absent. */
export type FieldArguments = Readonly<Record<string, unknown>>;

/** What GraphQL calls the parameters of a page. */
const PAGE_NAMES: Readonly<Record<string, string>> = { limit: "first", cursor: "after" };

/** The field of a call; null: it has none. */
export function fieldNameOf({ graphql }: Pick<Operation, "graphql">): string | null {
  if ("none" in graphql) return null;
  return "query" in graphql ? graphql.query : graphql.mutation;
}

/** Whether a call answers a page. */
export function isPage({ query }: Pick<Operation, "query">): boolean {
  return query !== undefined && "limit" in query.parameters;
}

/**
 * What a field is asked for.
 *
 * @throws TickwheelError `VALIDATION_FAILED` with every fault of what REST has in the query, by the names of GraphQL
 */
export function callOf(row: Operation, given: FieldArguments, context: GraphqlContext): FieldCall {
  const place = /:(\w+)/.exec(row.rest)?.[1];
  const { after, idempotencyKey } = given as { after?: string | null; idempotencyKey?: string | null };
  return {
    ...context,
    at: place === undefined ? "" : String(given[place]),
    query: queryOf(row, given),
    after: after ?? null,
    body: bodyOf(row, given),
    expected: row.ifMatch ? ((given[row.ifMatch.argument] ?? null) as number | null) : null,
    idempotencyKey: idempotencyKey ?? undefined,
  };
}

/** Arguments as the query that REST has for them, so that both are read by the same rules. */
function queryOf({ query, graphql }: Operation, given: FieldArguments): Record<string, unknown> {
  if (!query || "none" in graphql) return {};
  const filter = (graphql.filter === undefined ? given : Object(given["filter"])) as FieldArguments;
  const all: FieldArguments = { ...filter, first: given["first"], after: given["after"] };
  const texts: [name: string, text: unknown][] = [];
  for (const [name, { form }] of Object.entries(query.parameters)) {
    const value = all[PAGE_NAMES[name] ?? name];
    if (value !== undefined && value !== null) texts.push([name, textOf(value, form.kind === "list")]);
  }
  readQuery(query, Object.fromEntries(texts.map(([name, text]) => [PAGE_NAMES[name] ?? name, text])), PAGE_NAMES);
  return Object.fromEntries(texts);
}

/** Lists and objects where one text is expected stay as they are: the rules refuse them. */
function textOf(value: unknown, isList: boolean): unknown {
  if (isList && Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? value : String(value as string | number | boolean);
}

function bodyOf({ body, graphql }: Operation, given: FieldArguments): unknown {
  if (!body || "none" in graphql) return undefined;
  if (graphql.body === undefined) return given["input"];
  const fields = Object.keys(body.shape);
  if (graphql.body !== "spread") return { [fields[0]!]: given[graphql.body.list] };
  return Object.fromEntries(fields.filter((name) => name in given).map((name) => [name, given[name]]));
}
