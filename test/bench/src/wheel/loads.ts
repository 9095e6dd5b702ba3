import { SeededRandom } from "@tickwheel/testing";
import type { Moves, Swaps, Workload } from "./workload.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Width of a slot of the top level, and where its second slot begins: see `wheel64`. */
const TOP_SLOT = 2 ** 36;

/** In a load that reschedules and cancels some timers: one in this many of each. */
const SHARE = 4;

/** How often churn replaces every resident. */
const CHURN_ROUNDS = 2;

const ORDER_CANCELS_PER_TEN = 9;

/** Orders are paid in about the order in which they came, mixed among this many. */
const PAYMENT_WINDOW = 1_000;

/** What a load is for, and the range of its deadlines: `span` ticks from `from` on (inclusive). */
interface Load {
  readonly describes: string;
  readonly from: number;
  readonly span: number;
}

/** Every load by its name; a tick is 1 ms. */
export const loads = {
  "uniform-1h": { describes: "due within an hour; a quarter rescheduled, a quarter cancelled", from: 1, span: HOUR },
  "uniform-30d": { describes: "the same within 30 days", from: 1, span: 30 * DAY },
  "same-instant": { describes: "the same, all due in the same millisecond", from: MINUTE, span: 1 },
  orders: {
    describes: "due in 15 to 30 minutes; 90 % cancelled in about the order of insertion, the rest fires",
    from: 15 * MINUTE,
    span: 15 * MINUTE,
  },
  "one-top-slot": {
    describes: "as uniform-1h, but all in one slot of the wheels' top level: the worst cascade",
    from: TOP_SLOT,
    span: TOP_SLOT,
  },
  churn: {
    describes: `due within an hour; every timer replaced ${CHURN_ROUNDS} times by cancel and insert, for the garbage collector`,
    from: 1,
    span: HOUR,
  },
} as const satisfies Record<string, Load>;

export type LoadName = keyof typeof loads;

export const loadNames = Object.keys(loads) as LoadName[];

/** The latest tick at which a timer of this load can be due. */
export function lastTickOf(load: LoadName): number {
  return lastTick(loads[load]);
}

function lastTick({ from, span }: Load): number {
  return from + span - 1;
}

/** A load for `count` timers. The same arguments give the same workload. */
export function createWorkload(load: LoadName, count: number, seed: number): Workload {
  const draw = new Draw(seed, loads[load]);
  switch (load) {
    case "orders":
      return { ...insertsOnly(draw, count), cancels: draw.payments(count) };
    case "churn": {
      const swaps = { rounds: CHURN_ROUNDS, order: draw.shuffled(count) };
      return { ...insertsOnly(draw, count * (1 + CHURN_ROUNDS)), count, swaps };
    }
    default:
      return withMovesAndCancels(draw, count);
  }
}

function insertsOnly(draw: Draw, count: number): Workload {
  const moves: Moves = { places: new Int32Array(0), deadlineTicks: new Float64Array(0) };
  const swaps: Swaps = { rounds: 0, order: new Int32Array(0) };
  return { ...draw.bounds, count, deadlineTicks: draw.deadlines(count), moves, swaps, cancels: new Int32Array(0) };
}

/** Moved timers and cancelled timers are different ones, both taken at random. */
function withMovesAndCancels(draw: Draw, count: number): Workload {
  const inserts = insertsOnly(draw, count);
  const places = draw.shuffled(count);
  const share = Math.floor(count / SHARE);
  const moves = { places: places.slice(0, share), deadlineTicks: draw.deadlines(share) };
  return { ...inserts, moves, cancels: places.slice(share, 2 * share) };
}

/** Draws what a workload needs from one sequence of seeded random numbers. */
class Draw {
  private readonly random: SeededRandom;

  constructor(
    seed: number,
    private readonly load: Load,
  ) {
    this.random = new SeededRandom(seed);
  }

  get bounds(): Pick<Workload, "startTick" | "lastTick"> {
    return { startTick: 0, lastTick: lastTick(this.load) };
  }

  deadlines(count: number): Float64Array {
    const { from, span } = this.load;
    return new Float64Array(count).map(() => from + this.below(span));
  }

  shuffled(count: number): Int32Array {
    const places = Int32Array.from({ length: count }, (_, place) => place);
    this.shuffle(places);
    return places;
  }

  payments(count: number): Int32Array {
    const all = Int32Array.from({ length: count }, (_, place) => place);
    const paid = all.filter(() => this.below(10) < ORDER_CANCELS_PER_TEN);
    for (let start = 0; start < paid.length; start += PAYMENT_WINDOW) {
      this.shuffle(paid.subarray(start, start + PAYMENT_WINDOW));
    }
    return paid;
  }

  /** A whole number from 0 to below `span`; two draws, because one has 32 bits. */
  private below(span: number): number {
    return Math.floor((this.random.next() + this.random.next() / 2 ** 32) * span);
  }

  private shuffle(places: Int32Array): void {
    for (let i = places.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const place = places[i]!;
      places[i] = places[j]!;
      places[j] = place;
    }
  }
}
