/**
 * What a schedule of these tests says: every so many seconds, or these seconds of the minute on the clock of a zone.
 */
export type Definition =
  | { everySeconds: number }
  /** `minute`: only in this minute of the hour; null: in each. */
  | { timeZone: string; seconds: readonly number[]; minute: number | null };

/** From when on `everySeconds` counts. */
const ANCHOR = "2026-01-01T00:00:00.000Z";
const ANCHOR_AT = Date.parse(ANCHOR);

/** The seconds of a minute that are multiples of this. */
export function secondsOf(step: number): number[] {
  return Array.from({ length: Math.ceil(60 / step) }, (_, index) => index * step);
}

/** The rules of a schedule as a call and a decorator take them. */
export function rulesOf(
  definition: Definition,
): { every: string; anchor: string } | { cron: string; timeZone: string } {
  if ("everySeconds" in definition) return { every: `${definition.everySeconds}s`, anchor: ANCHOR };
  const { timeZone, seconds, minute } = definition;
  return { cron: `${seconds.length === 60 ? "*" : seconds.join(",")} ${minute ?? "*"} * * * *`, timeZone };
}

/** Its instants, `after` < instant ≤ `until`: looked for second by second, without any code of the scheduler. */
export function instantsOf(definition: Definition, { after, until }: { after: number; until: number }): number[] {
  const found: number[] = [];
  for (let at = Math.floor(after / 1_000) * 1_000 + 1_000; at <= until; at += 1_000)
    if (isInstant(definition, at)) found.push(at);
  return found;
}

/** The minute of the hour that the clocks of a zone show. */
export function minuteOf(at: number, timeZone: string): number {
  return Number(new Intl.DateTimeFormat("en", { minute: "numeric", timeZone }).format(at));
}

function isInstant(definition: Definition, at: number): boolean {
  if ("everySeconds" in definition) return (at - ANCHOR_AT) % (definition.everySeconds * 1_000) === 0;
  const { seconds, minute, timeZone } = definition;
  if (!seconds.includes((at / 1_000) % 60)) return false;
  return minute === null || minuteOf(at, timeZone) === minute;
}
