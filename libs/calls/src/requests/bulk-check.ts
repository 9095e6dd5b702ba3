import { type ErrorCode, type Fault, JsonSource, type JsonText } from "@tickwheel/core";
import type { TaskRequest } from "@tickwheel/engine";
import {
  batchTaskFaults,
  type BatchTaskKind,
  checkInput,
  errorOfFaults,
  isContainer,
  isGiven,
  MAX_FAULTS,
  payloadText,
  taskInput,
  type TaskInput,
} from "@tickwheel/contract";
import type { PayloadCheck } from "../payloads/payload-check.js";
import { deliverFaults, rulesOfCall, toTaskRequest, type DeliveryBounds } from "./task-request.js";
import { bodyHash, type ListHash } from "./body-hash.js";

/** Why an item of a bulk call was not written. */
export interface ItemRejection {
  code: ErrorCode;
  detail: string;
  errors: readonly Fault[];
}

/** An item of a bulk call, checked: what it asks for, or why it is refused. */
export type CheckedItem = { request: TaskRequest } | { rejection: ItemRejection };

/** Whose call it is, and where its tasks may be sent. */
export interface BulkCaller {
  namespace: string;
  actor: string;
  /** Where the node lets tasks be sent. */
  deliveries: DeliveryBounds;
  /** How it checks payloads by their schemas. */
  payloads: PayloadCheck;
  /** What its tasks are in a batch. Absent: they are of none. */
  kind?: BatchTaskKind;
}

/** A task of a call: what it asks for, or null and every fault. `input`: with faults, as it was given. */
export interface CheckedTask {
  input: TaskInput;
  faults: readonly Fault[];
  request: TaskRequest | null;
}

/**
 * Checks one task of a call.
 *
 * @param path where it stands in the call, such as `tasks[3]`
 */
export function checkTask(value: unknown, path: string, caller: BulkCaller): CheckedTask {
  const { namespace, actor, deliveries, payloads, kind } = caller;
  const { input, faults } = checkInput(taskInput, value, path);
  const finding = payloads.checkInput(
    {
      namespace,
      type: input.type,
      rules: rulesOfCall(value),
      payload: input.payload,
      isChecked: faults.length === 0,
      mayMerge: input.onConflict === "merge",
    },
    path,
  );
  const own = kind ? faultsInBatch(kind, { input, faults }, path) : faults;
  const ofDelivery = deliverFaults(input, deliveries, path);
  if (own.length + finding.faults.length + ofDelivery.length > 0)
    return { input, faults: [...own, ...finding.faults, ...ofDelivery], request: null };
  const request = toTaskRequest(input, namespace, actor);
  // Written into it: a copy of so many fields costs more than all checks.
  request.payloadVersion = finding.version;
  request.judge = finding.judge;
  if (isGiven(input.idempotencyKey)) request.idempotency = idempotencyOf(input.idempotencyKey, value, input);
  return { input, faults: own, request };
}

/** The idempotency of a call for one task. Equal calls are one, whichever way they come in. */
export function idempotencyOf(key: string, given: unknown, input: TaskInput): { key: string; bodyHash: string } {
  return { key, bodyHash: bodyHash(asWritten(given, input.payload)) };
}

/** What was given, for its hash: its payload is the text that is stored. */
function asWritten(given: unknown, payload: JsonText | undefined): unknown {
  return payload === undefined || !isContainer(given) ? given : { ...given, payload: new JsonSource(payload) };
}

/** The payload of an item that is refused; undefined: it has none, or none that can be written. */
function uncheckedPayload(given: unknown): JsonText | undefined {
  return isContainer(given) && "payload" in given ? payloadText(given.payload) : undefined;
}

/** What a batch's task may not have at all is told instead of the rules for it. */
function faultsInBatch(
  kind: BatchTaskKind,
  { input, faults }: Omit<CheckedTask, "request">,
  path: string,
): readonly Fault[] {
  const unwanted = batchTaskFaults(kind, input, path);
  return [...faults.filter((fault) => !unwanted.some(({ path: told }) => told === fault.path)), ...unwanted];
}

/**
 * Checks the items of one bulk call, in their order. It reports as many of their faults as one error may list, and then
 * one for each item. With a hash it adds each item as it was given: to an idempotency key equal bulks are one call.
 */
export class BulkCheck {
  private checked = 0;
  private told = 0;

  /** @param hash of the call. Default: nobody asks for it */
  constructor(
    private readonly caller: BulkCaller,
    private readonly hash: ListHash | null = null,
  ) {}

  next(value: unknown): CheckedItem {
    const checked = checkTask(value, `tasks[${this.checked++}]`, this.caller);
    this.hash?.add(asWritten(value, checked.request ? checked.input.payload : uncheckedPayload(value)));
    if (checked.request) return { request: checked.request };
    const { code, message, faults } = errorOfFaults(checked.faults, Math.max(1, MAX_FAULTS - this.told));
    this.told += faults.length;
    return { rejection: { code, detail: message, errors: faults } };
  }
}
