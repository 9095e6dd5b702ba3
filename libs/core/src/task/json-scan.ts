import { JsonSource, type JsonText } from "./json-text.js";

/**
 * Finds values in the text of JSON without making them. Every function takes text that `JSON.parse` has accepted, looks
 * at each character once and keeps nothing: the text's own digits, order and spaces stay as they are.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACE = 0x20;

/**
 * Which values of a text are to stay text: this one, those of some fields of an object, or those of every item of a
 * list.
 */
export type JsonShape = "text" | { fields: (name: string) => JsonShape | undefined } | { items: JsonShape };

/**
 * What `JSON.parse` made of `text`, with a {@link JsonSource} in each place that the shape names. Where two fields have
 * one name, the last one counts, as it does for `JSON.parse`. A list's shape holds for a value that is no list, too.
 */
export function keepSources(text: string, value: unknown, shape: JsonShape): unknown {
  return keepAt(text, { value, at: 0 }, shape);
}

/** A value, and where it stands in its text. */
interface Place {
  value: unknown;
  at: number;
}

function keepAt(text: string, { value, at }: Place, shape: JsonShape): unknown {
  const start = skipSpaces(text, at);
  if (shape === "text") return new JsonSource(text.slice(start, endOfValue(text, start)) as JsonText);
  if ("fields" in shape) return keepInFields(text, { value, at: start }, shape.fields);
  if (!Array.isArray(value)) return keepAt(text, { value, at: start }, shape.items);
  let index = 0;
  eachItem(text, start, (item) => {
    value[index] = keepAt(text, { value: value[index], at: item }, shape.items);
    index++;
  });
  return value;
}

function keepInFields(text: string, { value, at }: Place, shapeOf: (name: string) => JsonShape | undefined): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const fields = value as Record<string, unknown>;
  const nested = new Map<string, { inner: JsonShape; from: number }>();
  eachMember(text, at, (name, from, end) => {
    const inner = shapeOf(name);
    if (inner === "text") fields[name] = new JsonSource(text.slice(from, end) as JsonText);
    else if (inner) nested.set(name, { inner, from });
  });
  for (const [name, { inner, from }] of nested) fields[name] = keepAt(text, { value: fields[name], at: from }, inner);
  return value;
}

/** Calls `visit` with the place of each item of the list that begins at `start`. */
export function eachItem(text: string, start: number, visit: (at: number) => void): void {
  let at = skipSpaces(text, start + 1);
  while (text.charCodeAt(at) !== CLOSE_LIST) {
    visit(at);
    at = nextEntry(text, endOfValue(text, at));
  }
}

/**
 * Calls `visit` with the name and the value's place, from `at` to before `end`, of each field of the object that begins
 * at `start`.
 */
export function eachMember(text: string, start: number, visit: (name: string, at: number, end: number) => void): void {
  let at = skipSpaces(text, start + 1);
  while (text.charCodeAt(at) !== CLOSE_OBJECT) {
    const endOfName = endOfString(text, at);
    const name = stringAt(text, at, endOfName);
    let value = skipSpaces(text, endOfName);
    if (text.charCodeAt(value) === COLON) value = skipSpaces(text, value + 1);
    const end = endOfValue(text, value);
    visit(name, value, end);
    at = nextEntry(text, end);
  }
}

/** The place after the value that begins at `start`. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) return endOfScalar(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
    else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return at + 1;
  }
  return text.length;
}

/** Whether a text is nested deeper than so many levels: a scalar has none, a flat object or list one. */
export function isDeeperThan(text: string, levels: number): boolean {
  return countUpTo(text, "{", levels) + countUpTo(text, "[", levels) > levels && isNestedDeeper(text, levels);
}

function isNestedDeeper(text: string, levels: number): boolean {
  return nestingOf(text, { depth: levels, values: Number.POSITIVE_INFINITY }).depth > levels;
}

/** How often a character stands in a text, at most `limit` + 1. */
function countUpTo(text: string, character: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1 && count <= limit; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/**
 * How deep a text is nested, and how many values it has but for the outermost: each that begins an object or a list,
 * and each behind a comma. Counted no further than to one more than either limit. For text of any kind: what is no JSON
 * has counts, too.
 */
export function nestingOf(text: string, limits: { depth: number; values: number }): { depth: number; values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 0;
  for (let at = 0; at < text.length && deepest <= limits.depth && values <= limits.values; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === COMMA) values++;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      values++;
      deepest = Math.max(deepest, ++depth);
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--;
  }
  return { depth: deepest, values };
}

/** The string that stands between two places, its quotes included. */
export function stringAt(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end - 1);
  return raw.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : raw;
}

/** The first place from `at` on that is no space. */
export function skipSpaces(text: string, at: number): number {
  let place = at;
  while (text.charCodeAt(place) <= SPACE) place++;
  return place;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end + 1;
}

/** Whether an odd number of backslashes stands before this place. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text.charCodeAt(before - 1) === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

function endOfScalar(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE_OBJECT || code === CLOSE_LIST || code <= SPACE) break;
  }
  return at;
}

function nextEntry(text: string, endOfLast: number): number {
  const at = skipSpaces(text, endOfLast);
  return text.charCodeAt(at) === COMMA ? skipSpaces(text, at + 1) : at;
}
