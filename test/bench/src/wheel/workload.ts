/**
 * What is done to a queue, in this order: `count` timers are inserted, `moves` are rescheduled, `swaps` (a resident is
 * cancelled and a new timer inserted in its place), `cancels`, and what is left fires.
 *
 * A timer's number is also its value. The first `count` timers have a place each, by their number; a swap gives the
 * place to a later number. Moves, swaps and cancels name places.
 */
export interface Workload {
  /** The time at the first insert, and the latest at which a timer can be due, in ticks. */
  readonly startTick: number;
  readonly lastTick: number;
  /** Timers inserted at first; also the number of places. */
  readonly count: number;
  /** Deadline at the insert, by timer number, in ticks. */
  readonly deadlineTicks: Float64Array;
  readonly moves: Moves;
  readonly swaps: Swaps;
  /** Places whose timers are cancelled; each once. */
  readonly cancels: Int32Array;
}

/** Timers that are rescheduled once; no load has both moves and swaps. */
export interface Moves {
  readonly places: Int32Array;
  readonly deadlineTicks: Float64Array;
}

/** Every round takes all places, in this order. */
export interface Swaps {
  readonly rounds: number;
  readonly order: Int32Array;
}

/**
 * A life of this workload ends, and the next may start, at a multiple of this: a slot's first tick up to the wheels'
 * upper levels.
 */
const ALIGNMENT_TICKS = 2 ** 24;

/** The same workload again, once all of the first time is over. */
export function nextTime(workload: Workload): Workload {
  const { startTick, lastTick, deadlineTicks, moves } = workload;
  const shift = Math.ceil((lastTick + 1 - startTick) / ALIGNMENT_TICKS) * ALIGNMENT_TICKS;
  const shifted = (ticks: Float64Array): Float64Array => ticks.map((tick) => tick + shift);
  return {
    ...workload,
    startTick: startTick + shift,
    lastTick: lastTick + shift,
    deadlineTicks: shifted(deadlineTicks),
    moves: { ...moves, deadlineTicks: shifted(moves.deadlineTicks) },
  };
}

/** In the table of {@link expectedTicks}: the timer must not fire. */
export const NEVER = -1;

/** When each timer must fire, by its number. */
export function expectedTicks({ count, deadlineTicks, moves, swaps, cancels }: Workload): Float64Array {
  const expected = deadlineTicks.slice();
  moves.places.forEach((place, i) => (expected[place] = moves.deadlineTicks[i]!));
  const residents = Int32Array.from({ length: count }, (_, place) => place);
  let number = count;
  for (let round = 0; round < swaps.rounds; round++) {
    for (const place of swaps.order) {
      expected[residents[place]!] = NEVER;
      residents[place] = number++;
    }
  }
  for (const place of cancels) expected[residents[place]!] = NEVER;
  return expected;
}
