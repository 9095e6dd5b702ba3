import { TickwheelError } from "@tickwheel/core";

/** The error for a definition that cannot be used. */
export function invalid(type: string, message: string): TickwheelError {
  return new TickwheelError("CONFIGURATION_INVALID", `The definition of "${type}" ${message}.`);
}
