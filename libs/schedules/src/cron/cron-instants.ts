import type { EpochMs } from "@tickwheel/core";
import type { FoldPolicy, GapPolicy } from "../definition/schedule.js";
import { CronCalendar } from "./cron-calendar.js";
import { type CronFields, parseCron } from "./cron-fields.js";
import { RecentCache } from "./recent-cache.js";
import { type ClockPeriod, type ZoneClock, zoneClock } from "./zone-clock.js";

const MOST_CALENDARS = 2_000;

/** What a cron expression is on the clock of a zone. */
export interface CronOptions {
  cron: string;
  timeZone: string;
  gap: GapPolicy;
  fold: FoldPolicy;
}

interface ReadCron {
  fields: CronFields;
  calendar: CronCalendar;
}

const read = new RecentCache<ReadCron>(MOST_CALENDARS, (cron) => {
  const { fields, faults } = parseCron(cron);
  if (!fields) throw new RangeError(`cron expression ${faults.join("; ")}`);
  return { fields, calendar: new CronCalendar(fields) };
});

/**
 * The instants of an expression in a zone. It goes from one change of the clock to the next: between two of them wall
 * time and time run alike, so the calendar's wall times are instants that rise.
 *
 * What a change does lies in two bounds. An expression with fixed hours does not use the second pass of a fold
 * (`first`) or the first one (`last`): the period begins later or ends earlier. With `shift`, a period that begins
 * after a gap begins with an instant if the expression matches a wall time in the gap. All other expressions take every
 * wall time that the clock shows.
 *
 * Throws a `RangeError` for an expression or a zone that the input check refuses.
 */
export class CronInstants {
  private readonly clock: ZoneClock;
  private readonly fields: CronFields;
  private readonly calendar: CronCalendar;

  constructor(private readonly options: CronOptions) {
    this.clock = zoneClock(options.timeZone);
    ({ fields: this.fields, calendar: this.calendar } = read.get(options.cron));
  }

  /** The first instant after this one, or null. */
  next(after: EpochMs): EpochMs | null {
    let last = after;
    for (;;) {
      const period = this.clock.periodAt(last + 1);
      if (last < period.from && this.isShiftedTo(period)) return period.from;
      const { from, until } = this.wallsOf(period);
      const wall = this.calendar.next(Math.max(last + period.offsetMs, from - 1));
      if (wall === null) return null;
      if (wall < until) return wall - period.offsetMs;
      last = period.until - 1;
    }
  }

  /** The last instant before this one, or null. */
  previous(before: EpochMs): EpochMs | null {
    let first = before;
    for (;;) {
      const period = this.clock.periodAt(first - 1);
      const { from, until } = this.wallsOf(period);
      const wall = this.calendar.previous(Math.min(first + period.offsetMs, until));
      if (wall !== null && wall >= from) return wall - period.offsetMs;
      if (this.isShiftedTo(period)) return period.from;
      if (wall === null) return null;
      first = period.from;
    }
  }

  /** The wall time in a gap for which an instant stands that was shifted; else the wall time of the instant itself. */
  wallAskedFor(at: EpochMs): number {
    const period = this.clock.periodAt(at);
    const inGap = at === period.from ? this.wallInGap(period) : null;
    const wall = at + period.offsetMs;
    return inGap === null || this.calendar.next(wall - 1) === wall ? wall : inGap;
  }

  /** The first wall time that falls into the gap at the beginning of a period and that a fixed hour asks for. */
  wallInGap({ from, offsetMs }: ClockPeriod): number | null {
    if (!this.fields.isFixed) return null;
    const before = this.clock.periodAt(from - 1);
    if (before.offsetMs >= offsetMs) return null;
    const wall = this.calendar.next(from + before.offsetMs - 1);
    return wall !== null && wall < from + offsetMs ? wall : null;
  }

  /** The gaps between two instants that a fixed hour falls into: where each ends, and the wall time asked for. */
  gapsBetween(after: EpochMs, until: EpochMs): { at: EpochMs; wall: number }[] {
    const found: { at: EpochMs; wall: number }[] = [];
    for (let from = this.clock.periodAt(after).until; from <= until; from = this.clock.periodAt(from).until) {
      const wall = this.wallInGap(this.clock.periodAt(from));
      if (wall !== null) found.push({ at: from, wall });
    }
    return found;
  }

  private isShiftedTo(period: ClockPeriod): boolean {
    return this.options.gap === "shift" && this.wallInGap(period) !== null;
  }

  /** The wall times of a period that count: all that the clock shows, but for one pass of a fold. */
  private wallsOf({ from, until, offsetMs }: ClockPeriod): { from: number; until: number } {
    const { fold } = this.options;
    const leavesSecond = this.fields.isFixed && fold === "first";
    const leavesFirst = this.fields.isFixed && fold === "last";
    return {
      from: from + (leavesSecond ? Math.max(this.clock.periodAt(from - 1).offsetMs, offsetMs) : offsetMs),
      until: until + (leavesFirst ? Math.min(this.clock.periodAt(until).offsetMs, offsetMs) : offsetMs),
    };
  }
}
