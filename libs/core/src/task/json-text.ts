import type { Json } from "./task.js";

declare const jsonText: unique symbol;

/**
 * The text of one JSON value. A payload travels as such, from the caller who gave it to its row and back, so that no
 * digit of it changes.
 */
export type JsonText = string & { readonly [jsonText]: true };

/** The text of null: also what stands for an absent payload. */
export const JSON_NULL = "null" as JsonText;

/** Writes a value that is plain JSON. A value of unknown kind is written by those who check it. */
export function jsonTextOf(value: Json): JsonText {
  return JSON.stringify(value) as JsonText;
}

/** The value of a text. A field named `__proto__` is data as any other. @throws SyntaxError where it is no JSON */
export function jsonValueOf(text: JsonText): Json {
  return JSON.parse(text) as Json;
}

/** Text that stands for its value, in an input that is not checked yet or an answer that is not written yet. */
export class JsonSource {
  readonly #isSource = true;

  constructor(readonly text: JsonText) {}

  /** Whether a value is one of ours. It may be anything: no proxy is asked, so none can throw. */
  static is(value: unknown): value is JsonSource {
    return typeof value === "object" && value !== null && #isSource in value && value.#isSource;
  }

  /** For those who know only values. */
  toJSON(): Json {
    return jsonValueOf(this.text);
  }
}
