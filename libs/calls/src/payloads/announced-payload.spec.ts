import { expect, test } from "@jest/globals";
import type { TelemetryEvent } from "@tickwheel/core";
import * as z from "zod";
import { announcedOf } from "./announced-payload.js";
import { payloadSchemaOf } from "./payload-schema.js";

const told: TelemetryEvent[] = [];
const announced = (schema: unknown, version: number | null) =>
  announcedOf("t", { schema: payloadSchemaOf("t", schema), version }, (event) => told.push(event));

test("a definition's payload schema is announced as text, with its version", () => {
  const { payloadSchema, payloadVersion } = announced(z.object({ id: z.string().default("a") }), 3);
  expect(JSON.parse(payloadSchema!)).toMatchObject({ type: "object", properties: { id: { type: "string" } } });
  expect(payloadVersion).toBe(3);
});

test.each([
  ["a class", class Payload {}],
  ["a schema that JSON Schema cannot say", z.object({ at: z.date() })],
])("the version alone is announced for %s", (_name, schema) => {
  expect(announced(schema, 2)).toEqual({ payloadSchema: undefined, payloadVersion: 2 });
  expect(told).toEqual([]);
});

test("nothing is announced of a type without a definition", () => {
  const nothing = { payloadSchema: undefined, payloadVersion: undefined };
  expect(announcedOf("t", undefined, (event) => told.push(event))).toEqual(nothing);
});

test("a schema of more than 16 KiB is told, and not announced", () => {
  expect(announced(z.literal("ü".repeat(8_192)), null)).toEqual({
    payloadSchema: undefined,
    payloadVersion: undefined,
  });
  expect(told).toEqual([
    expect.objectContaining({ name: "payload.schema.ignored", facts: { type: "t", why: "TOO_LONG" } }),
  ]);
});
