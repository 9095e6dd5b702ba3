import "reflect-metadata";
import { describe, expect, test } from "@jest/globals";
import type { Fault } from "@tickwheel/core";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type as ark } from "arktype";
import { Type } from "class-transformer";
import { IsArray, IsIn, IsInt, IsString, Matches, Max, MinLength, ValidateNested } from "class-validator";
import * as v from "valibot";
import * as z from "zod";
import { type PayloadSchema, payloadSchemaOf } from "./payload-schema.js";

class Item {
  @IsString()
  @Matches(/^x/)
  sku!: string;
}

class Order {
  @MinLength(3)
  id!: string;

  @IsInt()
  @Max(5)
  count!: number;

  @IsIn(["a", "b"])
  kind!: string;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Item)
  items!: Item[];
}

/** One schema, in each library. */
const LIBRARIES = {
  zod: z.object({
    id: z.string().min(3),
    count: z.number().int().max(5),
    kind: z.enum(["a", "b"]),
    items: z.array(z.object({ sku: z.string().regex(/^x/) })),
  }),
  valibot: toStandardJsonSchema(
    v.object({
      id: v.pipe(v.string(), v.minLength(3)),
      count: v.pipe(v.number(), v.integer(), v.maxValue(5)),
      kind: v.picklist(["a", "b"]),
      items: v.array(v.object({ sku: v.pipe(v.string(), v.regex(/^x/)) })),
    }),
  ),
  arktype: ark({
    id: "string>=3",
    count: "number.integer<=5",
    kind: "'a'|'b'",
    items: ark({ sku: /^x/ }).array(),
  }),
  "class-validator": Order,
};

const GOOD = { id: "abc", count: 5, kind: "a", items: [{ sku: "x1" }] };
const BAD = { id: "s!", count: 77, kind: "secret-kind", items: [{ sku: "x1" }, { sku: "secret-sku" }] };

function faultsOf(schema: PayloadSchema, value: unknown): readonly Fault[] {
  const checked = schema.check(value);
  return "faults" in checked ? checked.faults : [];
}

describe.each(Object.entries(LIBRARIES))("a schema of %s", (name, given) => {
  const schema = payloadSchemaOf("order", given);

  test("a payload schema takes what fits", () => {
    expect(schema.check(GOOD)).toEqual({ value: GOOD });
  });

  test("a payload schema names every fault by its path, and no value", () => {
    const faults = faultsOf(schema, BAD);
    const paths = ["payload.count", "payload.id", "payload.items[1].sku", "payload.kind"];
    expect(faults.map(({ path }) => path).toSorted()).toEqual(paths);
    expect(JSON.stringify(faults)).not.toMatch(/secret|s!|77/);
    for (const { message } of faults) expect(message).toMatch(/^(?!payload|items|sku|id |kind |count ).{5,}/);
  });

  test.each([null, "secret-text", 5, [1]])("a payload schema refuses %j, which is no object", (value) => {
    const faults = faultsOf(schema, value);
    expect(faults[0]).toMatchObject({ path: expect.stringMatching(/^payload/) });
    expect(JSON.stringify(faults)).not.toContain("secret");
  });

  test(`a payload schema ${name === "class-validator" ? "has no" : "has a"} JSON Schema of what may be given`, () => {
    const made = JSON.parse(schema.jsonSchema() ?? "null") as { required?: string[] } | null;
    expect(made?.required?.toSorted()).toEqual(
      name === "class-validator" ? undefined : ["count", "id", "items", "kind"],
    );
  });
});

test("the handler gets what a schema makes of the payload", () => {
  const schema = payloadSchemaOf("order", z.object({ at: z.coerce.date(), by: z.string().default("nobody") }));
  expect(schema.check({ at: "2026-01-01" })).toEqual({ value: { at: new Date("2026-01-01"), by: "nobody" } });
  expect(payloadSchemaOf("order", Order).check(GOOD)).toEqual({ value: expect.any(Order) });
});

test("a message of the application's own that repeats the payload is replaced", () => {
  const own = z.object({ id: z.string().refine(() => false, { error: ({ input }) => `no order ${String(input)}` }) });
  const faults = faultsOf(payloadSchemaOf("order", own), { id: "x7" });
  expect(faults).toEqual([{ path: "payload.id", message: "does not fit its schema" }]);
  const other = z
    .object({ id: z.string(), token: z.string() })
    .refine(() => false, { path: ["id"], error: ({ input }) => `of ${(input as { token: string }).token}` });
  expect(faultsOf(payloadSchemaOf("order", other), { id: "1", token: "hunter2" })[0]?.message).toBe(
    "does not fit its schema",
  );
});

test("a schema that throws is a fault, whose text tells nothing of what it threw", () => {
  const throwing = z.unknown().transform((value) => {
    throw new Error(`secret ${String(value)}`);
  });
  const told = [{ path: "payload", message: "cannot be checked: its schema throws" }];
  expect(payloadSchemaOf("order", throwing).check("secret")).toEqual({ faults: told });
});

test("a schema that answers with a promise is refused", () => {
  const waiting = z.string().refine(() => Promise.resolve(true));
  const text =
    'The definition of "order" has a schema that answers with a promise: what checks a payload must not wait.';
  expect(() => payloadSchemaOf("order", waiting).check("a")).toThrow(
    expect.objectContaining({ code: "CONFIGURATION_INVALID", message: text }),
  );
});

test.each([[null], ["text"], [{}], [() => true]])("%p is no payload schema", (schema) => {
  expect(() => payloadSchemaOf("order", schema)).toThrow(expect.objectContaining({ code: "CONFIGURATION_INVALID" }));
});

test("a payload with very many faults has one more than an error tells", () => {
  const schema = payloadSchemaOf("order", z.array(z.string()));
  expect(
    faultsOf(
      schema,
      Array.from({ length: 200 }, (_, index) => index),
    ),
  ).toHaveLength(51);
});

test("a long name within a path costs no more than its characters, and very many values are no argument list", () => {
  const schema = payloadSchemaOf("order", z.record(z.string(), z.object({ n: z.number("n is no number") })));
  const name = "x".repeat(60_000);
  expect(faultsOf(schema, { [name]: { n: "a" } })).toEqual([{ path: `payload.${name}.n`, message: "is no number" }]);
  const wide = payloadSchemaOf("order", z.looseObject({ n: z.number() }));
  expect(faultsOf(wide, { n: "a", list: Array(200_000).fill(0) })).toHaveLength(1);
});
