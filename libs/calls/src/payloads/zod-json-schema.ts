import type { StandardJSONSchemaV1 } from "@standard-schema/spec";

type MakeJsonSchema = StandardJSONSchemaV1.Converter["input"];
type JsonSchema = Record<string, unknown>;

/** What is read of zod's description of a schema. */
interface ZodDefinition {
  type: string;
  coerce?: boolean;
  in?: ZodSchema;
  shape?: Readonly<Record<string, ZodSchema>>;
  checks?: readonly { _zod: { def: { check: string } } }[];
}
interface ZodSchema {
  _zod: { def: ZodDefinition };
}
interface Overridden {
  zodSchema: ZodSchema;
  jsonSchema: JsonSchema;
}

const SCALARS = ["string", "number", "boolean", "null", "literal", "enum", "template_literal"];
const COMPOSED = ["object", "array", "tuple", "record", "union"];
const WRAPPERS = ["optional", "nonoptional", "nullable", "default", "prefault", "readonly", "lazy", "pipe"];
/** Those of which zod takes nothing that their JSON Schema refuses. */
const TOLD = new Set([...SCALARS, ...COMPOSED, ...WRAPPERS, "any", "unknown", "never"]);
/** Those that a missing field never fits. */
const NEEDED = new Set([...SCALARS, "object", "array", "tuple", "record"]);

/** Texts and numbers, which zod itself looks at: at formats, patterns, refinements, and what it makes of them first. */
const LEAVES = new Set(["string", "number"]);
/** The keyword of a leaf: its place in the list of leaves. */
export const LEAF = "zodLeaf";

/** What takes a value or not. */
export interface ZodLeaf {
  safeParse(value: unknown): { success: boolean };
}

/**
 * The JSON Schema of what a schema of zod takes, never stricter than zod: what coerces, catches, or changes its value
 * first takes anything in it. For a text or a number it names a leaf.
 *
 * @throws what zod throws where it can make none
 */
export function looseJsonSchema(make: MakeJsonSchema): { schema: JsonSchema; leaves: readonly ZodLeaf[] } {
  const leaves: ZodLeaf[] = [];
  const override = (overridden: Overridden): void => {
    loosen(overridden);
    const { zodSchema, jsonSchema } = overridden;
    if (LEAVES.has(zodSchema._zod.def.type) && isLeaf(zodSchema)) jsonSchema[LEAF] = leaves.push(zodSchema) - 1;
  };
  const schema = make({ target: "draft-2020-12", libraryOptions: { unrepresentable: "any", override } });
  return { schema, leaves };
}

/** A schema of `zod/mini` has no methods. */
function isLeaf(schema: object): schema is ZodLeaf {
  return typeof (schema as Partial<ZodLeaf>).safeParse === "function";
}

function loosen({ zodSchema, jsonSchema }: Overridden): void {
  const { def } = zodSchema._zod;
  if (!isTold(def)) for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword];
  // What zod takes for an absent one is not told.
  if (def.type === "tuple") delete jsonSchema.minItems;
  if (def.type === "record") for (const keyword of ["required", "propertyNames"]) delete jsonSchema[keyword];
  const { shape } = def;
  if (shape && Array.isArray(jsonSchema.required))
    jsonSchema.required = jsonSchema.required.filter((name: string) => isNeeded(shape[name]?._zod.def));
}

function isTold({ type, coerce, in: first, checks = [] }: ZodDefinition): boolean {
  const changes = coerce === true || first?._zod.def.type === "transform";
  return TOLD.has(type) && !changes && checks.every(({ _zod }) => _zod.def.check !== "overwrite");
}

function isNeeded(def: ZodDefinition | undefined): boolean {
  return def !== undefined && NEEDED.has(def.type) && isTold(def);
}
