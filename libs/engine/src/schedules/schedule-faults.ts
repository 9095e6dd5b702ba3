import { type Fault, shownText, TickwheelError } from "@tickwheel/core";
import type { ScheduleRef, ScheduleStore, StoredSchedule } from "@tickwheel/schedules";

/** What is wrong with a schedule, or with a call about one. */
export function scheduleFaults(faults: readonly Fault[]): TickwheelError {
  const list = faults.map(({ path, message }) => `${path || "the schedule"} ${message}`).join("; ");
  return new TickwheelError("VALIDATION_FAILED", list, { faults });
}

/** The error where a call names a schedule that is not there. */
export function noSchedule(ref: ScheduleRef): TickwheelError {
  return new TickwheelError(
    "SCHEDULE_NOT_FOUND",
    `There is no schedule ${shownText("name" in ref ? ref.name : ref.id, 100)}.`,
  );
}

/** @throws TickwheelError `SCHEDULE_NOT_FOUND` */
export async function requireSchedule(store: Pick<ScheduleStore, "get">, ref: ScheduleRef): Promise<StoredSchedule> {
  const schedule = await store.get(ref);
  if (schedule) return schedule;
  throw noSchedule(ref);
}
