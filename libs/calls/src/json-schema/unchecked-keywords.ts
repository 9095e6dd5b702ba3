import type { Json } from "@tickwheel/core";
import { isObject, type Keyword } from "./keyword.js";
import { FITS, UNKNOWN } from "./look.js";

/*
 * Keywords that are not run. A pattern of any application could block the loop of a node that serves all; what is not
 * evaluated depends on patterns; and what a format is, libraries see differently.
 */

const isText = (value: Json): boolean => typeof value === "string";
const isList = (value: Json): boolean => Array.isArray(value);

export const UNCHECKED_KEYWORDS: Readonly<Record<string, Keyword>> = {
  pattern: unchecked(isText),
  format: unchecked(isText),
  patternProperties: unchecked(isObject),
  unevaluatedProperties: unchecked(isObject),
  uniqueItems: unchecked(isList),
  unevaluatedItems: unchecked(isList),
};

function unchecked(applies: (value: Json) => boolean): Keyword {
  return () => (value) => (applies(value) ? UNKNOWN : FITS);
}
