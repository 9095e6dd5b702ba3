/** Lengths and instants without rounding, for what somebody has defined. Pure. */

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
  [1, "ms"],
] as const;

/** Every unit of a length: `15 min`, `1 h 30 min`, `1 d 1 h 1 min 1 s`; zero is `0 s`. */
export function exactDuration(lengthMs: number): string {
  const parts = partsOf(lengthMs).map(([count, unit]) => `${count} ${unit}`);
  return parts.length === 0 ? "0 s" : parts.join(" ");
}

/** As the API takes a length: `15m`, `1h30m`, `250ms`. */
export function durationInput(lengthMs: number): string {
  const parts = partsOf(lengthMs).map(([count, unit]) => `${count}${unit === "min" ? "m" : unit}`);
  return parts.length === 0 ? "0s" : parts.join("");
}

function partsOf(lengthMs: number): [count: number, unit: string][] {
  let rest = lengthMs;
  return units.flatMap(([unitMs, unit]): [number, string][] => {
    const count = Math.floor(rest / unitMs);
    rest -= count * unitMs;
    return count === 0 ? [] : [[count, unit]];
  });
}

/**
 * The wall clock of a zone: `Tue 24 Nov 03:30`, with the year unless it is that of `now`, with seconds unless they are
 * zero. A zone that the browser does not know is told in UTC.
 */
export function zonedText(instant: number, timeZone: string, now: number): string {
  const part = partsIn(instant, timeZone);
  const date = `${part("weekday")} ${part("day")} ${part("month")}`;
  const year = part("year") === partsIn(now, timeZone)("year") ? "" : ` ${part("year")}`;
  const seconds = part("second") === "00" ? "" : `:${part("second")}`;
  return `${date}${year} ${part("hour")}:${part("minute")}${seconds}`;
}

function partsIn(instant: number, timeZone: string): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = formatterOf(timeZone).formatToParts(instant);
  return (type) => parts.find((part) => part.type === type)?.value ?? "";
}

const options: Intl.DateTimeFormatOptions = {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
};

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  // "en-GB" writes "Sept"; "en-US" has the parts alike, and three letters for each month.
  try {
    return new Intl.DateTimeFormat("en-US", { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" });
  }
}
