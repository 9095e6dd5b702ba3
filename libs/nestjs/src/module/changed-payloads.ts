import type { CallerTransaction, JsonText } from "@tickwheel/core";
import type { VersionedPayload } from "@tickwheel/engine";
import type { DelayTaskNode } from "../node/delay-task.node.js";

/*
 * A call that changes a payload names a task or a schedule, and no type. These functions look the type up, which never
 * changes, and check by it. Of what does not exist the call itself says so.
 */

/**
 * Checks the payload of an edit.
 *
 * @returns the version to be stored; null: none
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export async function checkEdited(
  { payloads, service }: DelayTaskNode,
  { namespace, id, payload }: { namespace: string; id: string; payload: JsonText },
  within?: CallerTransaction,
): Promise<number | null> {
  const task = await service.get(namespace, id, { within });
  return task && payloads.require({ namespace, type: task.type, payload }).version;
}

/** The same for the payload of a trigger; answers it with its version. */
export async function checkTriggered(
  { payloads, schedules }: DelayTaskNode,
  { namespace, name, payload }: { namespace: string; name: string; payload: JsonText },
): Promise<VersionedPayload> {
  const schedule = await schedules.get({ namespace, name });
  const found = schedule && payloads.require({ namespace, type: schedule.type, payload });
  return { payload, payloadVersion: found?.version ?? null };
}
