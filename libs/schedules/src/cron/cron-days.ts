import { Cron } from "croner";
import { RecentCache } from "./recent-cache.js";

const DAY_MS = 86_400_000;
const MOST_PATTERNS = 2_000;
/** Days beyond are nobody's: 100 years from 1970 on, and those before it. */
const FIRST_DAY = 0;
const LAST_DAY = 365 * 200;

/** The days that the three day fields of an expression name. A day is its number since 1970-01-01. */
export interface CronDays {
  /** The first day after this one, or null. */
  next(day: number): number | null;
  /** The last day before this one, or null. */
  previous(day: number): number | null;
}

/** In the days of a month: they have been looked up. */
const KNOWN = 1 << 31;

/**
 * The only place that knows croner. It walks the calendar in UTC (`utcOffset: 0`), where it is right; a zone is never
 * passed to it, since it has rules of its own for gaps and folds. A step of its costs about 13 µs, so the days of a
 * month are remembered once they have been looked up, as bits: 10 KiB for all 200 years.
 */
class CronerDays implements CronDays {
  private readonly cron: Cron;
  /** By the months since 1970: bit n is the day n + 1. */
  private readonly months = new Int32Array(monthOf(LAST_DAY) + 1);

  constructor(pattern: string) {
    this.cron = new Cron(`0 0 0 ${pattern}`, { utcOffset: 0, paused: true, mode: "6-part" });
  }

  next(day: number): number | null {
    const from = Math.max(day + 1, FIRST_DAY);
    if (from > LAST_DAY) return null;
    const first = monthOf(from);
    for (let month = first; month < this.months.length; month++) {
      if (this.months[month] === 0) this.lookFrom(month);
      const bits = daysOf(this.months[month]!) & (month === first ? -1 << (from - firstDayOf(month)) : -1);
      if (bits !== 0) return firstDayOf(month) + 31 - Math.clz32(bits & -bits);
    }
    return null;
  }

  previous(day: number): number | null {
    const to = Math.min(day - 1, LAST_DAY);
    if (to < FIRST_DAY) return null;
    const last = monthOf(to);
    for (let month = last; month >= 0; month--) {
      if (this.months[month] === 0) this.lookUpTo(month);
      const bits = daysOf(this.months[month]!) & (month === last ? -1 >>> (31 - (to - firstDayOf(month))) : -1);
      if (bits !== 0) return firstDayOf(month) + 31 - Math.clz32(bits);
    }
    return null;
  }

  /** Looks up a month, and where it has no day, all that follow until one has. */
  private lookFrom(month: number): void {
    const end = firstDayOf(month + 1);
    let bits = KNOWN;
    let day = this.after(firstDayOf(month) - 1);
    for (; day !== null && day < end; day = this.after(day)) bits |= 1 << (day - firstDayOf(month));
    this.months[month] = bits;
    if (bits !== KNOWN) return;
    this.months.fill(KNOWN, month, day === null ? this.months.length : monthOf(day));
  }

  /** Looks up a month, and where it has no day, all before it until one has. */
  private lookUpTo(month: number): void {
    const [found] = this.cron.previousRuns(1, new Date(Math.min(firstDayOf(month + 1), LAST_DAY + 1) * DAY_MS));
    const day = found ? found.getTime() / DAY_MS : null;
    const at = day === null || day < FIRST_DAY ? -1 : monthOf(day);
    if (at < month) this.months.fill(KNOWN, at + 1, month + 1);
    else this.lookFrom(month);
  }

  private after(day: number): number | null {
    const found = this.cron.nextRun(new Date(day * DAY_MS));
    const next = found ? found.getTime() / DAY_MS : null;
    return next === null || next > LAST_DAY ? null : next;
  }
}

function daysOf(bits: number): number {
  return bits & ~KNOWN;
}

/** Months since January 1970. */
function monthOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

function firstDayOf(month: number): number {
  return Date.UTC(1970, month, 1) / DAY_MS;
}

const EVERY_DAY: CronDays = {
  next: (day) => (day >= LAST_DAY ? null : Math.max(day + 1, FIRST_DAY)),
  previous: (day) => (day <= FIRST_DAY ? null : Math.min(day - 1, LAST_DAY)),
};

const patterns = new RecentCache<CronDays>(MOST_PATTERNS, (pattern) =>
  pattern === "* * *" ? EVERY_DAY : new CronerDays(pattern),
);

/** The days of a pattern "day-of-month month day-of-week", which our own check has passed. From 1970 to 2169. */
export function cronDays(pattern: string): CronDays {
  return patterns.get(pattern);
}
