import { type DeliveryKind, TickwheelError } from "@tickwheel/core";
import { RUN_BY } from "../requests/rejections.js";
import type { TypeDirectory } from "../types/type-directory.js";
import type { NodeType } from "./scheduler-node-options.js";

/**
 * Registers the types that a node runs, and reads those that there are.
 *
 * @throws TickwheelError `TYPE_DELIVERY_CONFLICT`: another kind of delivery runs one of them
 */
export async function registerTypes(directory: TypeDirectory, types: readonly NodeType[]): Promise<void> {
  for (const { namespace, type, delivery } of types) {
    const known = await directory.register({ namespace, type, delivery });
    if (known.delivery !== delivery) throw deliveryConflict(known.type, known.delivery);
  }
  await directory.runOnce();
}

function deliveryConflict(type: string, delivery: DeliveryKind): TickwheelError {
  const message = `tasks of type "${type}" are ${RUN_BY[delivery]} since its first task, so this node cannot run it otherwise`;
  return new TickwheelError("TYPE_DELIVERY_CONFLICT", message, { details: { type, delivery } });
}
