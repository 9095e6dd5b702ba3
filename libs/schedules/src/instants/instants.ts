import type { EpochMs } from "@tickwheel/core";
import { CronInstants } from "../cron/cron-instants.js";
import type { RateSpec, ScheduleDefinition } from "../definition/schedule.js";
import { ExcludedDays } from "./excluded-days.js";
import { jitterMs } from "./jitter.js";

/** What a spec alone names, without window and exclusions: strictly rising instants, asked one by one. */
interface BareInstants {
  next(after: EpochMs): EpochMs | null;
  previous(before: EpochMs): EpochMs | null;
}

class RateInstants implements BareInstants {
  constructor(private readonly spec: RateSpec) {}

  next(after: EpochMs): EpochMs {
    const { anchorAt, everyMs } = this.spec;
    return anchorAt + (Math.floor((after - anchorAt) / everyMs) + 1) * everyMs;
  }

  previous(before: EpochMs): EpochMs {
    const { anchorAt, everyMs } = this.spec;
    return anchorAt + (Math.ceil((before - anchorAt) / everyMs) - 1) * everyMs;
  }
}

/** A fixed delay has no instants ahead: each follows from the end of the run before it. */
const NO_INSTANTS: BareInstants = { next: () => null, previous: () => null };

/**
 * The instants of a schedule, within its window, rising strictly. It reads no clock. Excluded instants are among them,
 * since a skip has to tell of them: `isExcluded` says which.
 *
 * A step costs a few microseconds and is bounded: an expression that never comes ends in null. A schedule with a fixed
 * delay has none here.
 *
 * @example
 * const instants = new Instants(definition);
 * for (const at of instants.forward(now)) if (!instants.isExcluded(at)) console.log(new Date(at));
 */
export class Instants {
  private readonly bare: BareInstants;
  private readonly excluded: ExcludedDays;

  constructor(private readonly definition: ScheduleDefinition) {
    const { spec, timeZone, exclude, policies } = definition;
    if (spec.kind === "cron")
      this.bare = new CronInstants({ cron: spec.cron, timeZone, gap: policies.gap, fold: policies.fold });
    else this.bare = spec.kind === "every" ? new RateInstants(spec) : NO_INSTANTS;
    this.excluded = new ExcludedDays(exclude, timeZone);
  }

  /** The first instant after this one, or null. */
  next(after: EpochMs): EpochMs | null {
    const { startsAt, endsAt } = this.definition.window;
    const at = this.bare.next(startsAt === null ? after : Math.max(after, startsAt - 1));
    return at === null || (endsAt !== null && at >= endsAt) ? null : at;
  }

  /** The last instant before this one, or null. */
  previous(before: EpochMs): EpochMs | null {
    const { startsAt, endsAt } = this.definition.window;
    const at = this.bare.previous(endsAt === null ? before : Math.min(before, endsAt));
    return at === null || (startsAt !== null && at < startsAt) ? null : at;
  }

  /** The first instant after this one whose day is not excluded, or null. Passes over an excluded day in one step. */
  nextToRun(after: EpochMs): EpochMs | null {
    let at = this.next(after);
    while (at !== null && this.excluded.has(at)) at = this.next(this.excluded.firstFreeFrom(at) - 1);
    return at;
  }

  /** Whether the day of an instant is excluded. */
  isExcluded(at: EpochMs): boolean {
    return this.excluded.has(at);
  }

  /** Whether the definition has this very instant, and does not exclude it. */
  has(at: EpochMs): boolean {
    return this.next(at - 1) === at && !this.isExcluded(at);
  }

  /**
   * When the occurrence of an instant is due: the instant and its jitter. Never before the instant, always before the
   * next one of the spec, so the order stays.
   */
  dueAt(at: EpochMs): EpochMs {
    const { jitterMs: wanted } = this.definition.policies;
    if (wanted === 0) return at;
    const next = this.bare.next(at);
    const mostMs = next === null ? wanted : Math.min(wanted, next - at - 1);
    return at + jitterMs({ scheduleId: this.definition.id, at, mostMs });
  }

  /** The newest instant that is due by now, or null. */
  newestDueBy(now: EpochMs): EpochMs | null {
    const at = this.previous(now + 1);
    return at !== null && this.dueAt(at) > now ? this.previous(at) : at;
  }

  /** The first instant after `after` that is due later than now and not excluded, or null. */
  firstDueAfter(now: EpochMs, after: EpochMs): EpochMs | null {
    const passed = this.newestDueBy(now);
    return this.nextToRun(passed === null ? after : Math.max(after, passed));
  }

  /** All instants after this one, rising. Ends with the window, else when the calendar ends. */
  *forward(after: EpochMs): Generator<EpochMs, void> {
    for (let at = this.next(after); at !== null; at = this.next(at)) yield at;
  }

  /** All instants before this one, falling. */
  *backward(before: EpochMs): Generator<EpochMs, void> {
    for (let at = this.previous(before); at !== null; at = this.previous(at)) yield at;
  }
}
