import { type Fault, TickwheelError } from "@tickwheel/core";
import type * as z from "zod";
import { isContainer, payloadFault } from "./input-rules.js";
import { ownFields } from "./input-schema.js";

const NO_FAULTS: readonly Fault[] = [];

/**
 * Checks a value against an input's schema: unknown fields, every rule, nested inputs.
 *
 * @param path where the value stands in its request, such as `tasks[3]`; `""` at the top
 * @returns the input, or every fault by path, unknown fields first, and the fields that were given, unchecked
 */
export function checkInput<Input extends object>(
  schema: z.ZodType<Input>,
  value: unknown,
  path = "",
): { input: Input; faults: readonly Fault[] } {
  const parsed = schema.safeParse(ownFields(value));
  if (parsed.success) return { input: parsed.data, faults: NO_FAULTS };
  const given = isContainer(value) && !Array.isArray(value) ? { ...value } : {};
  const issues = parsed.error.issues.toSorted((a, b) => Number(isUnknownField(b)) - Number(isUnknownField(a)));
  return { input: given as Input, faults: issues.flatMap((issue) => faultsOf(issue, path)) };
}

/** As {@link checkInput}, but faults are thrown: `PAYLOAD_TOO_LARGE` when the payload's size is the only one, else `VALIDATION_FAILED`. */
export function requireInput<Input extends object>(schema: z.ZodType<Input>, value: unknown): Input {
  const { input, faults } = checkInput(schema, value);
  throwFaults(faults, [input]);
  return input;
}

/** Throws the error that these faults amount to, if there are any. */
export function throwFaults(faults: readonly Fault[], inputs: readonly object[] = []): void {
  if (faults.length === 0) return;
  const tooLarge = inputs.filter((input) => "payload" in input && payloadFault(input.payload)?.tooLarge).length;
  const onlySize = tooLarge > 0 && faults.length === tooLarge;
  const list = faults.map((fault) => `${fault.path || "the input"} ${fault.message}`).join("; ");
  throw new TickwheelError(onlySize ? "PAYLOAD_TOO_LARGE" : "VALIDATION_FAILED", list, { faults });
}

function faultsOf(issue: z.core.$ZodIssue, path: string): Fault[] {
  const here = issue.path.reduce<string>(join, path);
  const places = isUnknownField(issue) ? issue.keys.map((field) => join(here, field)) : [here];
  return places.map((place) => ({ path: place, message: issue.message }));
}

function isUnknownField(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueUnrecognizedKeys {
  return issue.code === "unrecognized_keys";
}

function join(path: string, field: PropertyKey): string {
  return path === "" ? String(field) : `${path}.${String(field)}`;
}
