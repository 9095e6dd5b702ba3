/** Numbers, durations and instants as people read them. Pure: the caller says what time it is. */

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
  const sign = durationMs < 0 ? "−" : "";
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
 * How far `instant` is from `now`: `in 12 min`, `3 s ago`, `now` within half a second. Both in milliseconds of the
 * epoch.
 */
export function formatDistance(instant: number, now: number): string {
  const distanceMs = instant - now;
  if (Math.abs(distanceMs) < 500) return "now";
  const length = formatDuration(Math.abs(distanceMs));
  return distanceMs > 0 ? `in ${length}` : `${length} ago`;
}

/** Local date and time to the millisecond: `2026-11-21 09:00:00.123`. */
export function formatInstant(instant: number): string {
  const at = new Date(instant);
  return `${localDate(at)} ${localTime(at)}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/** Local time to the second, with its date unless that is today. */
export function formatClock(instant: number, now: number): string {
  const at = new Date(instant);
  const date = localDate(at);
  return date === localDate(new Date(now)) ? localTime(at) : `${date} ${localTime(at)}`;
}

/** A count of a thing: `1 task`, `2,000 tasks`. */
export function formatNumberOf(count: number, thing: string): string {
  return `${formatCount(count)} ${thing}${count === 1 ? "" : "s"}`;
}

function localDate(at: Date): string {
  return [String(at.getFullYear()), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-");
}

function localTime(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(":");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
