import {
  compareUtf8,
  eachItem,
  eachMember,
  endOfValue,
  hasBrokenText,
  jsonKindAt,
  JSON_NULL,
  type JsonText,
  kindOf,
  MAX_MERGED_DIGITS,
  MAX_PAYLOAD_BYTES,
  type Reducer,
  reducerOf,
  type Reducers,
  skipSpaces,
} from "@tickwheel/core";
import { type Decimal, decimalOf, greater, plainText, sum, trimmed } from "../system/decimal.js";

/** What a fold came to. */
export type Fold =
  /** `refused`: the field that an item cannot be merged for, by the item's place. At least one item is good. */
  | { kind: "merged"; payload: JsonText; refused: ReadonlyMap<number, string> }
  | { kind: "refused"; refused: ReadonlyMap<number, string> }
  /** The holder's payload takes no merge at all. */
  | { kind: "unmergeable" }
  | { kind: "too_large" }
  /** A sum of this field has too many digits. */
  | { kind: "overflow"; field: string };

/** The values of an object by field, each as its own text. */
type Fields = Map<string, string>;

/**
 * Folds payloads into a stored one as Postgres does in `fold_merges`: exact decimals, the text of `jsonb`. An item of
 * the wrong kind changes nothing, and the others go on.
 *
 * @param held the stored payload
 * @param items sound for these reducers, see `mergeFault`
 */
export function foldPayload(held: JsonText, reducers: Reducers, items: readonly JsonText[]): Fold {
  const stored = isCastable(held) ? fieldsOf(held) : null;
  if (stored === null) return { kind: "unmergeable" };
  const refused = new Map<number, string>();
  const next: Fields = new Map(stored);
  const summed = new Set<string>();
  for (const [place, item] of items.entries()) {
    const given = fieldsOf(item)!;
    const wrong = wrongField(stored, given, reducers);
    if (wrong !== null) refused.set(place, wrong);
    else for (const field of reduceInto(next, given, reducers)) summed.add(field);
  }
  if (refused.size === items.length) return { kind: "refused", refused };
  const payload = textOfFields(next) as JsonText;
  if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) return { kind: "too_large" };
  const long = [...summed].filter((field) => digitsOf(next.get(field)!) > MAX_MERGED_DIGITS);
  return long.length > 0
    ? { kind: "overflow", field: long.sort(compareUtf8)[0]! }
    : { kind: "merged", payload, refused };
}

/** The first field, by name, for which an item cannot be merged; null: there is none. */
function wrongField(stored: Fields, given: Fields, reducers: Reducers): string | null {
  const isWrong = ([field, value]: [string, string]): boolean =>
    isOfWrongKind([value, stored.get(field)], reducerOf(reducers, field));
  const wrong = [...given].filter(isWrong).map(([field]) => field);
  return wrong.sort(compareUtf8)[0] ?? null;
}

/** @returns the fields that were summed */
function reduceInto(next: Fields, given: Fields, reducers: Reducers): string[] {
  for (const [field, value] of given) next.set(field, reduced(reducerOf(reducers, field), next.get(field), value));
  return [...given.keys()].filter((field) => reducerOf(reducers, field) === "add");
}

/** Null: it is no object. An absent payload has no fields. */
function fieldsOf(payload: JsonText): Fields | null {
  const start = skipSpaces(payload, 0);
  if (payload === JSON_NULL) return new Map();
  return payload[start] === "{" ? membersOf(payload, start) : null;
}

/** Where two fields have one name, the last one counts. */
function membersOf(text: string, start: number): Fields {
  const fields: Fields = new Map();
  eachMember(text, start, (name, at, end) => fields.set(name, text.slice(at, end)));
  return fields;
}

function isOfWrongKind(values: readonly (string | undefined)[], reducer: Reducer): boolean {
  const kind = kindOf(reducer);
  return kind !== null && values.some((value) => value !== undefined && jsonKindAt(value, 0) !== kind);
}

function reduced(reducer: Reducer, old: string | undefined, given: string): string {
  if (reducer === "replace") return given;
  if (reducer === "append") return `[${[...itemsOf(old ?? "[]"), ...itemsOf(given)].join(",")}]`;
  const value = decimalOf(given);
  return plainText(trimmed(old === undefined ? value : combined(reducer, decimalOf(old), value)));
}

function combined(reducer: "add" | "max" | "min", old: Decimal, given: Decimal): Decimal {
  if (reducer === "add") return sum(old, given);
  return greater(old, given) === (reducer === "max") ? old : given;
}

function itemsOf(list: string): string[] {
  const items: string[] = [];
  eachItem(list, 0, (at) => items.push(list.slice(at, endOfValue(list, at))));
  return items;
}

function digitsOf(number: string): number {
  return number.replaceAll(/[-.]/g, "").length;
}

/** A value as the text of `jsonb`: fields by length, then by bytes, a space behind colons and commas, plain numbers. */
function jsonbText(text: string): string {
  const [first] = text;
  if (first === "{") return textOfFields(membersOf(text, 0));
  if (first === "[") return `[${itemsOf(text).map(jsonbText).join(", ")}]`;
  if (first === '"') return JSON.stringify(JSON.parse(text));
  return jsonKindAt(text, 0) === "number" ? plainText(decimalOf(text)) : text;
}

function textOfFields(fields: Fields): string {
  const sorted = [...fields].sort(([one], [other]) => lengthOf(one) - lengthOf(other) || compareUtf8(one, other));
  return `{${sorted.map(([name, value]) => `${JSON.stringify(name)}: ${jsonbText(value)}`).join(", ")}}`;
}

function lengthOf(name: string): number {
  return Buffer.byteLength(name);
}

/** Whether `jsonb` can take a text: the same guard that `fold_merges` has before its cast. */
function isCastable(text: string): boolean {
  if (!/\\u|[0-9.]{201}|[eE][-+]?[0-9]{3}/.test(text)) return true;
  const withoutStrings = text.replaceAll("\\\\", "").replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  return !hasBrokenText(text) && !/[0-9]{201}|[0-9.]{202}|[eE][-+]?0*[1-9][0-9]{2}/.test(withoutStrings);
}
