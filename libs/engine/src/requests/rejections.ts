import {
  type CreateResult,
  type DeliveryKind,
  type ErrorCode,
  type Fault,
  faultMessage,
  MAX_PAYLOAD_BYTES,
  type RejectedCreate,
  shownText,
  TickwheelError,
} from "@tickwheel/core";
import type { BulkItemResult, TaskRequest } from "./requests.js";

/** A result as an item of a bulk. */
export function itemOf(result: CreateResult): BulkItemResult {
  if (result.outcome === "rejected") return rejected(rejectionOf(result));
  return { status: result.outcome, task: result.task };
}

/** An item of a bulk that was not written. */
export function rejected(error: TickwheelError): BulkItemResult {
  return { status: "rejected", error: { code: error.code, detail: error.message, errors: error.faults } };
}

/** The error for a create that changed nothing. */
export function rejectionOf({ code, existingId, path = "payload", faults }: RejectedCreate): TickwheelError {
  const details = { existingId };
  if (faults) return misfit(code, faults, code === "MERGE_CONFLICT" ? { ...details, path } : {});
  if (code === "TASK_KEY_CONFLICT")
    return new TickwheelError(code, `the key is held by task ${existingId}`, { details });
  const message =
    code === "MERGE_CONFLICT"
      ? `cannot be merged into that of task ${existingId}, which is of another kind or would have too many digits`
      : `would be larger than ${MAX_PAYLOAD_BYTES} bytes, merged into that of task ${existingId}`;
  const shown = shownText(path);
  return new TickwheelError(code, `${shown} ${message}`, {
    faults: [{ path: shown, message }],
    details: { ...details, path },
  });
}

/** The error for a judged merge; its judge has told no more faults than an error lists. */
function misfit(code: ErrorCode, faults: readonly Fault[], details: Record<string, unknown>): TickwheelError {
  const shown = faults.map(({ path, message }) => ({ path: shownText(path), message }));
  return new TickwheelError(code, faultMessage(shown), { faults: shown, details });
}

/** How tasks of a type are run, in words. */
export const RUN_BY: Readonly<Record<DeliveryKind, string>> = {
  handler: "run by a handler",
  webhook: "run by a webhook",
  broker: "sent to a broker",
  pull: "fetched by consumers",
};

export function deliveryConflict(
  { namespace, type }: Pick<TaskRequest, "namespace" | "type">,
  delivery: DeliveryKind,
): TickwheelError {
  const message = `tasks of type "${type}" are ${RUN_BY[delivery]}, as its first task was`;
  return new TickwheelError("TYPE_DELIVERY_CONFLICT", message, { details: { namespace, type, delivery } });
}

/** The error of the parts of a bulk behind one that failed. */
export function notSent(failure: TickwheelError): TickwheelError {
  return new TickwheelError(failure.code, "This task was not sent: those before it failed.");
}

/** Errors that refuse one item of a batch and do not concern the others. */
export const REFUSALS: ReadonlySet<string> = new Set([
  "VALIDATION_FAILED",
  "TASK_KEY_CONFLICT",
  "MERGE_CONFLICT",
  "PAYLOAD_TOO_LARGE",
  "TYPE_DELIVERY_CONFLICT",
  "IDEMPOTENCY_KEY_REUSED",
  "RATE_LIMITED",
]);

/** The call's result, or the error that refuses this item alone. */
export async function orRefusal<Result>(call: Promise<Result>): Promise<Result | TickwheelError> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof TickwheelError && REFUSALS.has(error.code)) return error;
    throw error;
  }
}
