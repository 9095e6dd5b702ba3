import type { Fault } from "@tickwheel/core";
import type * as z from "zod";
import { MAX_FAULTS, throwFaults } from "./input-faults.js";
import { isContainer } from "./input-rules.js";
import { ownFields } from "./input-schema.js";

const NO_FAULTS: readonly Fault[] = [];

/**
 * Checks a value against an input's schema: unknown fields, every rule, nested inputs.
 *
 * @param path where the value stands in its request, such as `tasks[3]`; `""` at the top
 * @returns the input, or the faults by path, unknown fields first (of an object at most 51), and the fields that were
 *   given, unchecked. What throws when it is read is a fault like any other.
 */
export function checkInput<Input extends object>(
  schema: z.ZodType<Input>,
  value: unknown,
  path = "",
): { input: Input; faults: readonly Fault[] } {
  try {
    return checked(schema, value, path);
  } catch {
    return { input: {} as Input, faults: [{ path, message: "cannot be read" }] };
  }
}

/** What a call from code gives, read once and at the call; what throws is nothing that {@link checkInput} takes. */
export function readCall(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE = Symbol("unreadable");

function checked<Input extends object>(
  schema: z.ZodType<Input>,
  value: unknown,
  path: string,
): { input: Input; faults: readonly Fault[] } {
  if (value === UNREADABLE) throw new TypeError("unreadable");
  const parsed = schema.safeParse(ownFields(value));
  if (parsed.success) return { input: parsed.data, faults: NO_FAULTS };
  const given = isContainer(value) && !Array.isArray(value) ? { ...value } : {};
  const issues = parsed.error.issues.toSorted((a, b) => Number(isUnknownField(b)) - Number(isUnknownField(a)));
  return { input: given as Input, faults: issues.flatMap((issue) => faultsOf(issue, path)) };
}

/**
 * As {@link checkInput}, but faults are thrown: `PAYLOAD_TOO_LARGE` when the payload's size is the only one, else
 * `VALIDATION_FAILED`.
 */
export function requireInput<Input extends object>(schema: z.ZodType<Input>, value: unknown): Input {
  const { input, faults } = checkInput(schema, value);
  throwFaults(faults);
  return input;
}

function faultsOf(issue: z.core.$ZodIssue, path: string): Fault[] {
  const here = issue.path.reduce<string>(join, path);
  // One more than is told: so that it is told that there are more.
  const places = isUnknownField(issue) ? issue.keys.slice(0, MAX_FAULTS + 1).map((field) => join(here, field)) : [here];
  return places.map((place) => ({ path: place, message: issue.message }));
}

function isUnknownField(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueUnrecognizedKeys {
  return issue.code === "unrecognized_keys";
}

/** A part of a payload may be named by its index. */
function join(path: string, field: PropertyKey): string {
  const name = String(field);
  return path === "" || name.startsWith("[") ? path + name : `${path}.${name}`;
}
