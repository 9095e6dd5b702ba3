import type { Fault } from "@tickwheel/core";
import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
} from "graphql";

/**
 * Fields of the variables that their types do not have. To be looked for before the language's own rules do: those
 * print the whole input once for each of them.
 *
 * @param most so many faults are enough
 */
export function unknownFields(
  { schema, document, operationName }: { schema: GraphQLSchema; document: DocumentNode; operationName?: string | null },
  variables: Readonly<Record<string, unknown>>,
  most: number,
): Fault[] {
  const faults: Fault[] = [];
  for (const { variable, type } of definitionsOf(document, operationName)) {
    const name = variable.name.value;
    const known = typeFromAST(schema, type as never) as GraphQLInputType | undefined;
    if (known) collect({ path: name, value: variables[name] }, known, { faults, most });
  }
  return faults;
}

function definitionsOf(
  document: DocumentNode,
  name?: string | null,
): OperationDefinitionNode["variableDefinitions"] & {} {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  const operation = name ? operations.find((one) => one.name?.value === name) : operations[0];
  return operation?.variableDefinitions ?? [];
}

interface Place {
  path: string;
  value: unknown;
}

function collect({ path, value }: Place, type: GraphQLInputType, into: { faults: Fault[]; most: number }): void {
  if (into.faults.length >= into.most || value === null || typeof value !== "object") return;
  if (isNonNullType(type)) return collect({ path, value }, type.ofType, into);
  if (isListType(type)) {
    // A list's type takes one item for a list, too.
    if (!Array.isArray(value)) return collect({ path, value }, type.ofType as GraphQLInputType, into);
    for (const [index, item] of value.entries())
      collect({ path: `${path}[${index}]`, value: item }, type.ofType as GraphQLInputType, into);
    return;
  }
  if (!isInputObjectType(type) || Array.isArray(value)) return;
  const fields = type.getFields();
  for (const [name, item] of Object.entries(value)) {
    if (into.faults.length >= into.most) return;
    if (!Object.hasOwn(fields, name)) into.faults.push({ path: `${path}.${name}`, message: "is not a known field" });
    else collect({ path: `${path}.${name}`, value: item }, fields[name]!.type, into);
  }
}
