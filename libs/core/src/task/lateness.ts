import type { EpochMs } from "./task.js";

/**
 * Where a start's lateness went, in the order of a task's way to its handler:
 *
 * - `known`: until some node knew of the task; of a task that was due at once, from its creation on
 * - `wheel`: from then until it left that node's wheel
 * - `place`: for a place to run, before the claim or after it
 * - `claim`: for the claim before it, and for its own claim's answer
 * - `start`: all the rest, from the claim's answer to the call of the handler
 */
export const LATENESS_PARTS = ["known", "wheel", "place", "claim", "start"] as const;
export type LatenessPart = (typeof LATENESS_PARTS)[number];

/** Whole milliseconds. */
export type LatenessPartsMs = Record<LatenessPart, number>;

/**
 * The lateness of one start in parts, as the node that started it has measured them by its monotonic clock. The parts
 * add up to the lateness exactly, since `start` is the remainder.
 *
 * @example
 * // 7.7 s late, because the node that held it fell silent
 * { known: 7505, wheel: 8, place: 147, claim: 41, start: 11, clockErrorUs: 310,
 *   takenFrom: { node: "10.4.1.23:7", silentSince: 1763780727900, takenOverAt: 1763780735521 } }
 */
export interface LatenessParts extends LatenessPartsMs {
  /**
   * The database's time at the start differed from the node's estimate by at most this, in whole microseconds: a number
   * with a fraction would be an object of its own.
   */
  clockErrorUs: number;
  /** The node that was to start the task when it became due, and did not; null: it was this one, or it is not known. */
  takenFrom: TakenFrom | null;
}

/** A node from which a task was taken over before it was claimed. */
export interface TakenFrom {
  /** Its `ip:pid`. */
  node: string;
  /** Its last beat, as the new node has seen it; null: it beat, and left in order or was slow. */
  silentSince: EpochMs | null;
  /** When the new node took its slots over, or took the overdue task itself. */
  takenOverAt: EpochMs;
}

/** No lateness at all. */
export function noLateness(): LatenessPartsMs {
  return { known: 0, wheel: 0, place: 0, claim: 0, start: 0 };
}
