import { parseDurationMs } from "../options/duration.js";
import { parseInstant } from "../options/instant.js";
import type { EpochMs } from "../task/task.js";
import type { TimePoint } from "./task-filter.js";

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;
/** As `Date` has it. */
const LATEST_MS = 8.64e15;

/**
 * The clock of a place. A wall time is written as the epoch milliseconds that it would have in UTC. The clock of a time
 * zone in `@tickwheel/schedules` is one.
 */
export interface WallClock {
  /** The wall time at an instant. */
  wallAt(at: EpochMs): number;
  /** The first instant at which the clock shows a wall time or a later one. */
  firstFrom(wall: number): EpochMs;
}

export const UTC_CLOCK: WallClock = { wallAt: (at) => at, firstFrom: (wall) => wall };

/** When and where a filter is read. */
export interface FilterMoment {
  /** The database's now. */
  now: EpochMs;
  /** The clock of who asks. Default: UTC. */
  clock?: WallClock;
}

/** Whether a point is a duration, which is told from now. */
export function isDuration(point: unknown): point is string {
  return typeof point === "string" && parseDurationMs(point.replace(/^-/, "")) !== null;
}

/** Whether a point is told from the moment at which it is read: a duration, or a time of day. */
export function isFromNow(point: unknown): boolean {
  return isDuration(point) || (typeof point === "string" && TIME_OF_DAY.test(point));
}

/**
 * The instant of a point, in whole milliseconds; null: it is none.
 *
 * @example instantOf("15m", "age", { now: 1_800_000 }) // 900_000
 */
export function instantOf(point: unknown, durationIs: "age" | "ahead", moment: FilterMoment): EpochMs | null {
  const at = typeof point === "string" ? instantOfText(point, durationIs, moment) : instantOfValue(point);
  return at !== null && Math.abs(at) <= LATEST_MS ? Math.round(at) : null;
}

function instantOfValue(point: unknown): EpochMs | null {
  return typeof point === "number" ? (Number.isInteger(point) ? point : null) : parseInstant(point);
}

function instantOfText(
  text: string,
  durationIs: "age" | "ahead",
  { now, clock = UTC_CLOCK }: FilterMoment,
): EpochMs | null {
  if (DAY.test(text)) {
    const wall = parseInstant(`${text}T00:00Z`);
    return wall === null ? null : clock.firstFrom(wall);
  }
  const time = TIME_OF_DAY.exec(text);
  if (time) {
    const [hours, minutes, seconds] = [time[1], time[2], time[3] ?? 0].map(Number) as [number, number, number];
    const today = Math.floor(clock.wallAt(now) / DAY_MS) * DAY_MS;
    return clock.firstFrom(today + ((hours * 60 + minutes) * 60 + seconds) * 1_000);
  }
  const isBack = text.startsWith("-");
  const durationMs = parseDurationMs(isBack ? text.slice(1) : text);
  if (durationMs === null) return parseInstant(text);
  if (durationIs === "age") return isBack ? null : now - durationMs;
  return isBack ? now - durationMs : now + durationMs;
}

/** A point as a line has it: no spaces, no commas. */
export function pointText(point: TimePoint): string {
  return typeof point === "string" ? point : new Date(point).toISOString();
}
