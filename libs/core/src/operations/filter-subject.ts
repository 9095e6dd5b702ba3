import type { JoinedConditions, TaskConditions } from "../filter/task-filter.js";

/** The fields of a filter that name what an operation is about. */
export const OPERATION_SUBJECTS = [
  "type",
  "id",
  "batch",
  "schedule",
  "operation",
  "fingerprint",
  "key",
] as const satisfies readonly (keyof TaskConditions)[];

/** Whether a filter names what it is about, so that a lost variable never means a whole namespace. */
export function namesSubject({ also, ...filter }: JoinedConditions): boolean {
  return isSubjectIn(filter) || (also !== undefined && isSubjectIn(also));
}

function isSubjectIn(filter: TaskConditions): boolean {
  return OPERATION_SUBJECTS.some((name) => filter[name] !== undefined);
}
