import type { EpochMs } from "@tickwheel/core";
import { RecentCache } from "./recent-cache.js";

const DAY_MS = 86_400_000;
/** Changes of a clock are looked for in stretches of 398 days; a node that plans ahead needs one or two a zone. */
const STRETCH_MS = 398 * DAY_MS;
/** All of the 200 years for which there are days; what lies beyond makes all be forgotten together. */
const MOST_STRETCHES = 200;
const MOST_ZONES = 128;
const OFFSET = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;
/** An IANA name. An offset such as `+05:30` begins with its sign and is none. */
const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** A stretch of time in which a zone's clock keeps its distance from UTC: `from ≤ x < until`. */
export interface ClockPeriod {
  from: EpochMs;
  until: EpochMs;
  /** Wall time minus UTC, in milliseconds. */
  offsetMs: number;
}

/**
 * The wall clock of one IANA zone, from the rules that Intl knows. A **wall time** is written as the epoch milliseconds
 * that it would have in UTC.
 *
 * Asking Intl costs microseconds, so each stretch of 398 days is asked once, day by day, and its changes found by
 * halving. Two neighbouring periods may have one offset, where two stretches meet. A clock that changes and changes
 * back within a day would not be seen; no zone has done that since 1970.
 */
export class ZoneClock {
  private readonly format: Intl.DateTimeFormat;
  private readonly stretches = new Map<number, readonly ClockPeriod[]>();

  constructor(readonly timeZone: string) {
    this.format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  }

  /** The period that an instant lies in. */
  periodAt(at: EpochMs): ClockPeriod {
    return this.stretchOf(Math.floor(at / STRETCH_MS)).find(({ until }) => at < until)!;
  }

  /** The wall time at an instant. */
  wallAt(at: EpochMs): number {
    return at + this.periodAt(at).offsetMs;
  }

  /**
   * The instants at which the clock shows a wall time, rising: none in a gap, two in a fold, else one.
   *
   * @example new ZoneClock("Europe/Berlin").instantsOf(Date.UTC(2024, 9, 27, 2, 30)).length // 2
   */
  instantsOf(wall: number): EpochMs[] {
    const around = [this.periodAt(wall - DAY_MS), this.periodAt(wall + DAY_MS)];
    const offsets = new Set(around.map(({ offsetMs }) => offsetMs));
    const instants = [...offsets].map((offsetMs) => wall - offsetMs);
    return instants.filter((at) => this.wallAt(at) === wall).sort((one, other) => one - other);
  }

  /** The first instant at which the clock shows a wall time or a later one. */
  firstFrom(wall: number): EpochMs {
    const [first] = this.instantsOf(wall);
    if (first !== undefined) return first;
    return this.periodAt(wall - this.periodAt(wall - DAY_MS).offsetMs).from;
  }

  private stretchOf(number: number): readonly ClockPeriod[] {
    let periods = this.stretches.get(number);
    if (!periods) {
      if (this.stretches.size === MOST_STRETCHES) this.stretches.clear();
      periods = this.lookAt(number * STRETCH_MS);
      this.stretches.set(number, periods);
    }
    return periods;
  }

  private lookAt(start: EpochMs): ClockPeriod[] {
    const periods = [{ from: start, until: start + STRETCH_MS, offsetMs: this.offsetAt(start) }];
    for (let day = start; day < start + STRETCH_MS; day += DAY_MS) {
      const open = periods.at(-1)!;
      const end = Math.min(day + DAY_MS, start + STRETCH_MS) - 1;
      const offsetMs = this.offsetAt(end);
      if (offsetMs === open.offsetMs) continue;
      const from = this.changeBetween(day - 1, end);
      periods.push({ from, until: open.until, offsetMs });
      open.until = from;
    }
    return periods;
  }

  /** The first instant after `before` with the offset that `after` has. */
  private changeBetween(before: EpochMs, after: EpochMs): EpochMs {
    const later = this.offsetAt(after);
    let low = before;
    let high = after;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(middle) === later) high = middle;
      else low = middle;
    }
    return high;
  }

  private offsetAt(at: EpochMs): number {
    const [, sign, hours, minutes, seconds = 0] = OFFSET.exec(this.format.format(at))!;
    if (sign === undefined) return 0;
    const offsetMs = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
    return sign === "-" ? -offsetMs : offsetMs;
  }
}

const clocks = new RecentCache(MOST_ZONES, (timeZone) => new ZoneClock(timeZone));

/** The clock of a zone; the 128 used last are kept. Throws a `RangeError` where `isTimeZone` says no. */
export function zoneClock(timeZone: string): ZoneClock {
  return clocks.get(timeZone);
}

/**
 * Whether a text names a zone that this process has rules for. Offsets are none, whatever Node takes.
 *
 * @example isTimeZone("Asia/Kathmandu") // true
 */
export function isTimeZone(text: unknown): text is string {
  if (typeof text !== "string" || !ZONE_NAME.test(text)) return false;
  try {
    zoneClock(text);
    return true;
  } catch {
    return false;
  }
}
