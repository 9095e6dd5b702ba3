/** Numbers, durations and instants as people read them. Pure: the caller says what time it is, and where. */

/** Whose wall clock: the reader's own, or UTC. */
export type Zone = "local" | "utc";

const counts = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A count with thousands separated; `–` for none. */
export function formatCount(count: number | null | undefined): string {
  return count === null || count === undefined ? "–" : counts.format(count);
}

/**
 * A duration in its two largest units, `–` for none: `0.4 ms`, `310 ms`, `4.2 s`, `12 min 5 s`, `3 h 12 min`,
 * `5 d 3 h`.
 */
export function formatDuration(durationMs: number | null | undefined): string {
  if (durationMs === null || durationMs === undefined) return "–";
  const sign = durationMs <= -0.05 ? "−" : "";
  return sign + formatLength(Math.abs(durationMs));
}

function formatLength(ms: number): string {
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`;
  if (Math.round(ms) < secondMs) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / secondMs).toFixed(1))} s`;
  const seconds = Math.round(ms / secondMs) * secondMs;
  if (seconds < hourMs) return twoUnits(seconds, [minuteMs, "min"], [secondMs, "s"]);
  const minutes = Math.round(ms / minuteMs) * minuteMs;
  if (minutes < dayMs) return twoUnits(minutes, [hourMs, "h"], [minuteMs, "min"]);
  return twoUnits(Math.round(ms / hourMs) * hourMs, [dayMs, "d"], [hourMs, "h"]);
}

type Unit = readonly [lengthMs: number, name: string];

function twoUnits(ms: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.round((ms % largeMs) / smallMs);
  const whole = `${formatCount(Math.floor(ms / largeMs))} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

/**
 * How far `instant` is from `now`: `in 12 min`, `3 s ago`, `now` within half a second; whole minutes from a minute on.
 * Both in milliseconds of the epoch.
 */
export function formatDistance(instant: number, now: number): string {
  const distanceMs = instant - now;
  const lengthMs = Math.abs(distanceMs);
  if (lengthMs < 500) return "now";
  const length = formatAge(Math.max(secondMs, lengthMs));
  return distanceMs > 0 ? `in ${length}` : `${length} ago`;
}

/** A length that goes on by itself, in whole seconds, or minutes from a minute on; `< 1 s` below a second. */
export function formatAge(lengthMs: number): string {
  if (lengthMs < secondMs) return "< 1 s";
  const unitMs = lengthMs < minuteMs ? secondMs : minuteMs;
  return formatDuration(Math.floor(lengthMs / unitMs) * unitMs);
}

/** Date and time to the millisecond: `2026-11-21 09:00:00.123`. */
export function formatInstant(instant: number, zone: Zone): string {
  return wallClock(instant, zone).replace("T", " ");
}

/** Time to the second, with its date unless that is today. */
export function formatClock(instant: number, now: number, zone: Zone): string {
  const [date, time] = wallClock(instant, zone).split("T") as [string, string];
  const clock = time.slice(0, 8);
  return date === wallClock(now, zone).split("T")[0] ? clock : `${date} ${clock}`;
}

/** A count of a thing: `1 task`, `2,000 tasks`. */
export function formatNumberOf(count: number, thing: string): string {
  return `${formatCount(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** How often something may happen: `100 in 1 s`. */
export function formatRate({ count, perMs }: { readonly count: number; readonly perMs: number }): string {
  return `${formatCount(count)} in ${formatDuration(perMs)}`;
}

/** As ISO 8601 writes it, without its zone. */
function wallClock(instant: number, zone: Zone): string {
  const offsetMs = zone === "utc" ? 0 : new Date(instant).getTimezoneOffset() * minuteMs;
  return new Date(instant - offsetMs).toISOString().slice(0, -1);
}
