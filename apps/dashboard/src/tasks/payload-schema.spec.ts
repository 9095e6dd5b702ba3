import { expect, test } from "@jest/globals";
import { exampleOf, fieldsOf, type JsonSchema } from "./payload-schema.js";

const order: JsonSchema = {
  type: "object",
  properties: {
    orderId: { type: "string", description: "Of the shop", examples: ["42"] },
    lines: { type: "array", items: { $ref: "#/$defs/line" } },
    kind: { enum: ["new", "old"] },
    note: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
  },
  required: ["orderId", "lines", "kind"],
  $defs: {
    line: {
      type: "object",
      properties: { sku: { type: "string" }, n: { type: "integer", minimum: 1 } },
      required: ["n"],
    },
  },
};

test("the fields of a payload schema have their paths, kinds, words and examples", () => {
  const shown = fieldsOf(order).map(({ path, kind, isRequired, example }) => [path, kind, isRequired, example]);
  expect(shown).toEqual([
    ["orderId", "string", true, '"42"'],
    ["lines", "list of object", true, ""],
    ["lines[].sku", "string", false, ""],
    ["lines[].n", "integer", true, ""],
    ["kind", '"new" | "old"', true, ""],
    ["note", "string | null", false, "null"],
  ]);
  expect(fieldsOf(order)[0]!.description).toBe("Of the shop");
});

test("the example of a payload has every required field", () => {
  expect(exampleOf(order)).toEqual({ orderId: "42", lines: [{ n: 1 }], kind: "new" });
});

test.each([
  [{ type: "string", format: "date-time" }, "2030-01-01T00:00:00Z"],
  [{ type: ["number", "null"], exclusiveMinimum: 2 }, 3],
  [{ type: "boolean" }, false],
  [{ const: 0 }, 0],
  [{ oneOf: [{ type: "array" }, { type: "string" }] }, []],
  [{ properties: 7, required: [7] }, null],
  [{}, null],
])("the example of the payload schema %j is %j", (schema, example) => {
  expect(exampleOf(schema)).toEqual(example);
});

test("a payload schema that holds itself comes to an end", () => {
  const tree: JsonSchema = {
    type: "object",
    properties: { next: { $ref: "#" }, all: { type: "array", items: { $ref: "#" } } },
    required: ["next"],
  };
  expect(fieldsOf(tree).length).toBeLessThanOrEqual(100);
  expect(JSON.stringify(exampleOf(tree))).toMatch(/null/);
  const list: JsonSchema = { type: "array", items: { $ref: "#/$defs/list" } };
  const [field] = fieldsOf({ properties: { a: list }, $defs: { list } });
  expect(field?.kind).toBe("list of list of any");
  expect(exampleOf(list)).toBeDefined();
});
