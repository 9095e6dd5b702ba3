import * as z from "zod";
import { list, special, words } from "../shapes/parts.js";
import type { CodeNote, Fields, GraphqlScalar, JsonSchema, Shape } from "../shapes/shape.js";
import type { Told } from "./input-rules.js";

/** What an input, or a field of it, says of itself. */
export interface Said {
  /** One or two sentences in Markdown, the same for every edge. */
  text?: string;
  /** What is taken where the field is absent. */
  default?: unknown;
  example?: unknown;
  /** The enumeration of GraphQL that its words are. */
  words?: string;
  /** What the words mean. */
  texts?: Readonly<Record<string, string>>;
  /** It may be absent where the address has it. */
  mayLack?: true;
  /** Where code differs from the wire. */
  code?: CodeNote;
  /** What it looks like, where its rules cannot tell. */
  shape?: () => Shape;
}

/** What the rules of a field tell. */
export const TOLD = z.registry<Told>();
const SAID = z.registry<Said>();
const NAMES = new Map<z.ZodType, string>();

/**
 * Says what a field is for. The schema stays the same object.
 *
 * @example said(duration.nullish(), "How long one attempt may take.", { default: "60s" })
 */
export function said<Schema extends z.ZodType>(schema: Schema, text: string, more: Omit<Said, "text"> = {}): Schema {
  SAID.add(schema, { text, ...more });
  return schema;
}

/** Says what a field looks like, where its text is said elsewhere. */
export function looksLike<Schema extends z.ZodType>(schema: Schema, shape: () => Shape): Schema {
  SAID.add(schema, { shape });
  return schema;
}

/** Gives an input its name in the documents. An input that holds it refers to it. */
export function named<Input extends z.ZodObject>(name: string, input: Input, text?: string): Input {
  NAMES.set(input, name);
  if (text !== undefined) SAID.add(input, { text });
  return input;
}

/**
 * An input as a shape, read off its rules.
 *
 * @throws Error where it was not {@link named}
 */
export function inputShape(input: z.ZodObject): Shape {
  const name = NAMES.get(input);
  if (name === undefined) throw new Error("An input of the documents needs a name");
  const text = SAID.get(input)?.text;
  return {
    form: {
      kind: "object",
      name,
      fields: inputFields(input),
      isComponent: true,
      isInput: true,
      ...(text !== undefined && { text }),
    },
  };
}

/** The fields of an input that has no name, such as a query. */
export function inputFields(input: z.ZodObject): Fields {
  return fieldsOf(input.shape);
}

/** The same of some fields of an input. */
export function fieldsOf(shape: z.ZodRawShape): Fields {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, fieldShape(schema as z.ZodType)]));
}

function fieldShape(schema: z.ZodType): Shape {
  const { text, default: usual, example, shape, mayLack, code, ...more } = SAID.get(schema) ?? {};
  const found = shape ? withOptionality(schema, shape()) : shapeWithin(schema, more);
  return {
    ...found,
    ...(text !== undefined && { text }),
    ...(usual !== undefined && { default: usual }),
    ...(example !== undefined && { example }),
    ...(mayLack && { isOptional: true }),
    ...(takesNull(schema) && { takesNull: true }),
    ...(code !== undefined && { code }),
  };
}

function isOptional(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;
}

function takesNull(schema: z.ZodType): boolean {
  return (
    schema instanceof z.ZodNullable || (schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodNullable)
  );
}

function withOptionality(schema: z.ZodType, shape: Shape): Shape {
  return isOptional(schema) ? { ...shape, isOptional: true } : shape;
}

function shapeWithin(schema: z.ZodType, said: Pick<Said, "words" | "texts">): Shape {
  if (schema instanceof z.ZodOptional) return { ...innerShape(schema.unwrap(), said), isOptional: true };
  // An input takes null as absent; that is a leniency, and no document promises it.
  if (schema instanceof z.ZodNullable) return innerShape(schema.unwrap(), said);
  if (schema instanceof z.ZodDefault)
    return { ...innerShape(schema.unwrap(), said), isOptional: true, default: schema.def.defaultValue };
  if (schema instanceof z.ZodPipe)
    return innerShape(schema.def.in instanceof z.ZodTransform ? schema.def.out : schema.def.in, said);
  if (schema instanceof z.ZodObject) return inputShape(schema);
  return scalarShape(TOLD.get(schema) ?? { json: {} }, said);
}

/** What the outer schema says holds for the inner one too, which may say more. */
function innerShape(schema: unknown, said: Pick<Said, "words" | "texts">): Shape {
  const inner = fieldShape(schema as z.ZodType);
  return said.words === undefined ? inner : withWords(inner, said);
}

function withWords(shape: Shape, { words: name, texts = {} }: Pick<Said, "words" | "texts">): Shape {
  if (shape.form.kind === "list")
    return { ...shape, form: { ...shape.form, of: withWords(shape.form.of, { words: name, texts }) } };
  return shape.form.kind === "words" ? { ...shape, form: { ...shape.form, name: name ?? null, texts } } : shape;
}

function scalarShape({ json, graphql }: Told, said: Pick<Said, "words" | "texts">): Shape {
  const { type, items, enum: known, ...more } = json;
  if (Array.isArray(known)) return words(known as string[], said.words ?? null, said.texts);
  if (type === "array") return list(scalarShape({ json: items as JsonSchema }, said), more);
  return special(graphql ?? graphqlOf(json), json);
}

const SCALARS: Record<string, GraphqlScalar> = {
  string: "String",
  integer: "Int",
  number: "Float",
  boolean: "Boolean",
};

function graphqlOf({ type, format }: JsonSchema): GraphqlScalar {
  if (format === "date-time") return "DateTime";
  return format === "uuid" ? "ID" : (SCALARS[type as string] ?? "JSON");
}
