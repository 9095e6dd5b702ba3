import type { CallerTransaction, JsonText } from "@tickwheel/core";
import type { ScheduleService, TaskService, VersionedPayload } from "@tickwheel/engine";
import type { PayloadCheck } from "../payloads/payload-check.js";

/*
 * A call that changes a payload names a task or a schedule, and no type. These functions look the type up, which never
 * changes, and check by it. Where a task or batch does not exist, the call itself says so.
 */

/** How payloads are checked, and where tasks and schedules are looked up. */
interface Lookups {
  payloads: PayloadCheck;
  service: Pick<TaskService, "get">;
  schedules: Pick<ScheduleService, "get">;
}

/**
 * Checks the payload of an edit.
 *
 * @returns the version to be stored; null: none
 * @throws TickwheelError `VALIDATION_FAILED` with every fault
 */
export async function checkEdited(
  { payloads, service }: Pick<Lookups, "payloads" | "service">,
  { namespace, id, payload }: { namespace: string; id: string; payload: JsonText },
  within?: CallerTransaction,
): Promise<number | null> {
  const task = await service.get(namespace, id, { within });
  return task && payloads.require({ namespace, type: task.type, payload }).version;
}

/** The same for the payload of a trigger; answers it with its version. */
export async function checkTriggered(
  { payloads, schedules }: Pick<Lookups, "payloads" | "schedules">,
  { namespace, name, payload }: { namespace: string; name: string; payload: JsonText },
): Promise<VersionedPayload> {
  const schedule = await schedules.get({ namespace, name });
  const found = schedule && payloads.require({ namespace, type: schedule.type, payload });
  return { payload, payloadVersion: found?.version ?? null };
}
