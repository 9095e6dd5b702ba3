import type { Json } from "@tickwheel/core";
import type {
  CodeNote,
  EitherForm,
  Fields,
  GraphqlScalar,
  JsonSchema,
  ObjectOf,
  OptionalShape,
  Shape,
  ValueOf,
} from "./shape.js";

// The parts of a record. Each takes, in the last place, what is said of the field.

function scalar<Value>(json: JsonSchema, graphql: GraphqlScalar, text?: string): Shape<Value> {
  return { form: { kind: "scalar", json, graphql }, ...(text !== undefined && { text }) };
}

export const string = (text?: string): Shape<string> => scalar({ type: "string" }, "String", text);
export const flag = (text?: string): Shape<boolean> => scalar({ type: "boolean" }, "Boolean", text);
/** Below 2^31: `Int` in GraphQL. */
export const integer = (text?: string): Shape<number> => scalar({ type: "integer" }, "Int", text);
/** A whole number that may be beyond 2^31: `Float` in GraphQL. */
export const wide = (text?: string): Shape<number> => scalar({ type: "integer" }, "Float", text);
export const number = (text?: string): Shape<number> => scalar({ type: "number" }, "Float", text);
/** A number between 0 and 1. */
export const share = (text?: string): Shape<number> =>
  scalar({ type: "number", minimum: 0, maximum: 1 }, "Float", text);
export const id = (text?: string): Shape<string> => scalar({ type: "string", format: "uuid" }, "ID", text);
/** ISO 8601 with offset. */
export const instant = (text?: string): Shape<string> =>
  scalar({ type: "string", format: "date-time" }, "DateTime", text);
/** A day, `YYYY-MM-DD`. */
export const day = (text?: string): Shape<string> => scalar({ type: "string", format: "date" }, "String", text);
/** Any JSON. */
export const json = (text = "Any JSON, null too."): Shape<Json> => scalar({}, "JSON", text);
/** An object whose fields are not said. */
export const anyObject = (text?: string): Shape<Record<string, unknown>> =>
  scalar({ type: "object", additionalProperties: true }, "JSON", text);
/** The same where nobody reads its fields by name. */
export const unreadObject = (text?: string): Shape<object> => anyObject(text) as Shape<object>;
/** A value with a form of its own. */
export const special = <Value>(graphql: GraphqlScalar, json: JsonSchema, text?: string): Shape<Value> =>
  scalar(json, graphql, text);

/**
 * One of some words.
 *
 * @param name of the enumeration in GraphQL; null: text there, since more words may come
 * @param texts what single words mean
 */
export function words<const Word extends string>(
  list: readonly Word[],
  name: string | null = null,
  texts: Partial<Record<NoInfer<Word>, string>> = {},
): Shape<Word> {
  return { form: { kind: "words", words: list, name, texts: texts as Record<string, string> } };
}

/** @param limits further keywords, such as `maxItems` */
export function list<Item>(of: Shape<Item>, limits: JsonSchema = {}): Shape<readonly Item[]> {
  return { form: { kind: "list", of, json: limits } };
}

/** An object that is described where it stands. `name`: of its type in GraphQL. */
export function object<const F extends Fields>(name: string, fields: F): Shape<ObjectOf<F>> {
  return { form: { kind: "object", name, fields, isComponent: false, isInput: false } };
}

/** An answer, or a part of several answers: a component of OpenAPI and a type of GraphQL, both of this name. */
export function record<const F extends Fields>(name: string, fields: F, text?: string): Shape<ObjectOf<F>> {
  return {
    form: { kind: "object", name, fields, isComponent: true, isInput: false, ...(text !== undefined && { text }) },
  };
}

/** A record with all fields of another one and these. */
export function extended<Base, const F extends Fields>(
  name: string,
  base: Shape<Base>,
  fields: F,
): Shape<Base & ObjectOf<F>> {
  return { form: { kind: "extended", name, base, fields } };
}

/** One of several shapes. */
export function either<const Shapes extends readonly Shape[]>(
  how: Pick<EitherForm, "keyword" | "graphql">,
  ...of: Shapes
): Shape<ValueOf<Shapes[number]>> {
  return { form: { kind: "either", of, ...how } };
}

export function nullable<Value>(shape: Shape<Value>): Shape<Value | null> {
  return { ...shape, isNullable: true } as Shape<Value | null>;
}

export function optional<Value>(shape: Shape<Value>): OptionalShape<Value> {
  return { ...shape, isOptional: true };
}

/** Gives a shape its text, or another one. */
export function said<S extends Shape>(shape: S, text: string): S {
  return { ...shape, text };
}

/** Says where code differs from the wire. */
export function inCode<S extends Shape>(shape: S, code: CodeNote): S {
  return { ...shape, code };
}

/** A field that Tickwheel alone tells. */
export function told<S extends Shape>(shape: S): S {
  return { ...shape, isReadOnly: true };
}

/** Null in GraphQL where the record that a list holds is a shorter one. */
export function lackingInLists<S extends Shape>(shape: S): S {
  return { ...shape, mayLackInGraphql: true };
}
