import { describe, expect, test } from "@jest/globals";
import type { Json } from "@tickwheel/core";
import { checkBySchema } from "./check-by-schema.js";
import { compileSchema } from "./compile-schema.js";
import { FITS, Look, MISFIT, UNKNOWN } from "./look.js";

const STEPS = 10_000;

function verdictOf(schema: Json, value: Json): number {
  return compileSchema(schema)(value, new Look(STEPS, 51));
}

function faultsOf(schema: Json, value: Json): string[] {
  const look = new Look(STEPS, 51);
  compileSchema(schema)(value, look);
  return look.faults.map(({ path, message }) => `${path} ${message}`);
}

describe("every keyword tells what fits from what does not", () => {
  const cases: [Json, fits: Json[], misfits: Json[]][] = [
    [{ type: "integer" }, [1, -0], [1.5, "1", null]],
    [{ type: ["string", "null"] }, ["", null], [0, {}, []]],
    [{ type: "object" }, [{}], [[], null]],
    [{ type: "array" }, [[]], [{}]],
    [{ const: { a: [1] } }, [{ a: [1] }], [{ a: [2] }, { a: [1], b: 1 }, [1]]],
    [{ enum: ["a", [1], null] }, ["a", [1], null], ["b", [1, 2], false]],
    [{ minimum: 1, maximum: 2 }, [1, 2, "x"], [0, 3]],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 2 }, [1.5], [1, 2]],
    [{ multipleOf: 0.1 }, [0.3, 1e308], [0.35]],
    [{ minLength: 2, maxLength: 2 }, ["ab", "😀", "😀😀"], ["a", "abc", "😀😀😀"]],
    [{ minItems: 1, maxItems: 2 }, [[1], {}], [[], [1, 2, 3]]],
    [{ prefixItems: [{ type: "string" }], items: { type: "number" } }, [["a", 1], []], [[1], ["a", "b"]]],
    [{ contains: { type: "string" } }, [["a", 1]], [[], [1]]],
    [{ contains: { type: "string" }, minContains: 0, maxContains: 1 }, [[], ["a"]], [["a", "b"]]],
    [{ required: ["a"] }, [{ a: null }, 5], [{}]],
    [{ minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
    [{ properties: { a: { type: "string" } } }, [{ a: "x", b: 1 }, {}], [{ a: 1 }]],
    [{ properties: { a: true }, additionalProperties: false }, [{ a: 1 }], [{ b: 1 }]],
    [{ additionalProperties: { type: "string" } }, [{ b: "x" }], [{ b: 1 }]],
    [{ propertyNames: { maxLength: 1 } }, [{}], [{ ab: 1 }]],
    [{ dependentRequired: { a: ["b"] } }, [{ a: 1, b: 1 }, {}], [{ a: 1 }]],
    [{ dependentSchemas: { a: { maxProperties: 1 } } }, [{ a: 1 }], [{ a: 1, b: 1 }]],
    [{ allOf: [{ type: "string" }, { minLength: 1 }] }, ["a"], ["", 1]],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, ["a", null], [1]],
    [{ not: { type: "string" } }, [1], ["a"]],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    [{ if: { type: "string" }, then: { minLength: 1 }, else: { type: "null" } }, ["a", null], ["", 1]],
    [false, [], [1]],
    [{ properties: { ["__proto__"]: { type: "string" } } }, [{}], [JSON.parse('{"__proto__":1}') as Json]],
  ];

  test.each(cases)("the schema %j tells what fits from what does not", (schema, fits, misfits) => {
    for (const value of fits) expect([value, verdictOf(schema, value)]).not.toEqual([value, MISFIT]);
    for (const value of misfits) {
      expect([value, verdictOf(schema, value)]).toEqual([value, MISFIT]);
      expect(faultsOf(schema, value)).not.toEqual([]);
    }
  });
});

test.each([
  ["a pattern", { pattern: "^b" }, "a"],
  ["a format", { format: "email" }, "a"],
  ["fields that a pattern may name", { patternProperties: { "^a": true }, additionalProperties: false }, { b: 1 }],
  ["what is not evaluated", { unevaluatedProperties: false }, { b: 1 }],
  ["unique items", { uniqueItems: true }, [1, 1]],
  ["one of two that both fit", { oneOf: [{ type: "number" }, { minimum: 0 }] }, 1],
])("the verdict on %s is unknown, and so is that on any schema made of it", (_name, schema, value) => {
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  const turned = [{ not: schema }, { if: schema, then: false, else: false }, { anyOf: [schema, false] }];
  for (const whole of [schema, ...turned]) expect(verdictOf(whole as Json, value)).toBe(UNKNOWN);
  expect(verdictOf({ contains: schema, maxContains: 0 } as Json, [value])).toBe(UNKNOWN);
});

describe("references", () => {
  const defs = { $defs: { text: { type: "string" }, "a/b~c %": { $anchor: "named", type: "string" } } };

  test.each([
    ["a pointer", { $ref: "#/$defs/text", ...defs }],
    ["a pointer with escapes", { $ref: "#/$defs/a~1b~0c%20%25", ...defs }],
    ["an anchor", { $ref: "#named", ...defs }],
    ["its own id", { $id: "https://a.example/", $ref: "https://a.example/#named", ...defs }],
    ["a dynamic one", { $dynamicRef: "#node", $defs: { node: { $dynamicAnchor: "node", type: "string" } } }],
    ["one to one", { $ref: "#/$defs/one", $defs: { one: { $ref: "#/$defs/two" }, two: { type: "string" } } }],
  ])("a schema's reference is followed: %s", (_name, schema) => {
    expect([verdictOf(schema as Json, "a"), verdictOf(schema as Json, 1)]).toEqual([FITS, MISFIT]);
  });

  test.each([
    ["#", { properties: { id: { type: "string" }, children: { items: { $ref: "#" } } } }],
    [
      "a dynamic one",
      { $dynamicAnchor: "n", properties: { id: { type: "string" }, children: { items: { $dynamicRef: "#n" } } } },
    ],
  ])("a tree is checked to its leaves by a schema that refers to itself: %s", (_name, schema) => {
    expect(verdictOf(schema as Json, { children: [{ id: "a", children: [{ id: "b" }] }] })).toBe(FITS);
    expect(faultsOf(schema as Json, { children: [{ children: [{ id: 7 }] }] })).toEqual([
      "payload.children[0].children[0].id must be string",
    ]);
  });
});

test.each([
  ["a type that there is not", { type: 7 }],
  ["no list", { required: "a" }],
  ["no object", { properties: [] }],
  ["no number", { maxLength: "a" }],
  ["no schema", { items: [{}] }],
  ["another draft", { $schema: "http://json-schema.org/draft-07/schema#" }],
  ["a reference to elsewhere", { $ref: "https://example.com/schema.json" }],
  ["a reference to nothing", { $ref: "#/$defs/none" }],
  ["a reference to what every object has", { $ref: "#/constructor" }],
  ["an id within", { $defs: { a: { $id: "https://a.example/" } } }],
  ["very deep", Array.from({ length: 200 }).reduce((inner) => ({ not: inner }), {})],
])("a value that is no schema is not compiled: %s", (_name, schema) => {
  expect(() => compileSchema(schema as Json)).toThrow(/^malformed schema: /);
});

describe("a look is bounded, whatever the schema", () => {
  /** Each definition asks the next one twice, so the last one is asked 2^40 times. */
  const doubling: Record<string, Json> = Object.fromEntries(
    Array.from({ length: 41 }, (_, index): [string, Json] => {
      const next = { $ref: `#/$defs/d${index + 1}` };
      return [`d${index}`, index === 40 ? { type: "number" } : { allOf: [next, next] }];
    }),
  );
  const schemas: [string, Json, Json][] = [
    ["references that double", { $ref: "#/$defs/d0", $defs: doubling }, 1],
    ["dynamic ones that double", { $dynamicAnchor: "n", anyOf: [{ $dynamicRef: "#n" }, { $dynamicRef: "#n" }] }, 1],
    ["a reference to itself", { $ref: "#" }, 1],
    ["not a reference to itself", { not: { $ref: "#" } }, 1],
    ["very many branches", { items: { anyOf: Array(3_000).fill(false) } }, Array(30_000).fill(0)],
    ["very many that fit", { items: { allOf: Array(3_000).fill(true) } }, Array(30_000).fill(0)],
    ["very many values", { items: { enum: Array.from({ length: 2_000 }, (_, at) => [at]) } }, Array(5_000).fill([-1])],
    ["very many lengths", { allOf: Array(1_000).fill({ maxLength: 40_000 }) }, "x".repeat(60_000)],
    ["very many contained", { allOf: Array(1_000).fill({ contains: { type: "null" } }) }, Array(30_000).fill(0)],
  ];

  test.each(schemas)("a look by a schema is bounded: %s", (_name, schema, value) => {
    const look = new Look(STEPS, 51);
    const verdict = compileSchema(schema)(value, look);
    // A misfit stands where its faults were found before the end.
    expect(verdict === UNKNOWN || look.faults.length > 0).toBe(true);
    expect(look.isOver || look.isCut).toBe(true);
  });

  test("a look by a schema looks at no more than tells the wanted faults", () => {
    let looked = 0;
    const items = Array.from({ length: 30_000 }, () => ({
      get kind() {
        looked++;
        return 0;
      },
    }));
    const branches = Array.from({ length: 20 }, (_, at) => ({ properties: { kind: { const: `k${at}` } } }));
    const check = compileSchema({ items: { anyOf: branches } });
    const found = checkBySchema(check, { value: items as unknown as Json, bytes: 65_536 }, 51);
    expect([found.faults.length, found.isCut]).toEqual([51, false]);
    // Three items have 51 faults; each branch looks twice.
    expect(looked).toBeLessThanOrEqual(3 * 20 * 2);
  });

  test("a look by a schema is bounded by the value's size", () => {
    let looked = 0;
    const value = {
      get a() {
        looked++;
        return 0;
      },
    };
    const check = compileSchema({
      $ref: "#/$defs/d0",
      $defs: { ...doubling, d40: { properties: { a: { type: "number" } } } },
    });
    const found = checkBySchema(check, { value, bytes: 7 }, 51);
    expect(found).toEqual({ faults: [], isCut: true });
    expect(looked).toBeLessThan(10_000);
  });
});
