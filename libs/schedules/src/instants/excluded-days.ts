import type { EpochMs } from "@tickwheel/core";
import { type ZoneClock, zoneClock } from "../cron/zone-clock.js";

const DAY_MS = 86_400_000;

/**
 * The days `YYYY-MM-DD` of a zone on which a schedule does nothing. A day is that of the instant, before its jitter.
 */
export class ExcludedDays {
  private readonly days: ReadonlySet<number>;
  private readonly clock: ZoneClock;

  constructor(dates: readonly string[], timeZone: string) {
    this.days = new Set(dates.map((date) => Date.parse(`${date}T00:00:00Z`) / DAY_MS));
    this.clock = zoneClock(timeZone);
  }

  get none(): boolean {
    return this.days.size === 0;
  }

  has(at: EpochMs): boolean {
    return !this.none && this.days.has(this.dayOf(at));
  }

  /** The first instant from this one on whose day is not excluded: this one, or the first moment of another day. */
  firstFreeFrom(at: EpochMs): EpochMs {
    if (!this.has(at)) return at;
    let day = this.dayOf(at);
    while (this.days.has(day)) day += 1;
    return this.clock.firstFrom(day * DAY_MS);
  }

  private dayOf(at: EpochMs): number {
    return Math.floor(this.clock.wallAt(at) / DAY_MS);
  }
}
