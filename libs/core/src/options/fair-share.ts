/** What is left free by one that takes all that it may: a fifth. */
const TAKEN_TO_FREE = 4;

/** Places that several share. */
export interface SharedPlaces {
  /** Those of the one that wants one more. */
  taken: number;
  /** Those that nobody has. */
  free: number;
}

/**
 * Whether one of several who share places may take one more: it has four times what it leaves free at most. So one
 * alone takes four fifths, a second one four fifths of the rest, and so on, and none has to be told how many they are.
 * A caller without a place takes the last one.
 *
 * The rule is that of queues which share a buffer (dynamic queue length thresholds: Choudhury and Hahne, 1998).
 *
 * @example leavesEnough({ taken: 79, free: 21 }) // true
 * @example leavesEnough({ taken: 80, free: 20 }) // false
 */
export function leavesEnough({ taken, free }: SharedPlaces): boolean {
  return free > 0 && (taken === 0 || taken + 1 <= TAKEN_TO_FREE * (free - 1));
}

/**
 * How many places one that is alone may have by {@link leavesEnough}, one in any case.
 *
 * @param among those that it has, and those that nobody has
 * @example mostLeavingEnough(100) // 80
 */
export function mostLeavingEnough(among: number): number {
  return Math.max(1, Math.floor((TAKEN_TO_FREE * among) / (TAKEN_TO_FREE + 1)));
}
