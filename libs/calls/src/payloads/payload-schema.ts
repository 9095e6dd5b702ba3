import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { Fault } from "@tickwheel/core";
import { ClassSchema, type PayloadClass } from "./class-schema.js";
import { invalid } from "./invalid.js";
import { StandardSchema } from "./standard-schema.js";

/**
 * What a definition may check its payloads by: a Standard Schema (zod, valibot, arktype, …), or a class of
 * class-validator.
 */
export type AnySchema = StandardSchemaV1 | PayloadClass;

/** What the caller who schedules gives. */
export type SchemaInput<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<Schema>
  : Schema extends PayloadClass
    ? InstanceType<Schema>
    : never;

/** What the handler gets. */
export type SchemaOutput<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : Schema extends PayloadClass
    ? InstanceType<Schema>
    : never;

/** What a schema makes of a value, or every fault of it; a path begins with `payload`, and no message holds a value. */
export type Checked = { value: unknown } | { faults: readonly Fault[] };

/** Checks payloads, whichever library it is made with. */
export interface PayloadSchema {
  /**
   * A schema that throws is a fault, too.
   *
   * @throws TickwheelError `CONFIGURATION_INVALID`: its answer is a promise
   */
  check(value: unknown): Checked;
  /** The JSON Schema (draft 2020-12) of what may be given, as text; null: its library cannot make one. */
  jsonSchema(): string | null;
}

/** @throws TickwheelError `CONFIGURATION_INVALID`: it is no schema, or of a library that is not installed */
export function payloadSchemaOf(type: string, schema: unknown): PayloadSchema {
  if (isStandard(schema)) return new StandardSchema(type, schema);
  if (typeof schema === "function" && isObject(schema.prototype)) return new ClassSchema(type, schema as PayloadClass);
  throw invalid(type, "has a schema that is neither a Standard Schema (zod, valibot, arktype) nor a class");
}

function isStandard(schema: unknown): schema is StandardSchemaV1 & Partial<StandardJSONSchemaV1> {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  const standard = (schema as { "~standard"?: { validate?: unknown } | null })["~standard"];
  return typeof standard?.validate === "function";
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
