import type { Role } from "@tickwheel/core";
import { generatedFiles } from "@tickwheel/contract/documents";
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isObjectType,
} from "graphql";
import type { TaskBody } from "../support/api-client.js";
import { EXAMPLE_CALLS, type ExampleCall } from "../support/contract/example-calls.js";

/**
 * The right that a call needs; public: not even a key; session: the page's, whatever its key may; worker: no session
 * has it.
 */
export type Need = "public" | "any key" | Role | "cluster" | "admin with cluster" | "session";

export interface Call {
  need: Need;
  /** The body of a call about a task: whose task it is. */
  body?: (task: TaskBody) => unknown;
}

/** Requests that are no call of the contract: pages, files, documents, GraphQL itself. */
const OTHERS: Readonly<Record<string, Call>> = {
  "GET /dashboard": { need: "public" },
  "GET /dashboard/:name": { need: "public" },
  "GET /dashboard/:folder/:name": { need: "public" },
  "GET /docs": { need: "public" },
  "GET /docs/:name": { need: "public" },
  "GET /docs/:folder/:name": { need: "public" },
  "GET /openapi.json": { need: "viewer" },
  "GET /metrics": { need: "cluster" },
  "GET /graphql": { need: "viewer" },
  "POST /graphql": { need: "any key", body: () => ({ query: "{ __typename }" }) },
};

/** Every route of the application: the rows of the contract, and a few others. A new one that is in neither fails. */
export const ROUTES: Readonly<Record<string, Call>> = {
  ...OTHERS,
  ...Object.fromEntries(EXAMPLE_CALLS.map((call) => [`${call.verb} ${call.path}`, routeOf(call)])),
};

function routeOf({ id, row, body }: ExampleCall): Call {
  // A log-in without a key is told what is wrong, for each caller.
  const given = id === "logIn" ? {} : body;
  return { need: needOf(id, row), ...(given && { body: (task) => ofTask(given, task) }) };
}

function needOf(id: string, { role, cluster }: ExampleCall["row"]): Need {
  if (role === "none") return id === "show" ? "session" : "public";
  if (cluster) return role === "admin" ? "admin with cluster" : "cluster";
  return role;
}

/** The example is about the task, where it names one. */
function ofTask(body: NonNullable<ExampleCall["body"]>, { id, type, key }: TaskBody): object {
  if ("ids" in body) return { ids: [id] };
  if ("filter" in body) return { ...body, filter: { id: [id] } };
  return Object.keys(body).join() === "type,key" ? { type, key } : body;
}

const schema = buildSchema(generatedFiles()["libs/contract/schema.graphql"]!);

/** Every field of GraphQL's roots, as the rows name them. */
export const FIELDS: Readonly<Record<string, { need: Need; call: (task: TaskBody) => string }>> = Object.fromEntries(
  EXAMPLE_CALLS.flatMap((call) => {
    const { graphql } = call.row;
    if ("none" in graphql) return [];
    const [kind, name] = "query" in graphql ? ["query", graphql.query] : ["mutation", graphql.mutation];
    const root = kind === "query" ? schema.getQueryType() : schema.getMutationType();
    const field = root!.getFields()[name]!;
    return [
      [`${kind} ${name}`, { need: needOf(call.id, call.row), call: (task: TaskBody) => textOf(field, call, task) }],
    ];
  }),
);

/** It has the form of a claim's token. */
const NO_TOKEN = "A".repeat(64);

/** A field with the arguments that it needs, and what it answers. */
function textOf(field: GraphQLField<unknown, unknown>, { body = {} }: ExampleCall, task: TaskBody): string {
  const given = ofTask(body, task) as Record<string, unknown>;
  const known: Record<string, unknown> = {
    id: task.id,
    name: "matrix",
    type: task.type,
    token: NO_TOKEN,
    fingerprint: "0".repeat(12),
    inputs: given["tasks"],
    input: given,
    ...given,
  };
  const args = field.args.filter(({ name }) => name in given || (known[name] !== undefined && isRequired(field, name)));
  const list = args.map(({ name, type }) => `${name}: ${literal(known[name], type)}`).join(", ");
  return `${field.name}${list === "" ? "" : `(${list})`} ${selectionOf(field.type, 3)}`;
}

function isRequired(field: GraphQLField<unknown, unknown>, name: string): boolean {
  return String(field.args.find((argument) => argument.name === name)!.type).endsWith("!");
}

/** A word of an enumeration stands without quotation marks. */
function literal(value: unknown, type: GraphQLInputType): string {
  const named = getNamedType(type);
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, named)).join(", ")}]`;
  if (isEnumType(named)) return String(value);
  if (value === null || typeof value !== "object" || !isInputObjectType(named)) return jsonLiteral(value);
  const fields = named.getFields();
  return `{ ${Object.entries(value)
    .map(([name, one]) => `${name}: ${literal(one, fields[name]!.type)}`)
    .join(", ")} }`;
}

/** Any JSON: names of fields stand without quotation marks. */
function jsonLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonLiteral).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, one]) => `${name}: ${jsonLiteral(one)}`)
    .join(", ")} }`;
}

/** What names a value best: an outcome tells nothing of a task. */
const TELLING = ["outcome", "id"];

/** A value's outcome, its id or its first plain field, and the same of the objects in it. */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return "";
  const fields = Object.values(named.getFields());
  const plain =
    TELLING.map((name) => fields.find((one) => one.name === name)).find((one) => one !== undefined) ??
    fields.find((one) => isLeafType(getNamedType(one.type)));
  const nested = depth === 0 ? [] : fields.filter((one) => isObjectType(getNamedType(one.type)) && one !== plain);
  const told = nested.map((one) => `${one.name} ${selectionOf(one.type, plain ? 0 : depth - 1)}`);
  const shown = [...(plain ? [plain.name] : []), ...told.filter((text) => text.includes("{"))];
  return `{ ${shown.join(" ")} }`;
}
