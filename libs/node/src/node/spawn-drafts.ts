import { type Fault, traceOf, type Tracing } from "@tickwheel/core";
import type { SchedulerNode, TaskRequest } from "@tickwheel/engine";
import type { SpawnDrafts, SpawnedTask } from "@tickwheel/executors";
import { type BulkCaller, BulkCheck, inputOfCall, type TaskDefinition, throwFaults } from "@tickwheel/calls";

/** What spawned tasks are checked by, and whose traces they carry on. */
interface SpawnBounds extends Pick<BulkCaller, "deliveries" | "payloads"> {
  tracing: Tracing;
}

/**
 * Checks what handlers spawn by the rules of every other call's tasks, and drafts it.
 *
 * @param node asked at each call, since the node is made after what runs its handlers
 */
export function spawnDrafts({ tracing, ...bounds }: SpawnBounds, node: () => SchedulerNode): SpawnDrafts {
  return async ({ task, type: { namespace } }, tasks) => {
    const trace = tracing.current() ?? traceOf(task);
    const check = new BulkCheck({ namespace, actor: `task:${task.id}`, ...bounds });
    const requests = requestsOf(tasks, check);
    for (const request of requests) request.trace = trace;
    return node().service.drafts.draftEach(requests);
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
