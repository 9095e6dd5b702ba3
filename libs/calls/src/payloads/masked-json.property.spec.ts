import { expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Json, JsonText } from "@tickwheel/core";
import { maskedJson } from "./masked-json.js";

const masked = (value: Json): unknown => JSON.parse(maskedJson(JSON.stringify(value) as JsonText));

it("masked JSON keeps names and kinds, and no value", () => {
  const order = {
    orderId: "A-1007",
    total: 42,
    isPaid: false,
    note: null,
    none: [],
    customer: { name: "Ada", address: { street: { name: { of: "deep" } } } },
    items: [{ sku: "x" }, { sku: "y" }, { sku: "z" }],
    codes: ["secret"],
    matrix: [[1], [2]],
  };
  expect(masked(order)).toEqual({
    orderId: "•string(6)",
    total: "•number",
    isPaid: "•boolean",
    note: "•null",
    none: [],
    customer: { name: "•string(3)", address: { street: { name: "•object" } } },
    items: ["•object", "… 2 more"],
    codes: ["•string(6)"],
    matrix: ["•list", "… 1 more"],
  });
});

it.each([
  ["A-1007", "•string(6)"],
  [42, "•number"],
  [true, "•boolean"],
  [null, "•null"],
])("masked JSON masks %j, which is no object", (value, shape) => {
  expect(masked(value)).toBe(shape);
});

it("masked JSON keeps a name that every object inherits", () => {
  const text = '{"__proto__":{"secret":1},"constructor":2}' as JsonText;
  expect(maskedJson(text)).toBe('{"__proto__":{"secret":"•number"},"constructor":"•number"}');
});

it("masked JSON shows 50 names and tells how many more there are", () => {
  const names = Array.from({ length: 60 }, (_, at) => `name${at}`);
  const shape = masked(Object.fromEntries(names.map((name) => [name, 1]))) as Record<string, string>;
  expect(Object.keys(shape)).toHaveLength(51);
  expect(shape["…"]).toBe("… 10 more");
});

it("masked JSON never shows a text or a number of what it masks", () => {
  const secret = "hunter2";
  const leaf = fc.oneof(fc.constant(secret), fc.constant(271_828_182), fc.boolean(), fc.constant(null));
  const value = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      leaf,
      fc.array(tie("json"), { maxLength: 5 }),
      fc.dictionary(fc.stringMatching(/^[a-f]{1,3}$/), tie("json"), { maxKeys: 8 }),
    ),
  })).json;
  fc.assert(
    fc.property(value, (json) => {
      const text = maskedJson(JSON.stringify(json) as JsonText);
      expect(text).not.toContain(secret);
      expect(text).not.toContain("271828182");
      expect(() => void JSON.parse(text)).not.toThrow();
    }),
  );
});
