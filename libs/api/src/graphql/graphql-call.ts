import { type Operation, placesOf, readQuery } from "@tickwheel/contract/operations";
import type { Call } from "../calls/call.js";

/** What the fields of one request share. */
export type GraphqlContext = Pick<Call, "apiKey" | "session" | "budget" | "headers" | "signal">;

/** A field's arguments, apart as REST has them. */
export interface FieldCall<Row extends Operation = Operation> extends Call<Row> {
  /** Where the page begins, as it was given; null: at the start, or it is no page. */
  after: string | null;
}

/** The arguments of a field, by name, as graphql-js gives them. Null is as absent. */
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
  const [place, within] = placesOf(row);
  const { after, idempotencyKey } = given as { after?: string | null; idempotencyKey?: string | null };
  return {
    ...context,
    at: place === undefined ? "" : String(given[place]),
    within: within === undefined ? "" : String(given[within]),
    query: queryOf(row, given) as undefined,
    after: after ?? null,
    body: bodyOf(row, given),
    expected: row.ifMatch ? ((given[row.ifMatch.argument] ?? null) as number | null) : null,
    idempotencyKey: idempotencyKey ?? undefined,
    waitSeconds: 0,
    isBrief: false,
  };
}

/** Arguments are read as the texts that REST has in the query, so by the same rules. */
function queryOf({ query, graphql }: Operation, given: FieldArguments): unknown {
  if (!query || "none" in graphql) return undefined;
  const filter = (graphql.filter === undefined ? given : Object(given["filter"])) as FieldArguments;
  const all: FieldArguments = { ...filter, first: given["first"], after: given["after"] };
  const texts: [name: string, text: unknown][] = [];
  for (const [name, { form }] of Object.entries(query.parameters)) {
    const known = PAGE_NAMES[name] ?? name;
    const value = known.split(".").reduce<unknown>((within, part) => (Object(within) as FieldArguments)[part], all);
    if (value !== undefined && value !== null) texts.push([known, textOf(value, form.kind === "list")]);
  }
  return readQuery(query, Object.fromEntries(texts), { names: PAGE_NAMES, areWhole: true });
}

/** Lists and objects where one text is expected stay as they are: the rules refuse them. */
function textOf(value: unknown, isList: boolean): unknown {
  if (isList && Array.isArray(value)) return value;
  return typeof value === "object" ? value : String(value as string | number | boolean);
}

function bodyOf({ body, graphql }: Operation, given: FieldArguments): unknown {
  if (!body || "none" in graphql) return undefined;
  if (graphql.body === undefined) return given["input"];
  const fields = Object.keys(body.shape);
  if (graphql.body !== "spread") return { [fields[0]!]: given[graphql.body.list] };
  return Object.fromEntries(fields.filter((name) => name in given).map((name) => [name, given[name]]));
}
