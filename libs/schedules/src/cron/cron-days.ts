import { Cron } from "croner";
import { RecentCache } from "./recent-cache.js";

const DAY_MS = 86_400_000;
const MOST_PATTERNS = 2_000;
/** About a year and a half of steps; more are forgotten together. */
const MOST_STEPS = 512;
/** Days beyond are nobody's: 100 years from 1970 on, and those before it. */
const [FIRST_DAY, LAST_DAY] = [0, 365 * 200];

/** The days that the three day fields of an expression name. A day is its number since 1970-01-01. */
export interface CronDays {
  /** The first day after this one, or null. */
  next(day: number): number | null;
  /** The last day before this one, or null. */
  previous(day: number): number | null;
}

/**
 * The only place that knows croner. It walks the calendar in UTC (`utcOffset: 0`), where it is right; a zone is never
 * passed to it, since it has rules of its own for gaps and folds. A step costs about 13 µs, so steps are kept.
 */
class CronerDays implements CronDays {
  private readonly cron: Cron;
  private readonly nextDays = new Map<number, number | null>();
  private readonly previousDays = new Map<number, number | null>();

  constructor(pattern: string) {
    this.cron = new Cron(`0 0 0 ${pattern}`, { utcOffset: 0, paused: true, mode: "6-part" });
  }

  next(day: number): number | null {
    return remembered(this.nextDays, day, () => {
      const found = this.cron.nextRun(new Date(Math.max(day, FIRST_DAY - 1) * DAY_MS));
      const next = found ? found.getTime() / DAY_MS : null;
      return next === null || next > LAST_DAY ? null : next;
    });
  }

  previous(day: number): number | null {
    return remembered(this.previousDays, day, () => {
      const [found] = this.cron.previousRuns(1, new Date(Math.min(day, LAST_DAY + 1) * DAY_MS));
      const previous = found ? found.getTime() / DAY_MS : null;
      return previous === null || previous < FIRST_DAY ? null : previous;
    });
  }
}

function remembered(known: Map<number, number | null>, day: number, find: () => number | null): number | null {
  const before = known.get(day);
  if (before !== undefined) return before;
  if (known.size === MOST_STEPS) known.clear();
  const found = find();
  known.set(day, found);
  return found;
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
