import { type Fault, TickwheelError } from "@tickwheel/core";

/** What is wrong with a schedule, or with a call about one. */
export function scheduleFaults(faults: readonly Fault[]): TickwheelError {
  const list = faults.map(({ path, message }) => `${path || "the schedule"} ${message}`).join("; ");
  return new TickwheelError("VALIDATION_FAILED", list, { faults });
}

/** The error where a call names a schedule that is not there. */
export function noSchedule(name: string): TickwheelError {
  return new TickwheelError("SCHEDULE_NOT_FOUND", `There is no schedule ${name}.`);
}
