import {
  checkAsked,
  type EpochMs,
  MAX_OPERATION_TASKS,
  type OperationMove,
  type OperationOptions,
  type OperationPlan,
} from "@tickwheel/core";
import { askedOperationFilter, type CheckedOperation, shiftOf, throwFaults } from "@tickwheel/contract";

/**
 * What an operation is to do to which tasks. Times from now are told from `now`.
 *
 * @throws TickwheelError `VALIDATION_FAILED`: a range of the filter that ends before it begins
 */
export function toOperationPlan(
  { action, filter: asked, ...given }: CheckedOperation,
  { namespace, now }: { namespace: string; now: EpochMs },
): OperationPlan {
  const { all: _all, ...fields } = askedOperationFilter(asked);
  const { filter, faults } = checkAsked(fields, { now });
  throwFaults(faults.map((fault) => ({ ...fault, path: fault.path === "" ? "filter" : `filter.${fault.path}` })));
  return { namespace, action, filter, options: optionsOf(given) };
}

function optionsOf(given: Omit<CheckedOperation, "action" | "filter">): OperationOptions {
  return {
    includeOverdue: given.includeOverdue ?? false,
    move: moveOf(given),
    tag: given.tag ?? null,
    rate: given.rate ?? null,
    stopWhenFailing: given.stopWhenFailing ?? null,
    atMost: given.atMost ?? MAX_OPERATION_TASKS,
  };
}

function moveOf({ set, shift, spread }: Pick<CheckedOperation, "set" | "shift" | "spread">): OperationMove | null {
  if (typeof set === "number") return { kind: "set", at: set };
  if (shift !== undefined && shift !== null) return { kind: "shift", byMs: shiftOf(shift)! };
  return spread ? { kind: "spread", from: spread.from, to: spread.to } : null;
}
