import type { Fault } from "@tickwheel/core";
import type { SchedulerNode, TaskRequest } from "@tickwheel/engine";
import type { SpawnDrafts, SpawnedTask } from "@tickwheel/executors";
import { throwFaults } from "../input/input-faults.js";
import { type BulkCaller, BulkCheck } from "../requests/bulk-check.js";
import type { TaskDefinition } from "../requests/define-task.js";
import { inputOfCall } from "../requests/task-request.js";

/**
 * Checks what handlers spawn by the rules of every other call's tasks, and drafts it.
 *
 * @param node asked at each call, since the node is made after what runs its handlers
 */
export function spawnDrafts(bounds: Pick<BulkCaller, "webhooks" | "payloads">, node: () => SchedulerNode): SpawnDrafts {
  return async ({ task, type: { namespace } }, tasks) => {
    const check = new BulkCheck({ namespace, actor: `task:${task.id}`, ...bounds });
    return node().service.drafts.draftEach(requestsOf(tasks, check));
  };
}

function requestsOf(tasks: readonly SpawnedTask[], check: BulkCheck): TaskRequest[] {
  const faults: Fault[] = [];
  const requests: TaskRequest[] = [];
  for (const { task, payload, ...fields } of tasks) {
    const checked = check.next(inputOfCall(fields, task as string | TaskDefinition<unknown>, payload));
    if ("request" in checked) requests.push(checked.request);
    else faults.push(...checked.rejection.errors);
  }
  if (faults.length > 0) throwFaults(faults);
  return requests;
}
