import { expect, test } from "@jest/globals";
import { INPUTS } from "@tickwheel/calls";
import { isInputObjectType, isObjectType } from "graphql";
import { graphqlSchema } from "../graphql/graphql-schema.js";
import { OPENAPI_SCHEMAS } from "./openapi-schemas.js";

type Fields = { properties: Record<string, unknown> };
const schemas = OPENAPI_SCHEMAS as unknown as Record<string, Fields>;
const inputs = Object.entries(INPUTS).map(([name, { shape }]) => ({ name, fields: Object.keys(shape) }));

test.each(inputs)("$name has the same fields in the OpenAPI document as in the code", ({ name, fields }) => {
  expect(Object.keys(schemas[name]!.properties).toSorted()).toEqual(fields.toSorted());
});

test.each([
  ["TaskInput", "TaskInput"],
  ["TaskChangesInput", "TaskChangesInput"],
  ["BackoffInput", "BackoffInput"],
  ["DeliverInput", "DeliverInput"],
  ["BatchInput", "BatchInput"],
])("GraphQL's %s has the fields of %s", (graphqlName, name) => {
  const type = graphqlSchema.getType(graphqlName);
  if (!isInputObjectType(type)) throw new Error(`${graphqlName} is not an input`);
  expect(Object.keys(type.getFields()).toSorted()).toEqual(Object.keys(schemas[name]!.properties).toSorted());
});

test.each(["Task", "Batch", "Cluster", "Stats"])("GraphQL's %s has the fields of REST's", (name) => {
  const type = graphqlSchema.getType(name);
  if (!isObjectType(type)) throw new Error(`${name} is not a type`);
  expect(Object.keys(type.getFields()).toSorted()).toEqual(Object.keys(schemas[name]!.properties).toSorted());
});

test("every reference leads to a schema", () => {
  const names = [...JSON.stringify(OPENAPI_SCHEMAS).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
    ([, name]) => name!,
  );
  expect(names.filter((name) => !(name in OPENAPI_SCHEMAS))).toEqual([]);
  expect(names.length).toBeGreaterThan(0);
});
