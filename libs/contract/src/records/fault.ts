import { ERROR_CODES, type ErrorCode } from "@tickwheel/core";
import { integer, list, object, optional, record, string, words } from "../shapes/parts.js";
import type { ValueOf } from "../shapes/shape.js";

export const fault = object("Fault", { path: string(), message: string() });

/** An error, as problem+json. */
export const problem = record("Problem", {
  type: string("The address of the code's text in `docs/errors.md`."),
  title: string(),
  status: integer(),
  detail: string(),
  code: words(Object.keys(ERROR_CODES) as ErrorCode[]),
  errors: list(fault),
  existingId: optional(string("For `BATCH_EXISTS` and `TASK_KEY_CONFLICT`: what is there already. Else absent.")),
});
export type Problem = ValueOf<typeof problem>;
