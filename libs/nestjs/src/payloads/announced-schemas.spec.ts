import { expect, test } from "@jest/globals";
import type { TelemetryEvent } from "@tickwheel/core";
import * as z from "zod";
import { AnnouncedSchemas } from "./announced-schemas.js";

const told: TelemetryEvent[] = [];
const schemas = new AnnouncedSchemas(
  () => undefined,
  (event) => told.push(event),
);
const textOf = (schema: z.ZodType): string =>
  JSON.stringify(schema["~standard"].jsonSchema.input({ target: "draft-2020-12" }));

test("every fault has its path, and no value", () => {
  const schema = z.strictObject({
    "a/b~c": z.string(),
    items: z.array(z.object({ n: z.int().max(5) })),
    kind: z.enum(["x"]),
  });
  const faults = schemas.check("t", textOf(schema), {
    "a/b~c": 7_777,
    items: [{ n: 1 }, { n: 99 }, {}],
    more: "secret",
  });
  expect(faults).toEqual(
    expect.arrayContaining([
      { path: "payload.kind", message: "is required" },
      { path: "payload.more", message: "is not a known field" },
      { path: "payload.a/b~c", message: "must be string" },
      { path: "payload.items[1].n", message: "must be <= 5" },
      { path: "payload.items[2].n", message: "is required" },
    ]),
  );
  expect(JSON.stringify(faults)).not.toMatch(/secret|7777|99/);
});

test("what fits has no fault, and a pattern is not run", () => {
  const schema = textOf(z.object({ id: z.string().regex(/^(a+)+$/) }));
  expect(schemas.check("t", schema, { id: `${"a".repeat(60)}!` })).toEqual([]);
});

test.each([
  ["no JSON", "{"],
  ["no schema", '{"type":7}'],
  ["a turned pattern", '{"not":{"pattern":"^a"}}'],
  ["a reference to elsewhere", '{"$ref":"https://example.com/schema.json"}'],
])("%s checks nothing, and is told once", (_name, text) => {
  told.length = 0;
  for (let round = 0; round < 3; round++) expect(schemas.check("t", text, 1)).toEqual([]);
  expect(told).toEqual([
    expect.objectContaining({ name: "payload.schema.ignored", facts: { type: "t", why: "UNCOMPILABLE" } }),
  ]);
});

test.each([
  ["patternProperties", { patternProperties: { "^a": { type: "string" } }, additionalProperties: false }, { b: 1 }],
  ["uniqueItems", { uniqueItems: true }, [{}, {}]],
  ["oneOf that patterns tell apart", { oneOf: [{ pattern: "^a" }, { pattern: "^b" }] }, "a"],
])("%s refuses nothing that its schema takes", (_name, schema, payload) => {
  expect(schemas.check("t", JSON.stringify(schema), payload)).toEqual([]);
});

test("a field of none of the branches is a fault", () => {
  const text = JSON.stringify({ oneOf: [{ type: "string" }, { type: "number" }] });
  expect(schemas.check("t", text, "a")).toEqual([]);
  expect(schemas.check("t", text, true)).not.toEqual([]);
});

test("two schemas with one id, and an asynchronous one, check as any other", () => {
  const texts = ["string", "number"].map((type) => JSON.stringify({ $id: "https://a.example/", $async: true, type }));
  expect(texts.map((text) => schemas.check("t", text, 1).length)).toEqual([1, 0]);
});
