import { describe, expect, test } from "@jest/globals";
import * as v from "valibot";
import * as z from "zod";
import { EarlyEnd } from "./early-end.js";
import { payloadSchemaOf } from "./payload-schema.js";

const MANY = 200;

function endOf(schema: z.ZodType): EarlyEnd {
  return new EarlyEnd(schema["~standard"].jsonSchema.input);
}

test("no more of a large payload is looked at than the reported faults need", () => {
  let asked = 0;
  const item = z.string().refine(() => ++asked > 0, { when: () => ++asked > 0 });
  const schema = payloadSchemaOf("t", z.array(z.union([z.object({ a: item }), z.object({ b: item })])));
  const checked = schema.check(Array(MANY).fill({ a: 1 }));
  expect(checked).toMatchObject({ faults: { length: 51, 0: { path: "payload[0]" } } });
  // zod would ask 400 times.
  expect(asked).toBeLessThanOrEqual(51);
});

test("formats, patterns and refinements of texts and numbers are looked at, too, until there are enough faults", () => {
  let refined = 0;
  const counted = z.number().refine(() => ++refined < 0);
  const kinds = [z.email(), z.string().regex(/^a/i), z.string().trim().min(1), counted];
  const end = endOf(z.array(z.union(kinds)));
  expect(end.faultsOf(Array(MANY).fill("A"))).toEqual([]);
  expect(end.faultsOf(Array(MANY).fill(" "))).toHaveLength(51);
  refined = 0;
  expect(end.faultsOf(Array(MANY).fill(7))).toHaveLength(51);
  expect(refined).toBeLessThanOrEqual(2 * 51);
});

test("valibot reports the first fault of a large payload, and looks no further", () => {
  let asked = 0;
  const item = v.custom<string>(() => ++asked < 0);
  const branches = [v.object({ a: item, b: item }), v.object({ b: item, a: item })];
  const schema = payloadSchemaOf("t", v.array(v.union(branches)));
  const checked = schema.check(Array(MANY).fill({ a: 1, b: 1 }));
  expect(checked).toMatchObject({ faults: { length: 1, 0: { path: "payload[0]" } } });
  expect(asked).toBe(branches.length);
  const ofTexts = payloadSchemaOf("t", v.array(v.string()));
  expect(ofTexts.check(Array(MANY).fill("a"))).toEqual({ value: Array(MANY).fill("a") });
});

test("zod itself decides where there are fewer faults, and on a small payload", () => {
  const own = z.array(z.string("is no text of ours"));
  const schema = payloadSchemaOf("t", own);
  const few = [...Array<string>(MANY).fill("a"), 1];
  for (const payload of [few, Array<number>(40).fill(1)]) {
    const checked = schema.check(payload) as { faults: readonly { message: string }[] };
    expect(checked.faults[0]?.message).toBe("is no text of ours");
  }
});

describe("what zod takes is never refused", () => {
  const dayOf = z.codec(z.string(), z.number(), { decode: Number, encode: String });
  const cases: Record<string, [z.ZodType, unknown]> = {
    "a number from a text": [z.coerce.number(), "7"],
    "one that may be absent": [z.object({ a: z.coerce.number().optional() }), { a: "7" }],
    "one that is described": [z.coerce.number().min(1).describe("many").meta({ id: "Many" }), "7"],
    "one in an alternative": [z.union([z.boolean(), z.coerce.number()]), "7"],
    "one that is transformed": [z.coerce.number().transform(String), "7"],
    "one that comes later": [z.lazy(() => z.coerce.number()), "7"],
    "a text without its blanks": [z.string().trim().max(3), "  abc  "],
    "a value that is made first": [z.preprocess(Number, z.number()), "7"],
    "a fault that is caught": [z.number().catch(0), "7"],
    "an absent field that is caught": [z.object({ a: z.number().catch(0), b: z.any() }), { b: 1 }],
    "an absent field that is made": [z.object({ a: z.preprocess(() => 1, z.number()) }), {}],
    "a codec": [dayOf, "7"],
    "two strict objects at once": [
      z.intersection(z.strictObject({ a: z.any() }), z.strictObject({ b: z.any() })),
      { a: 1, b: 1 },
    ],
    "names that are numbers": [z.record(z.number(), z.string()), { 7: "a" }],
    "what has no JSON Schema": [z.object({ at: z.coerce.date() }), { at: "2026-01-01" }],
    "a tuple whose end is caught": [z.tuple([z.string(), z.number().catch(0)]), ["a"]],
    "names that are listed, absent": [z.record(z.enum(["a", "b"]), z.number().catch(0)), {}],
    "a default": [z.object({ a: z.string().default("x") }), {}],
  };

  test.each(Object.entries(cases))("a payload that zod takes is never refused: %s", (_name, [schema, value]) => {
    const list = z.array(schema);
    const payload = Array<unknown>(MANY).fill(value);
    expect(list.safeParse(payload).success).toBe(true);
    expect(endOf(list).faultsOf(payload)).toEqual([]);
  });
});

test("a payload that an upgrade makes is left to zod where it is no JSON", () => {
  const schema = z.array(z.object({ at: z.string().optional() }));
  expect(endOf(schema).faultsOf(Array(MANY).fill({ at: undefined }))).toEqual([]);
  const round: unknown[] = Array(MANY).fill(1);
  round.push(round);
  expect(endOf(schema).faultsOf(round)).toEqual([]);
});

test("zod decides on a schema of which it can make no JSON Schema", () => {
  const end = new EarlyEnd(() => {
    throw new Error("none");
  });
  expect(end.faultsOf(Array(MANY).fill(1))).toEqual([]);
});
