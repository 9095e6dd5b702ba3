import { suggestion } from "../errors/did-you-mean.js";
import type { Fault } from "../errors/errors.js";
import { isFingerprint } from "../errors/fingerprint.js";
import { isTaskId } from "../ids/is-task-id.js";
import type { FilterField, ValueRule } from "./filter-fields.js";

/** What is wrong with the values of a list, or with the one that stands for it. Paths are as `[2]`. */
export function checkValues(value: unknown, { most, value: rule }: Extract<FilterField, { kind: "list" }>): Fault[] {
  if (typeof value === "string") return checkOne(value, rule);
  if (!Array.isArray(value)) return [{ path: "", message: "must be a value or a list of them" }];
  if (value.length === 0) return [{ path: "", message: "must not be empty" }];
  if (value.length > most) return [{ path: "", message: `must not hold more than ${most} values` }];
  return value.flatMap((one, at) => checkOne(one, rule).map(({ message }) => ({ path: `[${at}]`, message })));
}

/** What is wrong with a single value. */
export function checkOne(value: unknown, rule: ValueRule): Fault[] {
  const message = faultOf(value, rule);
  return message === null ? [] : [{ path: "", message }];
}

function faultOf(value: unknown, rule: ValueRule): string | null {
  if (typeof value !== "string") return "must be a string";
  switch (rule.is) {
    case "word":
      return wordFault(value, rule.words);
    case "uuid":
      return isTaskId(value) ? null : "must be a UUID";
    case "fingerprint":
      return isFingerprint(value) ? null : "must be 12 hex digits in lower case";
    case "name":
      return textFault(value, rule.longest) ?? starFault(value);
    case "text":
    case "batch":
      return textFault(value, rule.longest);
  }
}

function wordFault(value: string, words: readonly string[]): string | null {
  if (words.includes(value)) return null;
  return `must be one of ${words.join(", ")}${suggestion(value, words)}`;
}

function textFault(value: string, longest: number): string | null {
  if (value === "" || value.length > longest) return `must be 1 to ${longest} characters`;
  if (value.includes("\0")) return "must not contain NUL";
  return value.isWellFormed() ? null : "must not contain a lone surrogate";
}

/** Names have no `*`: it only ends a beginning. */
function starFault(value: string): string | null {
  return /^[^*]+\*?$/.test(value) ? null : "must have a * at its end alone, behind a beginning";
}
