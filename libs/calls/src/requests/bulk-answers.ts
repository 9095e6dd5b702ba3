import type { CreateOutcome, Task } from "@tickwheel/core";
import type { BulkItemResult } from "@tickwheel/engine";
import type { CheckedItem, ItemRejection } from "./bulk-check.js";
import type { TaskView } from "./task-view.js";

/** What became of one of many tasks, in the order given. */
export type TaskItemResult<View = TaskView> =
  | { status: CreateOutcome; task: View }
  | { status: "rejected"; error: ItemRejection };

/**
 * The answers for the items of a bulk call.
 *
 * @param results what the engine answered for those that were not refused before, in their order
 */
export function bulkAnswers(items: readonly CheckedItem[], results: readonly BulkItemResult[]): TaskItemResult<Task>[] {
  const written = results.values();
  return items.map((item, index) =>
    "rejection" in item ? { status: "rejected", error: item.rejection } : writtenItem(written.next().value!, index),
  );
}

/** Faults that the engine found name their places within the item. */
function writtenItem(result: BulkItemResult, index: number): TaskItemResult<Task> {
  if (result.status !== "rejected") return { status: result.status, task: result.task };
  const errors = result.error.errors.map(({ path, message }) => ({ path: `tasks[${index}].${path}`, message }));
  return { status: "rejected", error: { ...result.error, errors } };
}
