import { type ErrorCode, type Fault, TickwheelError } from "@tickwheel/core";
import type { ScheduleRequest } from "@tickwheel/engine";
import { checkInput, throwFaults } from "./input-check.js";
import { deliverFaults, toScheduleRequest } from "./schedule-request.js";
import { taskInput } from "./task-input.js";

/** Why an item of a bulk call was not written. */
export interface ItemRejection {
  code: ErrorCode;
  detail: string;
  errors: readonly Fault[];
}

/** An item of a bulk call, checked: what it asks for, or why it is refused. */
export type CheckedItem = { request: ScheduleRequest } | { rejection: ItemRejection };

/** Whose call it is, and which hosts its webhooks may name. */
export interface BulkCaller {
  namespace: string;
  actor: string;
  webhookAllowedHosts: readonly string[];
}

/** Checks the item that stands at an index of its call. */
export function checkItem(value: unknown, index: number, caller: BulkCaller): CheckedItem {
  const path = `tasks[${index}]`;
  const { input, faults } = checkInput(taskInput, value, path);
  try {
    throwFaults([...faults, ...deliverFaults(input, caller.webhookAllowedHosts, path)]);
    return { request: toScheduleRequest(input, caller.namespace, caller.actor) };
  } catch (error) {
    if (!(error instanceof TickwheelError)) throw error;
    return { rejection: { code: error.code, detail: error.message, errors: error.faults } };
  }
}
