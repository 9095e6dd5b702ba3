import type { ErrorCode, Fault } from "@tickwheel/core";
import type { TaskRequest } from "@tickwheel/engine";
import { batchTaskFaults, type BatchTaskKind } from "../input/batch-input.js";
import { checkInput } from "../input/input-check.js";
import { errorOfFaults, MAX_FAULTS } from "../input/input-faults.js";
import { deliverFaults, toTaskRequest, type WebhookBounds } from "./task-request.js";
import { taskInput } from "../input/task-input.js";

/** Why an item of a bulk call was not written. */
export interface ItemRejection {
  code: ErrorCode;
  detail: string;
  errors: readonly Fault[];
}

/** An item of a bulk call, checked: what it asks for, or why it is refused. */
export type CheckedItem = { request: TaskRequest } | { rejection: ItemRejection };

/** Whose call it is, and where its webhooks may go. */
export interface BulkCaller {
  namespace: string;
  actor: string;
  /** What the node lets webhooks do. */
  webhooks: WebhookBounds;
  /** What its tasks are in a batch. Absent: they are of none. */
  kind?: BatchTaskKind;
}

/**
 * Checks one task of a call.
 *
 * @param path where it stands in the call, such as `tasks[3]`
 */
export function checkTask(
  value: unknown,
  path: string,
  { namespace, actor, webhooks, kind }: BulkCaller,
): { request: TaskRequest } | { faults: Fault[] } {
  const { input, faults } = checkInput(taskInput, value, path);
  // What a batch's task may not have at all is told instead of the rules for it.
  const unwanted = kind ? batchTaskFaults(kind, input, path) : [];
  const others = faults.filter((fault) => !unwanted.some(({ path: told }) => told === fault.path));
  const found = [...others, ...unwanted, ...deliverFaults(input, webhooks, path)];
  return found.length === 0 ? { request: toTaskRequest(input, namespace, actor) } : { faults: found };
}

/**
 * Checks the items of one bulk call, in their order. Of their faults it tells as many as one error may list, and then
 * one for each item.
 */
export class BulkCheck {
  private checked = 0;
  private told = 0;

  constructor(private readonly caller: BulkCaller) {}

  next(value: unknown): CheckedItem {
    const checked = checkTask(value, `tasks[${this.checked++}]`, this.caller);
    if ("request" in checked) return checked;
    const { code, message, faults } = errorOfFaults(checked.faults, Math.max(1, MAX_FAULTS - this.told));
    this.told += faults.length;
    return { rejection: { code, detail: message, errors: faults } };
  }
}
