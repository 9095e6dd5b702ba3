import type { ErrorCode, Fault } from "@tickwheel/core";
import type { TaskRequest } from "@tickwheel/engine";
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
    const { namespace, actor, webhooks } = this.caller;
    const path = `tasks[${this.checked++}]`;
    const { input, faults } = checkInput(taskInput, value, path);
    const refused = deliverFaults(input, webhooks, path);
    if (faults.length + refused.length === 0) return { request: toTaskRequest(input, namespace, actor) };
    const {
      code,
      message,
      faults: errors,
    } = errorOfFaults([...faults, ...refused], Math.max(1, MAX_FAULTS - this.told));
    this.told += errors.length;
    return { rejection: { code, detail: message, errors } };
  }
}
