import { type FilterMoment, UTC_CLOCK } from "@tickwheel/core/filter";
import { nextOf, remembered } from "../memory/remembered.js";
import { formatClock, formatInstant, type Zone } from "./format.js";
import { localClock } from "./wall-clock.js";

const zones = ["local", "utc"] as const satisfies readonly Zone[];

/** In which zone the page shows instants: one switch for all of them. */
export const zone = remembered<Zone>("zone", zones);

export function switchZone(): void {
  zone.value = nextOf<Zone>(zones, zone.value);
}

/** What the switch says: the place of the browser's zone, or UTC. */
export function zoneName(): string {
  if (zone.value === "utc") return "UTC";
  return ownZone().split("/").at(-1)?.replaceAll("_", " ") ?? "Local";
}

/** The browser's zone as IANA names it: `Europe/Berlin`. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Time to the second in the chosen zone, with its date unless that is today. */
export function clockText(instant: number): string {
  return formatClock(instant, Date.now(), zone.value);
}

/** Date and time to the millisecond in the chosen zone. */
export function instantText(instant: number): string {
  return formatInstant(instant, zone.value);
}

/** Now, by the clock of the chosen zone. */
export function momentNow(): FilterMoment {
  return { now: Date.now(), clock: zone.value === "utc" ? UTC_CLOCK : localClock };
}
