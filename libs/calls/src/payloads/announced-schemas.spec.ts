import { expect, test } from "@jest/globals";
import { type Fault, type Json, jsonTextOf, type TelemetryEvent } from "@tickwheel/core";
import * as z from "zod";
import { AnnouncedSchemas } from "./announced-schemas.js";

const told: TelemetryEvent[] = [];
const schemas = new AnnouncedSchemas(
  () => undefined,
  (event) => told.push(event),
);
const check = (type: string, schema: string, payload: Json): readonly Fault[] =>
  schemas.check(type, schema, jsonTextOf(payload));
const textOf = (schema: z.ZodType): string =>
  JSON.stringify(schema["~standard"].jsonSchema.input({ target: "draft-2020-12" }));

test("every fault by an announced schema has its path, and no value", () => {
  const schema = z.strictObject({
    "a/b~c": z.string(),
    items: z.array(z.object({ n: z.int().max(5) })),
    kind: z.enum(["x"]),
  });
  const faults = check("t", textOf(schema), {
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

test("a payload that fits an announced schema has no fault, and a pattern is not run", () => {
  const schema = textOf(z.object({ id: z.string().regex(/^(a+)+$/) }));
  expect(check("t", schema, { id: `${"a".repeat(60)}!` })).toEqual([]);
});

test.each([
  ["no JSON", "{"],
  ["no schema", '{"type":7}'],
  ["a reference to elsewhere", '{"$ref":"https://example.com/schema.json"}'],
])("the announcement of %s checks nothing, and is told once", (_name, text) => {
  told.length = 0;
  for (let round = 0; round < 3; round++) expect(check("t", text, 1)).toEqual([]);
  expect(told).toEqual([
    expect.objectContaining({ name: "payload.schema.ignored", facts: { type: "t", why: "UNCOMPILABLE" } }),
  ]);
});

test.each([
  ["patternProperties", { patternProperties: { "^a": { type: "string" } }, additionalProperties: false }, { b: 1 }],
  ["uniqueItems", { uniqueItems: true }, [{}, {}]],
  ["a turned pattern", { not: { pattern: "^a" } }, "b"],
  ["oneOf that patterns tell apart", { oneOf: [{ pattern: "^a" }, { pattern: "^b" }] }, "a"],
])("the check of %s refuses nothing that its schema takes", (_name, schema, payload) => {
  expect(check("t", JSON.stringify(schema), payload)).toEqual([]);
});

test("a value that fits none of a schema's branches is a fault", () => {
  const text = JSON.stringify({ oneOf: [{ type: "string" }, { type: "number" }] });
  expect(check("t", text, "a")).toEqual([]);
  expect(check("t", text, true)).not.toEqual([]);
});

test("two announced schemas with one id, and an asynchronous one, check values like all others", () => {
  const texts = ["string", "number"].map((type) => JSON.stringify({ $id: "https://a.example/", $async: true, type }));
  expect(texts.map((text) => check("t", text, 1).length)).toEqual([1, 0]);
});

test("a payload of very many faults has a bounded cost: as many are found as an error tells, and one more", () => {
  const branches = Array.from({ length: 20 }, (_, index) => z.object({ kind: z.literal(`k${index}`), a: z.string() }));
  const faults = check("t", textOf(z.array(z.union(branches))), Array<Json>(20_000).fill({}));
  expect(faults).toHaveLength(51);
  expect(new Set(faults.map(({ path }) => path.slice(0, 10)))).toEqual(new Set(["payload[0]", "payload[1]"]));
});

test("a tree of zod's is checked where its definition is not known", () => {
  const tree = z.object({
    id: z.string(),
    get children() {
      return z.array(tree).optional();
    },
  });
  const text = textOf(tree);
  expect(check("t", text, { id: "a", children: [{ id: "b", children: [] }] })).toEqual([]);
  expect(check("t", text, { id: "a", children: [{ id: "b", children: [{ id: 7 }] }] })).toEqual([
    { path: "payload.children[0].children[0].id", message: "must be string" },
  ]);
});

test("a payload is taken where its schema asks for too many steps, which is told once", () => {
  const text = JSON.stringify({ allOf: [{ $ref: "#" }, { $ref: "#" }] });
  told.length = 0;
  for (let round = 0; round < 3; round++) expect(check("costly", text, 1)).toEqual([]);
  expect(told.map(({ facts }) => facts)).toEqual([{ type: "costly", why: "TOO_COSTLY" }]);
});

test("an announced schema that is longer than a node announces, or is no text, is not read, and told once", () => {
  const long = JSON.stringify({ type: "string", title: "ü".repeat(8_192) });
  const policies: unknown[] = [long, 7, null];
  for (const payloadSchema of policies) {
    const events: TelemetryEvent[] = [];
    const known = new AnnouncedSchemas(
      () => ({ payloadSchema: payloadSchema as string, payloadVersion: 3 }),
      (event) => events.push(event),
    );
    for (let round = 0; round < 3; round++)
      expect(known.policyOf({ namespace: "n", type: "t" })).toEqual({ payloadSchema: undefined, payloadVersion: 3 });
    expect(events.map(({ facts }) => facts)).toEqual([{ type: "t", why: "TOO_LONG" }]);
  }
});
