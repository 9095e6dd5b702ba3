import * as z from "zod";
import { inputObject, whenObject } from "../input/input-schema.js";
import { looksLike } from "../input/input-shape.js";
import { deadQuery } from "./dead-queries.js";
import { batchQuery, memberQuery, previewQuery, runsQuery, scheduleQuery } from "./other-queries.js";
import type { Parameter } from "./parameters.js";
import type { ParameterNames, Parameters, Query, QueryValues } from "./query.js";
import { journalQuery } from "./task-queries.js";

// The same lists asked for in code: by the same parameters, as values instead of texts.

/** The rules of a filter by the names that code has for its parameters. */
type FilterShape<P extends Parameters, Names, Left> = {
  [Name in Exclude<keyof P, Left> as Name extends keyof Names ? Names[Name] & string : Name]: z.ZodType<
    QueryValues<P>[Name]
  >;
};

/**
 * A query as an input of code.
 *
 * @param how `names`: what code calls a parameter, where that differs; `without`: parameters that it does not have
 */
function filterInput<
  P extends Parameters,
  const Names extends ParameterNames = Record<never, string>,
  const Left extends keyof P = never,
>(
  asked: Query<P>,
  { names, without = [] }: { names?: Names; without?: readonly Left[] } = {},
): z.ZodObject<FilterShape<P, Names, Left>> {
  const nameOf = (name: string): string => names?.[name] ?? name;
  const known = Object.entries(asked.parameters).filter(([name]) => !(without as readonly string[]).includes(name));
  const input = inputObject(Object.fromEntries(known.map(([name, parameter]) => [nameOf(name), fieldOf(parameter)])));
  const across = (value: Readonly<Record<string, unknown>>, { addIssue }: Pick<z.core.$RefinementCtx, "addIssue">) => {
    const values = Object.fromEntries(known.map(([name]) => [name, value[nameOf(name)]]));
    for (const { path, message } of asked.across(values as QueryValues<P>))
      addIssue({ code: "custom", message, path: [nameOf(path)] });
  };
  return input.superRefine(across, { when: whenObject }) as unknown as z.ZodObject<FilterShape<P, Names, Left>>;
}

/** A parameter as a field of code. A wrong value is undefined for the rules across fields. */
export function fieldOf(parameter: Parameter): z.ZodType {
  const { take, message, messageInCode = message, default: usual } = parameter;
  // Written in place: a transformation would be two schemas more for each field, which every node makes at its start.
  const taken = z.custom<unknown>().check((field) => {
    const { value } = field;
    field.value = take(value);
    if (field.value === undefined)
      field.issues.push({ code: "custom", message: messageInCode, input: value, continue: true });
  });
  return looksLike(usual === undefined ? taken.optional() : taken.default(usual), () => parameter);
}

const NEXT_PAGE = { cursor: "after" } as const;

/** Which causes of dead tasks, and which page of them. */
export const deadLetterFilterInput = filterInput(deadQuery, { names: { reason: "reasons", cursor: "after" } });
/** Which page of a task's journal. */
export const journalInput = filterInput(journalQuery, { names: NEXT_PAGE });
/** Which schedules, and which page of them. */
export const scheduleFilterInput = filterInput(scheduleQuery, { names: NEXT_PAGE });
/** Which page of a schedule's runs. */
export const scheduleRunsInput = filterInput(runsQuery, { names: { cursor: "before" } });
/** Which of the next instants. */
export const previewInput = filterInput(previewQuery);
/** Which batches, and which page of them. */
export const batchFilterInput = filterInput(batchQuery, { names: { state: "states", cursor: "before" } });
/** Which members of a batch, and which page of them. */
export const memberFilterInput = filterInput(memberQuery, { names: { state: "states", ...NEXT_PAGE } });
