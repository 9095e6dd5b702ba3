import {
  type ApiKey,
  inTurns,
  type JsonText,
  jsonTextOf,
  jsonValueOf,
  longBytesOf,
  mayReadPayloads,
  type Task,
} from "@tickwheel/core";
import type { DelayTaskNode } from "@tickwheel/nestjs";
import { isoInstant, maskedJson, type ReportFields, type TaskItemResult, toTaskView } from "@tickwheel/calls";
import { actorOf } from "../keys/api-key.js";
import { shownDelivery } from "../keys/shown-delivery.js";
import type { AnswerBudget } from "../limits/answer-budget.js";
import { type BulkItem, reducedTask, type ShownTask } from "./task-json.js";

/**
 * A task as the key's holder may see it: see `mayReadPayloads` and {@link shownDelivery}. Who has just made a task, by
 * a key without the right, sees its payload as long as the task waits and nobody has changed it.
 */
export function shownTask(task: Task, apiKey: ApiKey, node: Pick<DelayTaskNode, "service">): ShownTask {
  const waitingFor = node.service.waitingFor(task);
  const isShown = mayReadPayloads(apiKey) || isFreshOf(task, apiKey);
  const { payload, result } = isShown ? task : maskedTexts(task);
  const view: ShownTask = toTaskView(task, { waitingFor, payload, result }, isoInstant);
  if (!isShown) view.payloadMasked = true;
  if (view.deliver) view.deliver = shownDelivery(view.deliver, apiKey);
  return view;
}

/** What a handler has told, as the key's holder may see it. */
export function shownReport(report: ReportFields<string>, apiKey: ApiKey): ReportFields<string> {
  const { checkpoint } = report;
  if (checkpoint === null || mayReadPayloads(apiKey)) return report;
  const state = jsonValueOf(maskedJson(jsonTextOf(checkpoint.state)));
  return { ...report, checkpoint: { ...checkpoint, state } };
}

function isFreshOf({ state, version, createdBy }: Task, apiKey: ApiKey): boolean {
  const isWaiting = state === "scheduled" || state === "paused";
  return isWaiting && version === 1 && createdBy === actorOf(apiKey);
}

function maskedTexts({ payload, result }: Task): { payload: JsonText; result: JsonText | null } {
  return { payload: maskedJson(payload), result: result === null ? null : maskedJson(result) };
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
