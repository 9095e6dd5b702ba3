import type { Json } from "@tickwheel/core";
import { asList, asNames, asNumber, isObject, type Keyword, malformed } from "./keyword.js";
import { type Check, FITS, type Look, UNKNOWN } from "./look.js";

/* Keywords that judge a value by itself. */

const IS_OF_TYPE: ReadonlyMap<unknown, (value: Json) => boolean> = new Map([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number"],
  ["integer", (value) => Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["array", (value) => Array.isArray(value)],
  ["object", (value) => isObject(value)],
] as const satisfies [string, (value: Json) => boolean][]);

export const VALUE_KEYWORDS: Readonly<Record<string, Keyword>> = {
  type(given) {
    const names = [...new Set(typeof given === "string" ? [given] : asNames(given))];
    const tests = names.map((name) => {
      const test = IS_OF_TYPE.get(name);
      if (!test) throw malformed("no type");
      return test;
    });
    return rule((value) => tests.some((test) => test(value)), `must be ${names.join(",")}`);
  },
  const: (given) => oneOfValues([given], "must be equal to constant"),
  enum: (given) => oneOfValues(asList(given), "must be equal to one of the allowed values"),
  maximum: (given) => numeric(given, (value, most) => value <= most, "<="),
  minimum: (given) => numeric(given, (value, least) => value >= least, ">="),
  exclusiveMaximum: (given) => numeric(given, (value, bound) => value < bound, "<"),
  exclusiveMinimum: (given) => numeric(given, (value, bound) => value > bound, ">"),
  multipleOf: (given) => numeric(given, isMultiple, "multiple of"),
  maxLength(given) {
    const most = asNumber(given);
    const message = `must NOT have more than ${most} characters`;
    return (value, look) => (typeof value === "string" ? ofLength(value, most, { look, message }) : FITS);
  },
  // Some libraries count UTF-16 units, of which there are no fewer than characters.
  minLength(given) {
    const least = asNumber(given);
    return rule(
      (value) => typeof value !== "string" || value.length >= least,
      `must NOT have fewer than ${least} characters`,
    );
  },
};

function rule(fits: (value: Json) => boolean, message: string): Check {
  return (value, look) => (fits(value) ? FITS : look.misfit(message));
}

function numeric(given: Json, fits: (value: number, bound: number) => boolean, words: string): Check {
  const bound = asNumber(given);
  return rule((value) => typeof value !== "number" || fits(value, bound), `must be ${words} ${bound}`);
}

/** 0.3 is a multiple of 0.1, too. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of;
  return !(Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times)));
}

function ofLength(value: string, most: number, { look, message }: { look: Look; message: string }) {
  if (value.length <= most) return FITS;
  // A character is two units at most.
  if (value.length > most * 2) return look.misfit(message);
  if (!look.step(value.length)) return UNKNOWN;
  let characters = 0;
  for (const _character of value) characters++;
  return characters <= most ? FITS : look.misfit(message);
}

function oneOfValues(values: readonly Json[], message: string): Check {
  const plain = new Set(values.filter((value) => !isComposed(value)));
  const composed = values.filter(isComposed);
  return (value, look) => {
    if (plain.has(value)) return FITS;
    if (isComposed(value) && composed.some((other) => isEqual(value, other, look))) return FITS;
    return look.isOver ? UNKNOWN : look.misfit(message);
  };
}

function isComposed(value: Json): boolean {
  return typeof value === "object" && value !== null;
}

/** False, too, when the look ends meanwhile. */
function isEqual(one: Json, other: Json, look: Look): boolean {
  if (!look.step()) return false;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((part: Json, index) => isEqual(part, other[index] as Json, look));
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  if (!look.step(names.length) || names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name]!, other[name]!, look));
}
