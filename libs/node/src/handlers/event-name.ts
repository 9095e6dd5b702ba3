import { closestTo, EVENT_NAMES, TickwheelError } from "@tickwheel/core";

/**
 * The name of a listener's event.
 *
 * @param what the listener, for people
 * @throws TickwheelError `CONFIGURATION_INVALID` for a name that no event has, with the one that was meant
 */
export function eventName(name: unknown, what: string): string {
  if (typeof name === "string" && (EVENT_NAMES as readonly string[]).includes(name)) return name;
  const meant = typeof name === "string" ? closestTo(name, EVENT_NAMES) : undefined;
  const hint = meant ? `did you mean "${meant}"?` : "docs/telemetry.md lists them.";
  throw new TickwheelError(
    "CONFIGURATION_INVALID",
    `${what} waits for "${String(name)}", and there is no such event: ${hint}`,
  );
}
