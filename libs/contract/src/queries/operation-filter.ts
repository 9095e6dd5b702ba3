import {
  type AskedFilter,
  checkAsked,
  type Fault,
  namesSubject,
  OPERATION_SUBJECTS,
  type TaskFilterInput,
} from "@tickwheel/core";
import * as z from "zod";
import { isContainer } from "../input/input-rules.js";
import { looksLike } from "../input/input-shape.js";
import { nested } from "../shapes/nested.js";
import { flag, optional } from "../shapes/parts.js";
import type { Shape } from "../shapes/shape.js";
import { FILTER_PARAMETERS } from "./task-filter.js";

// The filter of an operation, as a body gives it.

const SUBJECTS = OPERATION_SUBJECTS.map((name) => `\`${name}\``).join(", ");

const FILTER: Shape = {
  form: {
    kind: "object",
    name: "OperationFilter",
    fields: {
      ...nested("OperationFilter", Object.entries(FILTER_PARAMETERS)),
      all: optional(
        flag(`True: all tasks of the namespace may be meant. Without it the filter names one of ${SUBJECTS}.`),
      ),
    },
    isComponent: true,
    isInput: true,
    text: "Which tasks are meant: each field must hold, and of a list one value, but for `tag`. For `q`, all of the line must hold besides. A value may stand alone for a list.",
  },
  text: "Which tasks are meant.",
  code: { type: "OperationFilterInput" },
};

/**
 * Which tasks an operation means: the fields of a filter, all of which must hold, `q`: a line beside them, and `all`.
 * Without `all` it names a type, ids, a batch, a fingerprint or a key.
 */
export interface OperationFilterInput extends TaskFilterInput {
  /** A line beside the fields. Default: none. */
  q?: string;
  /** True: all tasks of the namespace may be meant. Default: false. */
  all?: boolean;
}

/** Its fields are judged by the filter's own check. */
export const operationFilter = looksLike(
  z.custom<OperationFilterInput>().check(({ value, issues }) => {
    for (const { path, message } of filterFaults(value))
      issues.push({ code: "custom", message, input: value, path: path === "" ? [] : [path], continue: true });
  }),
  () => FILTER,
);

/** What a filter asks for, its line among it, and whether all tasks may be meant. */
export function askedOperationFilter({
  all,
  q: line,
  ...fields
}: OperationFilterInput): AskedFilter & { all: boolean } {
  return { fields, ...(typeof line === "string" && { line }), all: all === true };
}

function filterFaults(value: unknown): Fault[] {
  if (!isContainer(value) || Array.isArray(value)) return [{ path: "", message: "must be an object" }];
  const faults: Fault[] = [];
  if (value.all !== undefined && typeof value.all !== "boolean")
    faults.push({ path: "all", message: "must be true or false" });
  if (value.q !== undefined && typeof value.q !== "string") faults.push({ path: "q", message: "must be a string" });
  const { all, ...asked } = askedOperationFilter(value as OperationFilterInput);
  const { filter, faults: unsound } = checkAsked(asked, null);
  faults.push(...unsound);
  if (faults.length === 0 && !all && !namesSubject(filter))
    faults.push({ path: "", message: `must name one of ${OPERATION_SUBJECTS.join(", ")}, or say all: true` });
  return faults;
}
