import { canonicalOf } from "@tickwheel/calls";
import { type Fault, type Json, MAX_KEY_LENGTH } from "@tickwheel/core";

/**
 * What a consumer of `@nestjs/microservices` listens to: a text, or a plain JSON object such as `{ cmd: "expire" }`.
 */
export type DelayedPattern = string | { readonly [field: string]: unknown };

/** The payload of a task that publishes a message. */
export interface DelayedMessage<Data = Json> {
  pattern: DelayedPattern;
  data: Data;
}

/** What the option `record` is given: a message that is published now. */
export interface PublishedMessage extends DelayedMessage {
  /** The id of the task, a UUIDv7. It is the same on every attempt, so a consumer can tell duplicates by it. */
  readonly id: string;
  /** The number of this attempt, 1 for the first. */
  readonly attempt: number;
  /** The key that `emit` was given; null: none. */
  readonly key: string | null;
}

/** The most levels of a pattern. */
const MAX_DEPTH = 8;

/**
 * The beginning of the keys of a pattern's tasks. For an object it is its JSON with the fields in order, so that the
 * order in which they were written does not matter. In a text `:` and `\` are written with a `\` before them: so the
 * patterns `a` and `a:b` never have the same task's key.
 */
function keyPrefix(pattern: DelayedPattern): string {
  const text = typeof pattern === "string" ? pattern.replaceAll(/[\\:]/g, String.raw`\$&`) : canonicalOf(pattern);
  return `${text}:`;
}

/** The key of the task that has this pattern and this key. Both are right: {@link nameFaults} has found nothing. */
export function taskKey(pattern: DelayedPattern, key: string): string {
  return keyPrefix(pattern) + key;
}

/** The key that `emit` was given, of the task's key; null: it was given none. */
export function givenKey(pattern: DelayedPattern, key: string | null): string | null {
  const prefix = keyPrefix(pattern);
  return key?.startsWith(prefix) ? key.slice(prefix.length) : key;
}

/** What is wrong with a pattern and a key, each at its place. */
export function nameFaults(pattern: unknown, key: unknown): Fault[] {
  const faults = patternFaults(pattern);
  const most = MAX_KEY_LENGTH - (faults.length === 0 ? keyPrefix(pattern as DelayedPattern).length : 0);
  if (most < 1)
    return [{ path: "pattern", message: `is too long: with a key it has at most ${MAX_KEY_LENGTH} characters` }];
  if (typeof key === "string" && key !== "" && key.length <= most) return faults;
  const beside = most < MAX_KEY_LENGTH ? " beside this pattern" : "";
  const given = typeof key === "string" ? "" : shown(key);
  return [...faults, { path: "key", message: `must be a string of 1 to ${most} characters${beside}${given}` }];
}

/** What is wrong with a pattern, at each place of it. */
export function patternFaults(pattern: unknown): Fault[] {
  if (typeof pattern === "string")
    return pattern === "" ? [{ path: "pattern", message: "must not be an empty text" }] : [];
  if (!isPlainObject(pattern))
    return [{ path: "pattern", message: `must be a text or a plain JSON object${shown(pattern)}` }];
  const faults = faultsWithin(pattern, "pattern", 1);
  if (Object.keys(pattern).length === 0) faults.push({ path: "pattern", message: "must not be an empty object" });
  return faults;
}

/** `ClientProxy.emit` refuses null. The service finds a value that is not JSON, and names its place. */
export function dataFaults(data: unknown): Fault[] {
  if (data !== undefined && data !== null) return [];
  return [{ path: "data", message: `must be JSON and not null, for ClientProxy.emit refuses that${shown(data)}` }];
}

function faultsWithin(value: unknown, path: string, depth: number): Fault[] {
  if (value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value)) return [];
  if (!Array.isArray(value) && !isPlainObject(value)) return [{ path, message: `must be JSON${shown(value)}` }];
  if (depth > MAX_DEPTH) return [{ path, message: `must be nested at most ${MAX_DEPTH} levels deep` }];
  return Object.entries(value).flatMap(([name, inner]) => faultsWithin(inner, `${path}.${name}`, depth + 1));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What a value is, at the end of a fault's message. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return `: it is ${value === null ? "null" : "undefined"}`;
  return `: it is ${typeof value === "object" ? className(value) : `a ${typeof value}`}`;
}

function className(value: object): string {
  const made = (Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null)?.constructor?.name;
  return Array.isArray(value) ? "a list" : `an object of ${made || "no class"}`;
}
