/** Keywords of JSON Schema, in the dialect of OpenAPI 3.0. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A scalar of GraphQL, ours among them. */
export type GraphqlScalar =
  | "Boolean"
  | "DateTime"
  | "Deadline"
  | "Duration"
  | "Float"
  | "ID"
  | "Int"
  | "JSON"
  | "ShardCount"
  | "String"
  | "TimePoint";

/** One value: text, a number, an instant, any JSON. */
export interface ScalarForm {
  kind: "scalar";
  json: JsonSchema;
  graphql: GraphqlScalar;
}

/** One of some words. */
export interface WordsForm {
  kind: "words";
  words: readonly string[];
  /** The enumeration of GraphQL. Null: text there, since more words may come, which must not break a client. */
  name: string | null;
  /** What single words mean. */
  texts: Readonly<Record<string, string>>;
}

export interface ListForm {
  kind: "list";
  of: Shape;
  /** Such as `maxItems`. */
  json: JsonSchema;
}

export interface ObjectForm {
  kind: "object";
  /** The name of the type in GraphQL and, where it is a component, of the schema in OpenAPI. */
  name: string;
  fields: Fields;
  /** A record or an input of its own: a component of OpenAPI. Else it is written where it stands. */
  isComponent: boolean;
  /** What is said of the component itself, wherever it stands. */
  text?: string;
  /** An input: unknown fields are refused. */
  isInput: boolean;
}

/** One of several shapes. */
export interface EitherForm {
  kind: "either";
  of: readonly Shape[];
  /** Whether exactly one of them fits. */
  keyword: "oneOf" | "anyOf";
  /**
   * What it is in GraphQL: the first of them, any JSON, or a type of this name that has the fields of all, null where
   * the value has none.
   */
  graphql: "first" | "JSON" | { name: string };
}

/** All fields of one object and more. */
export interface ExtendedForm {
  kind: "extended";
  name: string;
  base: Shape;
  fields: Fields;
}

export type Form = ScalarForm | WordsForm | ListForm | ObjectForm | EitherForm | ExtendedForm;

/** Where code differs from the wire. */
export interface CodeNote {
  /** The type of its values in TypeScript, without null. Default: by its form. */
  readonly type?: string;
  /** Its text, where code calls things by other names. Default: the text. */
  readonly text?: string;
  /** What its values are, as a sentence. Default: by its form. */
  readonly values?: string;
}

/** What a value looks like at the edge: its form, whether it may be absent or null, and what is said of it. */
export interface Shape<Value = unknown> {
  readonly form: Form;
  readonly isNullable?: boolean;
  readonly isOptional?: boolean;
  /** Null in GraphQL as well: there a list of tasks has fields that a reduced task lacks. */
  readonly mayLackInGraphql?: boolean;
  /** Told by Tickwheel alone; whatever is given for it changes nothing. */
  readonly isReadOnly?: boolean;
  /** One or two sentences in Markdown, the same for every edge. */
  readonly text?: string;
  readonly default?: unknown;
  readonly example?: unknown;
  /** For an input: null is as good as absent. That is a leniency, and no document promises it; the types of code do. */
  readonly takesNull?: boolean;
  readonly code?: CodeNote;
  /** The type of its values. Nothing is ever stored here. */
  readonly value?: Value;
}

export type Fields = Readonly<Record<string, Shape>>;

/** A field that may be absent. */
export interface OptionalShape<Value = unknown> extends Shape<Value> {
  readonly isOptional: true;
}

/** The type of a shape's values. */
export type ValueOf<S> = S extends { readonly value?: infer Value } ? Exclude<Value, undefined> : never;

type OptionalNames<F> = { [Name in keyof F]: F[Name] extends OptionalShape ? Name : never }[keyof F];

/** The type of an object with these fields. */
export type ObjectOf<F> = { readonly [Name in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[Name]> } & {
  readonly [Name in OptionalNames<F>]?: ValueOf<F[Name]>;
} extends infer Flat
  ? { readonly [Name in keyof Flat]: Flat[Name] }
  : never;
