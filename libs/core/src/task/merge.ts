import { eachMember, skipSpaces } from "./json-scan.js";
import { JSON_NULL, type JsonText } from "./json-text.js";
import type { NewTask, Reducer, Reducers } from "./task.js";

/** A merge names at most this many fields. */
export const MAX_REDUCERS = 64;
/** The longest name of a field that has a reducer, in UTF-16 units. */
export const MAX_REDUCER_FIELD_LENGTH = 256;
/** A number of a payload that is merged has at most this many digits, written out without an exponent. */
export const MAX_MERGED_DIGITS = 100;

/** Why a payload cannot be merged with any other. */
export interface MergeFault {
  /** `MERGE_CONFLICT`: a value is not of the kind that its reducer needs. */
  code: "MERGE_CONFLICT" | "VALIDATION_FAILED";
  /** `payload` or `payload.<field>`. */
  path: string;
  message: string;
}

/** Where a fault of a merge is: in a field of the payload, or in the payload as a whole. */
export function mergePath(field: string | null): string {
  return field === null ? "payload" : `payload.${field}`;
}

/** The kind of value that a reducer works on, by the names of SQL's `jsonb_typeof`; null: any kind. */
export function kindOf(reducer: Reducer): "array" | "number" | null {
  if (reducer === "replace") return null;
  return reducer === "append" ? "array" : "number";
}

/** The reducer of a field. A field named `__proto__` is a field as any other. */
export function reducerOf(reducers: Reducers, field: string): Reducer {
  return Object.hasOwn(reducers, field) ? reducers[field]! : "replace";
}

/**
 * Reducers in one form: sorted by field, without those that say `replace`. So two that mean the same are the same text
 * in JSON.
 */
export function plainReducers(reducers: Reducers): Reducers {
  const entries = Object.entries(reducers).filter(([, reducer]) => reducer !== "replace");
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whether two merges can be folded together: each field has the same reducer in both. */
export function haveSameReducers(one: Pick<NewTask, "reducers">, other: Pick<NewTask, "reducers">): boolean {
  return one.reducers === other.reducers || textOf(one) === textOf(other);
}

function textOf({ reducers = {} }: Pick<NewTask, "reducers">): string {
  return JSON.stringify(plainReducers(reducers));
}

/**
 * What makes a payload unfit for a merge whatever the stored payload is; null: nothing. The payload must be an object,
 * or null, which adds nothing. Numbers are limited to 100 digits before anything computes with them, and text must be
 * such as Postgres can take apart: without NUL and halves of surrogate pairs.
 *
 * @example mergeFault(jsonTextOf({ bytes: "12" }), { bytes: "add" }) // MERGE_CONFLICT at payload.bytes
 */
export function mergeFault(payload: JsonText, reducers: Reducers): MergeFault | null {
  if (payload === JSON_NULL) return null;
  const start = skipSpaces(payload, 0);
  if (payload[start] !== "{")
    return { code: "MERGE_CONFLICT", path: "payload", message: "must be an object to be merged" };
  const wrong = wrongFields(payload, start, reducers);
  if (wrong.length > 0) return wrong[0]!;
  if (hasBrokenText(payload))
    return fault("must not contain a NUL character or half of a surrogate pair where it is merged");
  if (hasLongNumber(payload)) return fault(`must not contain a number of more than ${MAX_MERGED_DIGITS} digits`);
  return null;
}

function fault(message: string): MergeFault {
  return { code: "VALIDATION_FAILED", path: "payload", message };
}

/** The first by name, as SQL finds it. */
function wrongFields(payload: string, start: number, reducers: Reducers): MergeFault[] {
  const wrong = new Map<string, MergeFault>();
  eachMember(payload, start, (name, at) => {
    const reducer = reducerOf(reducers, name);
    const kind = kindOf(reducer);
    const message = `must be a ${kind === "array" ? "list" : "number"}: its reducer is ${reducer}`;
    // Where two fields have one name, the last one counts.
    wrong.delete(name);
    if (kind !== null && jsonKindAt(payload, at) !== kind)
      wrong.set(name, { code: "MERGE_CONFLICT", path: mergePath(name), message });
  });
  return [...wrong].sort(([one], [other]) => compareUtf8(one, other)).map(([, each]) => each);
}

/** The kind of the value that begins at `at`, as far as reducers tell kinds apart. */
export function jsonKindAt(text: string, at: number): "array" | "number" | "other" {
  const first = text[at]!;
  if (first === "[") return "array";
  return first === "-" || (first >= "0" && first <= "9") ? "number" : "other";
}

/** The order of two texts by their bytes in UTF-8, as `COLLATE "C"` has it. */
export function compareUtf8(one: string, other: string): number {
  const ones = Array.from(one, codePoint);
  const others = Array.from(other, codePoint);
  const differs = ones.findIndex((point, at) => point !== others[at]);
  return differs === -1 ? ones.length - others.length : ones[differs]! - (others[differs] ?? -1);
}

function codePoint(character: string): number {
  return character.codePointAt(0)!;
}

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const NUMBER = /-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?/g;
const PAIR = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g;
const NUL_OR_HALF = /\\u(?:0000|[dD][89a-fA-F])/;

/** Whether a string in the text has an escaped NUL or an escaped half of a surrogate pair. */
export function hasBrokenText(text: string): boolean {
  return text.includes("\\u") && NUL_OR_HALF.test(text.replaceAll("\\\\", "").replaceAll(PAIR, ""));
}

function hasLongNumber(text: string): boolean {
  for (const [, whole, fraction = "", exponent = "0"] of text.replaceAll(STRING, '""').matchAll(NUMBER))
    if (digitsOf(whole!, fraction, Number(exponent)) > MAX_MERGED_DIGITS) return true;
  return false;
}

/** How many digits a number has without its exponent; a zero before the point counts. */
function digitsOf(whole: string, fraction: string, exponent: number): number {
  return Math.max(1, whole.length + exponent) + Math.max(0, fraction.length - exponent);
}
