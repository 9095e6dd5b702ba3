import { type Json, type JsonText, jsonValueOf } from "@tickwheel/core";

/** Objects are shown to this depth, the outermost being the first. */
const MAX_DEPTH = 4;
/** How many names of the whole text are shown. */
const MAX_NAMES = 50;

/**
 * The shape of a JSON text: names and kinds without values, for users who may not read the text itself. It shows 50
 * names at most, and objects to a depth of four. For a list it shows the kind of the first item.
 *
 * @example
 * maskedJson('{"orderId":"A-1007","total":42,"items":[{},{},{}]}');
 *  // '{"orderId":"•string(6)","total":"•number","items":["•object","… 2 more"]}'
 */
export function maskedJson(text: JsonText): JsonText {
  return new Mask().of(jsonValueOf(text), 1) as JsonText;
}

class Mask {
  private namesLeft = MAX_NAMES;

  of(value: Json, depth: number): string {
    if (Array.isArray(value)) return listShape(value);
    if (value === null || typeof value !== "object" || depth > MAX_DEPTH) return JSON.stringify(kindOf(value));
    const names = Object.keys(value);
    // The names of an object come before those of what is in it.
    const shown = names.slice(0, this.namesLeft);
    this.namesLeft -= shown.length;
    const fields = shown.map((name) => `${JSON.stringify(name)}:${this.of(value[name]!, depth + 1)}`);
    const left = names.length - shown.length;
    return `{${[...fields, ...(left > 0 ? [`"…":"… ${left} more"`] : [])].join(",")}}`;
  }
}

function listShape(items: readonly Json[]): string {
  if (items.length === 0) return "[]";
  const more = items.length > 1 ? [`… ${items.length - 1} more`] : [];
  return JSON.stringify([kindOf(items[0]!), ...more]);
}

function kindOf(value: Json): string {
  if (value === null) return "•null";
  if (typeof value === "string") return `•string(${value.length})`;
  return `•${Array.isArray(value) ? "list" : typeof value}`;
}
