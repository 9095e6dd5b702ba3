import { type ExecutionRef, nextOfSeries, type Task } from "@tickwheel/core";
import type { StatementScope } from "../database/statement-scope.js";
import { type TaskRow, taskOf } from "../database/task-row.js";
import { createdRow, isExecution, keylessRow } from "./row-transitions.js";
import { writeTask } from "./write-task.js";

/** Takes the key from a task that runs, and writes the next one with it. Null: the series goes on no more. */
export async function continueSeries(scope: StatementScope, started: ExecutionRef, id: string): Promise<Task | null> {
  const goesOn = (row: TaskRow): boolean => isExecution(row, started) && mayGoOn(row);
  const before = await scope.tasks.lock(started.id, goesOn);
  if (!before) return null;
  const next = nextOfSeries(taskOf(before, scope), id);
  await writeTask(scope, { before, after: keylessRow(before, id) }, null);
  const type = scope.types.get(String(before.typeId))!;
  const after = { ...createdRow(next, type, scope.now), continues: before.id };
  await writeTask(scope, { before: null, after }, { actor: next.actor });
  return taskOf(after, scope);
}

function mayGoOn({ laterMs, keyLive, cancelRequestedAt, continuedBy }: TaskRow): boolean {
  return laterMs.length > 0 && keyLive && cancelRequestedAt === null && continuedBy === null;
}
