import {
  checkFilter,
  checkLine,
  FIELDS,
  FILTER_STATES,
  type FilterField,
  isNegatable,
  namesOf,
  TASK_OUTCOMES,
  TERMINAL_REASONS,
  type TaskFilterInput as FilterInput,
} from "@tickwheel/core";
import * as z from "zod";
import { requireInput } from "../input/input-check.js";
import { throwFaults } from "../input/input-faults.js";
import { whenObject } from "../input/input-schema.js";
import { looksLike } from "../input/input-shape.js";
import { inCode, said } from "../shapes/parts.js";
import type { Shape } from "../shapes/shape.js";
import { fieldOf } from "./filters.js";
import { idCursor, page, type Parameter } from "./parameters.js";
import { FILTER_PARAMETERS, type FilterParameter } from "./task-filter.js";
import type { AskedTasks } from "./task-queries.js";

// The filter of tasks asked for in code: the object that the filter's own check reads, and a page.

/** What the words of a field are called in code. */
const TYPES_OF_WORDS = new Map<readonly string[], string>([
  [FILTER_STATES, "FilterState"],
  [TERMINAL_REASONS, "TerminalReason"],
  [TASK_OUTCOMES, "TaskOutcome"],
]);

const parameters: Readonly<Partial<Record<string, Parameter>>> = FILTER_PARAMETERS;
const parameterOf = (name: FilterParameter): Shape => parameters[name]!;

/** The fields that may be negated. */
export const NEGATED_FIELDS = Object.fromEntries(
  FIELDS.filter(([, field]) => isNegatable(field)).map(([name, field]) => [
    name,
    oneOrMore(parameterOf(`not.${name}` as FilterParameter), field),
  ]),
);

const not: Shape = {
  form: { kind: "object", name: "TaskFilterNot", fields: NEGATED_FIELDS, isComponent: false, isInput: true },
  text: "What must not hold. A task without a value fits.",
  isOptional: true,
};

const fields: [name: string, shape: Shape][] = FIELDS.flatMap(([name, field]): [string, Shape][] =>
  name === "states"
    ? [
        [
          "states",
          inCode(parameterOf("state"), { type: "readonly FilterState[]", values: mostOf(field as ListField) }),
        ],
        ["state", said(oneOrMore(parameterOf("state"), field), "The same as `states`, in its place.")],
      ]
    : namesOf(name).map((one) => [one, oneOrMore(parameterOf(one as FilterParameter), field)]),
);

/** In code a value that stands alone is a list of one. */
function oneOrMore(shape: Shape, field: FilterField): Shape {
  if (field.kind !== "list") return shape;
  const one = typeOf(field);
  return inCode(shape, { type: `${one} | readonly ${one}[]`, values: mostOf(field) });
}

type ListField = Extract<FilterField, { kind: "list" }>;

function typeOf({ value }: ListField): string {
  if (value.is !== "word") return "string";
  return TYPES_OF_WORDS.get(value.words)!;
}

function mostOf({ most }: ListField): string {
  return `At most ${most.toLocaleString("en-US")}.`;
}

const { limit, cursor: after } = page(idCursor);

/** What `DelayTaskService.find` looks for. Tabs are for people. Its fields are judged by the filter's own check. */
export const taskFilterInput = z
  .looseObject(
    {
      ...Object.fromEntries(
        [...fields, ["not", not] as const].map(([name, shape]) => [
          name,
          looksLike(z.unknown().optional(), () => shape),
        ]),
      ),
      limit: fieldOf(limit),
      after: fieldOf(after),
    },
    { error: "must be an object" },
  )
  .superRefine(
    ({ limit: _limit, after: _after, ...given }, context) => {
      for (const { path, message } of checkFilter(given, null).faults)
        context.addIssue({ code: "custom", message, path: [path] });
    },
    { when: whenObject },
  );

/**
 * The filter that a line says, for `DelayTaskService.find`. Times from now are told from the call of `find`.
 *
 * @example await delayTasks.find({ ...taskFilter("state:dead type:mail.* created:<24h"), limit: 10 })
 * @param line fields and values, such as `type:mail.send -tag:vip`; all must hold. At most 2,000 characters
 * @throws TickwheelError `VALIDATION_FAILED` with every fault, each with its place in the line: `line[5..14]`
 */
export function taskFilter(line: string): FilterInput {
  if (typeof line !== "string") throwFaults([{ path: "line", message: "must be a string" }]);
  const { input, faults } = checkLine(line, null);
  throwFaults(faults.map(({ from, to, message }) => ({ path: `line[${from}..${to}]`, message })));
  return input;
}

/**
 * What code asks for.
 *
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export function askedTasksIn(given: unknown): AskedTasks {
  const { limit: most, after: place, ...filter } = requireInput(taskFilterInput, given);
  return { fields: filter as FilterInput, limit: most as number, after: place as string | undefined };
}
