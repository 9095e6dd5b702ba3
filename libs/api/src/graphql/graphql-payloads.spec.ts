import { expect, test } from "@jest/globals";
import { buildSchema, graphql } from "graphql";
import { keepJsonText } from "./graphql-payloads.js";

const SCHEMA = keepJsonText(
  buildSchema(`
    scalar JSON
    type Task { payload: JSON result: JSON }
    type Schedule { payload: JSON }
    type PulledTask { payload: JSON }
    type Query { echo(value: JSON): String task: Task schedule: Schedule pulled: PulledTask }
  `),
);

/** What a field gets of `{ a: $x }`. */
async function echoOf(variableValues: Record<string, unknown>): Promise<unknown> {
  const { data, errors } = await graphql({
    schema: SCHEMA,
    source: "query ($x: JSON) { echo(value: { a: $x }) }",
    variableValues,
    rootValue: { echo: ({ value }: { value: { text: string } }) => value.text },
  });
  return errors?.[0]?.message ?? data?.["echo"];
}

test("a variable within JSON that has no value is an error that names it, and never null", async () => {
  expect(await echoOf({ x: 5 })).toBe('{"a":5}');
  expect(await echoOf({ x: null })).toBe('{"a":null}');
  expect(await echoOf({})).toMatch(/\$x/);
});
