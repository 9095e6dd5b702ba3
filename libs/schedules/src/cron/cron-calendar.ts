import { type CronDays, cronDays } from "./cron-days.js";
import type { CronFields } from "./cron-fields.js";

const DAY_MS = 86_400_000;
const LAST_SECOND = 86_399;

/**
 * The wall times that an expression matches, without any zone: its days times its times of day. A step within a day is
 * a few looks into tables; only a step to another day asks the calendar.
 */
export class CronCalendar {
  private readonly days: CronDays;
  /** Minutes of the day, rising. */
  private readonly minutes: readonly number[];
  private readonly seconds: readonly number[];

  constructor(fields: CronFields) {
    this.days = cronDays(fields.days);
    this.minutes = fields.hours.flatMap((hour) => fields.minutes.map((minute) => hour * 60 + minute));
    this.seconds = fields.seconds;
  }

  /** The first wall time after this one, or null. */
  next(wall: number): number | null {
    const day = Math.floor(wall / DAY_MS);
    if (this.has(day)) {
      const second = this.secondFrom(Math.floor((wall - day * DAY_MS) / 1_000) + 1);
      if (second !== null) return day * DAY_MS + second * 1_000;
    }
    const later = this.days.next(day);
    return later === null ? null : later * DAY_MS + this.secondFrom(0)! * 1_000;
  }

  /** The last wall time before this one, or null. */
  previous(wall: number): number | null {
    const day = Math.floor(wall / DAY_MS);
    if (this.has(day)) {
      const second = this.secondUpTo(Math.ceil((wall - day * DAY_MS) / 1_000) - 1);
      if (second !== null) return day * DAY_MS + second * 1_000;
    }
    const earlier = this.days.previous(day);
    return earlier === null ? null : earlier * DAY_MS + this.secondUpTo(LAST_SECOND)! * 1_000;
  }

  private has(day: number): boolean {
    return this.days.next(day - 1) === day;
  }

  /** The first second of a day that matches, from this one on. */
  private secondFrom(from: number): number | null {
    const minute = Math.floor(from / 60);
    const index = placeOf(minute, this.minutes);
    if (this.minutes[index] !== minute) return this.secondOf(index, 0);
    const second = this.seconds.find((each) => each >= from % 60);
    return second === undefined ? this.secondOf(index + 1, 0) : minute * 60 + second;
  }

  /** The last second of a day that matches, up to this one. */
  private secondUpTo(to: number): number | null {
    const minute = Math.floor(to / 60);
    const index = placeOf(minute, this.minutes);
    if (this.minutes[index] !== minute) return this.secondOf(index - 1, -1);
    const second = this.seconds.findLast((each) => each <= to % 60);
    return second === undefined ? this.secondOf(index - 1, -1) : minute * 60 + second;
  }

  /** A second of a minute, both by their place; null where the day has no such minute. */
  private secondOf(index: number, place: 0 | -1): number | null {
    const minute = this.minutes[index];
    return minute === undefined ? null : minute * 60 + this.seconds.at(place)!;
  }
}

/** The place of the first number that is not below the wanted one. Halves, so a full day costs eleven looks. */
function placeOf(wanted: number, rising: readonly number[]): number {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
