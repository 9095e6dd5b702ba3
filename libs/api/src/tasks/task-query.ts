import { readQuery, taskQuery } from "@tickwheel/contract/operations";
import type { NamespaceReader, TaskFilter } from "@tickwheel/core";

/**
 * The filter of a list call.
 *
 * @param names of the paging parameters, where they are not `limit` and `cursor`
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export function toTaskFilter(
  query: Readonly<Record<string, unknown>>,
  read: NamespaceReader,
  names: Readonly<Record<string, string>> = {},
): TaskFilter {
  const { state: states, cursor: after, ...filter } = readQuery(taskQuery, query, names);
  return { ...read, ...filter, states, after };
}
