import { describe, expect, test } from "@jest/globals";
import { GROUPS, type Operation } from "@tickwheel/contract/operations";
import type { ApiKey } from "@tickwheel/core";
import {
  type ExecutionResult,
  getNullableType,
  graphql,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isLeafType,
  getNamedType,
} from "graphql";
import { AnswerBudget } from "../limits/answer-budget.js";
import { fieldNameOf, type GraphqlContext } from "./graphql-call.js";
import { GraphqlRoot } from "./graphql-root.service.js";
import { graphqlSchema } from "./graphql-schema.js";

type Kind = "query" | "mutation";
type Field = [name: string, kind: Kind, row: Operation];

const FIELDS = GROUPS.flatMap(({ rows }) => Object.values(rows)).flatMap((row): Field[] => {
  const name = fieldNameOf(row);
  return name === null ? [] : [[name, "query" in row.graphql ? "query" : "mutation", row]];
});
const ROOTS = { query: graphqlSchema.getQueryType()!, mutation: graphqlSchema.getMutationType()! };
const NEVER = "This service answers nothing";
const ADMIN = { id: "1", namespace: "shop", role: "admin", cluster: true } as ApiKey;

/** What services have been asked for since the last look. */
const asked: string[] = [];
const SERVICES = [
  "tasks",
  "schedules",
  "batches",
  "operations",
  "deadLetters",
  "queues",
  "settings",
  "keys",
  "sessions",
  "cluster",
];
const root = new GraphqlRoot(
  ...(SERVICES.map((service) => standIn(service)) as unknown as ConstructorParameters<typeof GraphqlRoot>),
);

/** A service of which every call is written down, and fails. */
function standIn(service: string): object {
  const call = (method: string) => (): Promise<never> => {
    asked.push(`${service}.${method}`);
    return Promise.reject(new Error(NEVER));
  };
  return new Proxy({}, { get: (_service, method) => call(String(method)) });
}

const WORDS: Record<string, unknown> = {
  Boolean: true,
  DateTime: "2026-11-27T08:00:00Z",
  Deadline: "1h",
  Duration: "1h",
  Float: 1,
  ID: "01890a5d-ac96-774b-bcce-b302099a8057",
  Int: 1,
  JSON: "{}",
  ShardCount: 2,
  String: "a",
};

/** A value of a type: of an object the fields that must be given. */
function valueOf(type: GraphQLInputType): unknown {
  const given = getNullableType(type);
  if (isListType(given)) return [valueOf(given.ofType as GraphQLInputType)];
  if (isEnumType(given)) return given.getValues()[0]!.name;
  if (!isInputObjectType(given)) return WORDS[given.name];
  const required = Object.values(given.getFields()).filter((field) => isNonNullType(field.type));
  return Object.fromEntries(required.map((field) => [field.name, valueOf(field.type)]));
}

/** A document that asks for one field, with the arguments that it must have; and its variables. */
function documentOf(name: string, kind: Kind): { source: string; variableValues: Record<string, unknown> } {
  const field = ROOTS[kind].getFields()[name]!;
  const required = field.args.filter(({ type }) => isNonNullType(type));
  const variables = required.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(", ");
  const given = required.map((argument) => `${argument.name}: $${argument.name}`).join(", ");
  const inBrackets = (text: string): string => (text === "" ? "" : `(${text})`);
  const selection = isLeafType(getNamedType(field.type)) ? "" : "{ __typename }";
  return {
    source: `${kind} ${inBrackets(variables)} { ${name}${inBrackets(given)} ${selection} }`,
    variableValues: Object.fromEntries(required.map((argument) => [argument.name, valueOf(argument.type)])),
  };
}

/** What comes of a field, and which services were asked for it. */
async function answerOf([name, kind]: Field, apiKey: ApiKey): Promise<{ codes: unknown[]; asked: string[] }> {
  const contextValue: GraphqlContext = { apiKey, session: null, budget: new AnswerBudget(), headers: {} };
  const call = { schema: graphqlSchema, rootValue: root.fields, contextValue };
  const { errors = [] }: ExecutionResult = await graphql({ ...call, ...documentOf(name, kind) });
  const codes = errors.map(({ originalError, message }) => (originalError as { code?: string })?.code ?? message);
  return { codes, asked: asked.splice(0) };
}

describe("the roots of GraphQL", () => {
  test("the roots of GraphQL have a field of the schema and a resolver for every row, and no others", () => {
    const namesOf = (kind: Kind): string[] => FIELDS.filter(([, each]) => each === kind).map(([name]) => name);
    for (const kind of ["query", "mutation"] as const)
      expect(Object.keys(ROOTS[kind].getFields()).toSorted()).toEqual(namesOf(kind).toSorted());
    expect(Object.keys(root.fields).toSorted()).toEqual(FIELDS.map(([name]) => name).toSorted());
  });

  test.each(FIELDS)("the GraphQL field %s, a %s, asks a service for callers who may", async (...field) => {
    const { codes, asked: calls } = await answerOf(field, ADMIN);
    expect(calls).toHaveLength(1);
    expect(codes).toEqual([NEVER]);
  });

  test.each(FIELDS.filter(([, kind]) => kind === "mutation"))(
    "the roots of GraphQL refuse %s to a viewer",
    async (...field) => {
      const viewer = { ...ADMIN, role: "viewer" } as ApiKey;
      expect(await answerOf(field, viewer)).toEqual({ codes: ["FORBIDDEN"], asked: [] });
      expect(["operator", "admin", "worker"]).toContain(field[2].role);
    },
  );

  test.each(FIELDS.filter(([, , { cluster }]) => cluster))(
    "the roots of GraphQL refuse %s to a key without the right cluster",
    async (...field) => {
      const alone = { ...ADMIN, cluster: false };
      expect(await answerOf(field, alone)).toEqual({ codes: ["FORBIDDEN"], asked: [] });
    },
  );

  test("the roots of GraphQL let a viewer's key without the right cluster ask for all that viewers may see", async () => {
    const viewer = { ...ADMIN, role: "viewer", cluster: false } as ApiKey;
    for (const field of FIELDS.filter(([, , { cluster, role }]) => role === "viewer" && !cluster))
      expect((await answerOf(field, viewer)).codes).toEqual([NEVER]);
  });
});
