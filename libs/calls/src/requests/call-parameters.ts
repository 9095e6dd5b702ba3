import type { TaskDefinition } from "./define-task.js";
import type { ManagerOption } from "./task-options.js";

/** The parameters of a call that may begin with a definition; null: it does not. */
export function callOf<What>(
  parameters: readonly unknown[],
): [definition: TaskDefinition<unknown> | null, what: What, options: ManagerOption | undefined] {
  const [first, second, third] = parameters;
  return isDefinition(first)
    ? [first, second as What, third as ManagerOption | undefined]
    : [null, first as What, second as ManagerOption | undefined];
}

/** A filter has no defaults. */
function isDefinition(value: unknown): value is TaskDefinition<unknown> {
  return typeof value === "object" && value !== null && "type" in value && "defaults" in value;
}
