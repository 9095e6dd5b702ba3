import type { WallClock } from "@tickwheel/core/filter";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * The clock of a zone.
 *
 * @param offsetAt wall time minus UTC at an instant, in milliseconds
 */
export function wallClockOf(offsetAt: (at: number) => number): WallClock {
  const wallAt = (at: number): number => at + offsetAt(at);
  return { wallAt, firstFrom: (wall) => firstFrom(wall, { wallAt, offsetAt }) };
}

/** The clock had the distance of a day before, or has that of a day after; where it was put forward, neither is it. */
function firstFrom(
  wall: number,
  { wallAt, offsetAt }: { wallAt: (at: number) => number; offsetAt: (at: number) => number },
): number {
  const before = wall - offsetAt(wall - dayMs);
  const after = wall - offsetAt(wall + dayMs);
  let low = Math.min(before, after);
  let high = Math.max(before, after);
  if (wallAt(low) >= wall) return low;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (wallAt(middle) >= wall) high = middle;
    else low = middle;
  }
  return high;
}

/** The clock of the browser's zone. */
export const localClock = wallClockOf((at) => -new Date(at).getTimezoneOffset() * minuteMs);

/** A time as the control `datetime-local` has it, to the minute, in the browser's zone. */
export function localTime(at: number): string {
  return new Date(localClock.wallAt(at)).toISOString().slice(0, 16);
}
