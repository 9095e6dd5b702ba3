import { inTurns, longBytesOf, type ApiKey, type Task } from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { isoInstant, type TaskItemResult, toTaskView } from "@tickwheel/calls";
import { hasRole } from "../keys/api-key.js";
import type { AnswerBudget } from "../limits/answer-budget.js";
import { type BulkItem, reducedTask, type ShownTask } from "./task-json.js";

/**
 * A task as the key's holder may see it. A webhook's headers may hold credentials, and its path may be one: whoever may
 * not write sees its host alone.
 */
export function shownTask(task: Task, apiKey: ApiKey, node: Pick<DelayTaskNode, "service">): ShownTask {
  const { payload, result } = task;
  const view = toTaskView(task, { waitingFor: node.service.waitingFor(task), payload, result }, isoInstant);
  if (view.deliver && !hasRole(apiKey, "operator"))
    view.deliver = { kind: view.deliver.kind, url: new URL(view.deliver.url).origin };
  return view;
}

/**
 * The items of a bulk call. Behind the one that spends the budget, tasks are reduced. Works in turns: there may be
 * many.
 */
export function shownItems(
  items: readonly TaskItemResult<Task>[],
  show: (task: Task) => ShownTask,
  budget: AnswerBudget,
): Promise<BulkItem[]> {
  return inTurns(items, (item, index): BulkItem => {
    if (item.status === "rejected") return { index, ...item };
    const { status, task } = item;
    const isReduced = budget.left <= 0;
    const view = show(task);
    if (isReduced) return { index, status, reduced: true, task: reducedTask(view) };
    budget.spend(longBytesOf(task));
    return { index, status, task: view };
  });
}
