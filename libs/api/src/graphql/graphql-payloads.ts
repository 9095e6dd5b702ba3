import { type JsonShape, JsonSource, type JsonText, jsonTextOf } from "@tickwheel/core";
import {
  type DocumentNode,
  getNamedType,
  type GraphQLInputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectValueNode,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
  type ValueNode,
} from "graphql";
import type { ShownTask } from "../tasks/task-json.js";

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/**
 * Makes the scalar JSON of a schema carry text: literals are written as they stand in the document, payloads and
 * results of tasks go into the answer as {@link JsonSource}s, and those that came as variables pass as they are.
 */
export function keepJsonText(schema: GraphQLSchema): GraphQLSchema {
  const json = schema.getType("JSON") as GraphQLScalarType;
  json.parseLiteral = (node, variables) => new JsonSource(textOfLiteral(node, variables));
  for (const name of ["Task", "Schedule", "PulledTask"])
    fieldsOf(schema, name)["payload"]!.resolve = (source: Partial<ShownTask>) => sourceOf(source.payload);
  fieldsOf(schema, "Task")["result"]!.resolve = (source: Partial<ShownTask>) => sourceOf(source.result);
  return schema;
}

function fieldsOf(schema: GraphQLSchema, type: string): Record<string, { resolve?: unknown }> {
  return (schema.getType(type) as unknown as { getFields(): Record<string, { resolve?: unknown }> }).getFields();
}

/** Null for what a reduced task leaves out, and for a result that there is not. */
function sourceOf(text: JsonText | null | undefined): JsonSource | null {
  return text === undefined || text === null ? null : new JsonSource(text);
}

/**
 * Where a body holds values for JSON, by the types of its operation's variables; null where it holds none or cannot be
 * read.
 */
export function shapeOfBody(
  schema: GraphQLSchema,
  { query, operationName }: { query?: unknown; operationName?: unknown },
  maxTokens: number,
): JsonShape | null {
  // Only mutations take JSON.
  if (typeof query !== "string" || !query.includes("mutation")) return null;
  const operation = operationOf(query, operationName, maxTokens);
  if (!operation?.variableDefinitions || operation.variableDefinitions.length === 0) return null;
  const types = new Map(
    operation.variableDefinitions.map(({ variable, type }) => [
      variable.name.value,
      typeFromAST(schema, type as never) as GraphQLInputType | undefined,
    ]),
  );
  const variables: JsonShape = { fields: (name) => shapeOf(types.get(name)) };
  return { fields: (name) => (name === "variables" ? variables : undefined) };
}

function operationOf(query: string, name: unknown, maxTokens: number): OperationDefinitionNode | undefined {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens });
  } catch {
    return undefined;
  }
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  return typeof name === "string" ? operations.find((operation) => operation.name?.value === name) : operations[0];
}

function shapeOf(type: GraphQLInputType | undefined): JsonShape | undefined {
  if (!type) return undefined;
  if (isNonNullType(type)) return shapeOf(type.ofType);
  if (isListType(type)) {
    const items = shapeOf(type.ofType);
    return items && { items };
  }
  if (isInputObjectType(type)) return { fields: (name) => shapeOf(type.getFields()[name]?.type) };
  return getNamedType(type).name === "JSON" ? "text" : undefined;
}

/** A literal as JSON: its numbers are JSON's already. A variable in it counts as it was given. */
function textOfLiteral(node: ValueNode, variables: Variables): JsonText {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return node.value as JsonText;
    case Kind.STRING:
    case Kind.ENUM:
    case Kind.BOOLEAN:
      return jsonTextOf(node.value);
    case Kind.NULL:
      return jsonTextOf(null);
    case Kind.LIST:
      return `[${node.values.map((value) => textOfLiteral(value, variables)).join(",")}]` as JsonText;
    case Kind.OBJECT:
      return textOfObject(node, variables);
    case Kind.VARIABLE:
      return textOfVariable(node.name.value, variables);
  }
}

function textOfObject({ fields }: ObjectValueNode, variables: Variables): JsonText {
  const members = fields.map(({ name, value }) => `${JSON.stringify(name.value)}:${textOfLiteral(value, variables)}`);
  return `{${members.join(",")}}` as JsonText;
}

/** The rules of the language look at a literal before there are variables. Then its text does not matter. */
function textOfVariable(name: string, variables: Variables): JsonText {
  if (variables && !Object.hasOwn(variables, name))
    throw new TypeError(`The variable "$${name}" has no value, and stands within JSON`);
  return textOfValue(variables?.[name]);
}

function textOfValue(value: unknown): JsonText {
  if (JsonSource.is(value)) return value.text;
  return (JSON.stringify(value) ?? "null") as JsonText;
}
