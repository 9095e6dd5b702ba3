import type { Json } from "@tickwheel/core";
import type { Check } from "./look.js";

export type JsonObject = Readonly<Record<string, Json>>;

/** What a keyword is compiled in. */
export interface KeywordPlace {
  /** The schema that the keyword stands in: some keywords depend on others. */
  schema: JsonObject;
  /** Compiles a schema that stands in this one. */
  sub: (schema: Json) => Check;
  /** The schema that a reference names. */
  refer: (reference: Json) => Check;
}

/** Makes a check of what stands at a keyword. @throws Error where that is malformed */
export type Keyword = (given: Json, place: KeywordPlace) => Check;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function malformed(what: string): Error {
  return new Error(`malformed schema: ${what}`);
}

export function asNumber(given: Json): number {
  if (typeof given !== "number") throw malformed("no number");
  return given;
}

export function asList(given: Json): readonly Json[] {
  if (!Array.isArray(given)) throw malformed("no list");
  return given as readonly Json[];
}

export function asNames(given: Json): readonly string[] {
  return asList(given).map((name) => {
    if (typeof name !== "string") throw malformed("no name");
    return name;
  });
}

/** The fields of an object. */
export function asFields(given: Json): readonly (readonly [string, Json])[] {
  if (!isObject(given)) throw malformed("no object");
  return Object.entries(given);
}
