import { type ClaimedTask, newTaskId, type Random, slotOfId, type TaskStore } from "@tickwheel/core";
import type { TaskService } from "./task-service.js";

/**
 * Makes the next task of a series when one starts, before its handler is called: so the series goes on whatever
 * becomes of this one. The row decides whether it does; a later attempt finds that it has.
 *
 * @throws TickwheelError `STORE_UNAVAILABLE`
 */
export async function continueSeries(
  started: ClaimedTask,
  { tasks, random, service }: { tasks: Pick<TaskStore, "continueSeries">; random: Random; service: TaskService },
): Promise<void> {
  const id = newTaskId(service.nowMs(), slotOfId(started.id), random);
  const { owner, fence } = started;
  const task = await tasks.continueSeries({ id: started.id, owner, fence }, id);
  if (task !== null) service.announce([{ outcome: "created", task }], {});
}
