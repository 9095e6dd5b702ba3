const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The larger units, each with the one below it. */
const UNITS = [
  { ms: DAY_MS, name: "d", below: { ms: HOUR_MS, name: "h" } },
  { ms: HOUR_MS, name: "h", below: { ms: MINUTE_MS, name: "min" } },
  { ms: MINUTE_MS, name: "min", below: { ms: SECOND_MS, name: "s" } },
] as const;

/** A duration for people, in its two largest units at most: `240 ms`, `14 s`, `2 min 5 s`, `3 h`, `4 d 2 h`. */
export function durationInWords(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < SECOND_MS) return `${whole} ms`;
  for (const { ms: size, name, below } of UNITS) {
    const rounded = Math.round(whole / below.ms) * below.ms;
    if (rounded < size) continue;
    const rest = (rounded % size) / below.ms;
    return `${Math.floor(rounded / size)} ${name}${rest > 0 ? ` ${rest} ${below.name}` : ""}`;
  }
  const seconds = Math.round(whole / 100) / 10;
  return `${seconds < 10 ? seconds : Math.round(whole / SECOND_MS)} s`;
}

/** `1,234,567`. */
export function numberInWords(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

/** `1 task`, `2 tasks`, `1,234 tasks`. */
export function counted(count: number, noun: string): string {
  return `${numberInWords(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** `a`, `a and b`, `a, b and c`, `a, b and 3 more`. */
export function listInWords(names: readonly string[], most = 3): string {
  const shown = names.length > most + 1 ? [...names.slice(0, most), `${names.length - most} more`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)!}`;
}
