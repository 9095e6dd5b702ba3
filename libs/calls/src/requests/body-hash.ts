import { createHash } from "node:crypto";
import { eachItem, eachMember, endOfValue, type Json, JsonSource, skipSpaces, stringAt } from "@tickwheel/core";
import { isContainer } from "@tickwheel/contract";

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Every spelling of such a number is this one, and a double holds it; minus nought is none of them. */
const PLAIN_INTEGER = /^(0|-?[1-9]\d{0,14})$/;
/** With its sign. */
const MAX_EXPONENT_LENGTH = 16;

/**
 * SHA-256 of a body for its idempotency key, in hex: equal for bodies that differ only in the order of their fields, in
 * spaces, in how a number or a character is written, or in whether the key stands in the header or the field. Numbers
 * count to their last digit.
 */
export function bodyHash(body: unknown): string {
  return createHash("sha256")
    .update(canonical(withoutKey(body)), "utf8")
    .digest("hex");
}

/** One text for values that differ only in the order of their fields. */
export function canonicalOf(value: unknown): string {
  return canonical(value);
}

/** The {@link bodyHash} of a list whose items come one by one. */
export class ListHash {
  private readonly hash = createHash("sha256");
  private separator = "[";

  add(item: unknown): void {
    this.hash.update(`${this.separator}${canonical(withoutKey(item))}`, "utf8");
    this.separator = ",";
  }

  /** To be called once, when all are added. */
  digest(): string {
    return this.hash.update(this.separator === "[" ? "[]" : "]").digest("hex");
  }
}

/** A payload may have such a field too: there it counts. */
function withoutKey(input: unknown): unknown {
  return isContainer(input) && !Array.isArray(input) ? { ...input, idempotencyKey: undefined } : input;
}

function canonical(value: unknown): string {
  if (JsonSource.is(value)) return canonicalText(value.text, 0);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  if (value instanceof Date) return JSON.stringify(value);
  const fields = Object.entries(value as Record<string, Json>).filter(([, item]) => item !== undefined);
  return objectOf(fields.map(([field, item]) => [field, canonical(item)]));
}

/** The same of the value that begins at `at` in a text. */
function canonicalText(text: string, at: number): string {
  const start = skipSpaces(text, at);
  const first = text[start]!;
  if (first === "[") {
    const items: string[] = [];
    eachItem(text, start, (item) => void items.push(canonicalText(text, item)));
    return `[${items.join(",")}]`;
  }
  if (first === "{") {
    const fields = new Map<string, string>();
    eachMember(text, start, (name, member) => void fields.set(name, canonicalText(text, member)));
    return objectOf([...fields]);
  }
  const end = endOfValue(text, start);
  if (first === '"') return JSON.stringify(stringAt(text, start, end));
  const token = text.slice(start, end);
  return /[0-9]/.test(token) ? canonicalNumber(token) : token;
}

function objectOf(fields: [name: string, value: string][]): string {
  const sorted = fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}

/**
 * As JavaScript writes it, if a double holds it; else digits and exponent, so that numbers which round alike differ.
 */
function canonicalNumber(token: string): string {
  if (PLAIN_INTEGER.test(token)) return token;
  const value = Number(token);
  const exact = decimalOf(token);
  return Number.isFinite(value) && decimalOf(String(value)) === exact ? String(value === 0 ? 0 : value) : exact;
}

/**
 * A number's sign, digits without outer zeros and exponent: one text for each value whose exponent has at most 15
 * digits.
 */
function decimalOf(token: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] = NUMBER.exec(token)!;
  const digits = withoutLeadingZeros(`${whole!}${fraction}`);
  // By hand: /0+$/ takes quadratic time where there are many zeros inside.
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  const significant = digits.slice(0, end);
  if (significant === "") return "0";
  // Beyond what a double holds to the digit it counts as it is written: arithmetic on it would cost far more than its
  // length.
  if (exponent.length > MAX_EXPONENT_LENGTH) return `${sign}${whole}.${fraction}e${exponent}`;
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (digits[start] === "0") start++;
  return digits.slice(start);
}
