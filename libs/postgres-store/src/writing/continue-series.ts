import { type EpochMs, type ExecutionRef, nextOfSeries, type Task } from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { freeKeys } from "../statements/create/free-keys.js";
import { insertTasksWithExtras } from "../statements/create/insert-tasks.js";
import { lockSeries } from "../statements/create/lock-series.js";
import { insertedTask } from "./known-rows.js";

/**
 * Writes the next task of a series in the session's transaction: takes the key from the one that runs, which names it,
 * and gives it to the next one. Null: the series goes on no more, or has done so.
 */
export async function continueSeries(
  session: Session,
  { started, id, asOf }: { started: ExecutionRef; id: string; asOf: EpochMs | null },
): Promise<Task | null> {
  const [holder] = await session.run(lockSeries, started);
  if (!holder) return null;
  const next = { ...nextOfSeries(holder, id), continues: holder.id };
  await session.run(freeKeys, { holders: [{ id: holder.id, replacedBy: null, continuedBy: id }], asOf });
  const [now] = await session.run(insertTasksWithExtras, { tasks: [next], asOf });
  const { typeId, namespace, type } = holder;
  return insertedTask(next, { id: typeId, namespace, type, delivery: "handler" }, now!);
}
