import { type EpochMs, type Fault, type HalfOpenRange, TickwheelError } from "@tickwheel/core";
import { isTimeZone, type ZoneClock, zoneClock } from "../cron/zone-clock.js";

const DAY_MS = 86_400_000;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** The rules of zones are right from 1970 on, and are nobody's guess beyond 2169. */
const FIRST_MS = 0;
const END_MS = Date.UTC(2170, 0, 1);

/** A half-open range of instants: `from` belongs to it, `to` does not. */
export type InstantRange = HalfOpenRange<EpochMs>;

/**
 * The instants of one calendar day of a zone. The day begins when its date is first shown and ends when the next day
 * begins, so days in a row have no gap and no overlap. It has 24 hours, or 23, 25 and the like where the clock changes;
 * it is empty (`from = to`) where the zone left it out. Where the clock goes back over midnight after it has shown the
 * new date, as in Newfoundland until 2011, what follows stays in the new day.
 *
 * @param timeZone an IANA name, such as `Europe/Berlin`
 * @param date `YYYY-MM-DD`, from 1970 to 2169
 * @throws TickwheelError `VALIDATION_FAILED`, which names every fault
 * @example dayIn("Europe/Berlin", "2026-03-29") // 23 hours
 */
export function dayIn(timeZone: string, date: string): InstantRange {
  const dayMs = isDay(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  const fault = { path: "date", message: "must be a day YYYY-MM-DD that the calendar has, from 1970 to 2169" };
  requireNone("dayIn", [...zoneFaults(timeZone), ...(isWithin(dayMs) ? [] : [fault])]);
  return dayOfWall(zoneClock(timeZone), dayMs);
}

/**
 * The instants of the calendar day before that of an instant, in a zone: of "yesterday". It ends where the instant's
 * own day begins. A day that the zone left out is passed over, so that a call on each day misses no instant.
 *
 * @param timeZone an IANA name, such as `Europe/Berlin`
 * @param instant epoch milliseconds or a Date, from 1970-01-03 to 2169; for a schedule's run take `ctx.occurrenceAt`,
 *   which is the same in each attempt, however late
 * @throws TickwheelError `VALIDATION_FAILED`, which names every fault
 * @example const { from, to } = dayBefore("Europe/Berlin", ctx.occurrenceAt!);
 */
export function dayBefore(timeZone: string, instant: EpochMs | Date): InstantRange {
  const at = instant instanceof Date ? instant.getTime() : instant;
  const isInstant = Number.isInteger(at) && isWithin(at - 2 * DAY_MS) && isWithin(at);
  const fault = { path: "instant", message: "must be a Date or whole epoch milliseconds, from 1970-01-03 to 2169" };
  requireNone("dayBefore", [...zoneFaults(timeZone), ...(isInstant ? [] : [fault])]);
  const clock = zoneClock(timeZone);
  return dayAt(clock, dayAt(clock, at).from - 1);
}

/** Whether a value is a date `YYYY-MM-DD` that the calendar has. */
export function isDay(value: unknown): value is string {
  if (typeof value !== "string" || !DATE.test(value)) return false;
  const at: EpochMs = Date.parse(`${value}T00:00:00Z`);
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(value);
}

/**
 * The day that an instant belongs to: that of its date, or the next one, which has begun before the clock went back.
 */
function dayAt(clock: ZoneClock, at: EpochMs): InstantRange {
  const midnight = Math.floor(clock.wallAt(at) / DAY_MS) * DAY_MS;
  const day = dayOfWall(clock, midnight);
  return at < day.to ? day : dayOfWall(clock, midnight + DAY_MS);
}

function dayOfWall(clock: ZoneClock, midnight: number): InstantRange {
  return { from: clock.firstFrom(midnight), to: clock.firstFrom(midnight + DAY_MS) };
}

function isWithin(at: number): boolean {
  return at >= FIRST_MS && at < END_MS;
}

function zoneFaults(timeZone: unknown): Fault[] {
  if (isTimeZone(timeZone)) return [];
  return [{ path: "timeZone", message: "must be an IANA time zone that this node knows, such as Europe/Berlin" }];
}

function requireNone(call: string, faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const list = faults.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new TickwheelError("VALIDATION_FAILED", `${call}: ${list}.`, { faults });
}
