import type { BootId, Term } from "@tickwheel/core";

/**
 * When to reach for the term. Pure: a watch of the term row over time, and one decision.
 *
 * The row in Postgres decides who leads; the lock in Redis only keeps candidates from colliding. Time is counted by the
 * candidate's own monotonic clock over its own readings, so no two clocks are compared, and a missed reading counts
 * nothing.
 */
export interface TermWatch {
  /** The newest reading; null before the first. */
  readonly seen: Term | null;
  /** How long the row has not moved, by our readings. */
  readonly stillMs: number;
}

export const NO_TERM_SEEN: TermWatch = { seen: null, stillMs: 0 };

/**
 * Adds a reading.
 *
 * @param sinceLastMs time since the reading before; at most 500 ms should be counted, so that a paused observer takes
 *   nothing from a leader
 */
export function watchTerm(watch: TermWatch, seen: Term, sinceLastMs: number): TermWatch {
  const moved = watch.seen === null || !isSameTerm(watch.seen, seen);
  return { seen, stillMs: moved ? 0 : watch.stillMs + sinceLastMs };
}

/**
 * - `mine`: the row names us (we took it, and the answer was lost)
 * - `at_once`: the term has no holder
 * - `with_lock`: the winner of the lock may take it
 * - `anyway`: the row has stood still for so long that the lock does not matter any more, or its holder is known to be
 *   dead [lost-session]: the lock in Redis outlives it
 * - `no`: another node leads
 */
export type Candidacy = "mine" | "at_once" | "with_lock" | "anyway" | "no";

export function candidacy(
  watch: TermWatch,
  self: BootId,
  { leaderTtlMs, isDead }: { leaderTtlMs: number; isDead: (bootId: BootId) => boolean },
): Candidacy {
  if (watch.seen === null) return "no";
  if (watch.seen.holder === self) return "mine";
  if (watch.seen.holder === null) return "at_once";
  if (watch.stillMs >= 2 * leaderTtlMs || isDead(watch.seen.holder)) return "anyway";
  return watch.stillMs >= leaderTtlMs ? "with_lock" : "no";
}

/** The term's beat is due slightly early rather than a whole poll late. */
const KEEP_SHARE = 0.9;

interface ElectionSituation {
  /** Whether this node holds a term, as far as it knows. */
  holds: boolean;
  /** Whether it may lead: live, and its own beats get through. */
  mayLead: boolean;
  sinceKeptMs: number;
  heartbeatIntervalMs: number;
}

/**
 * [one-term], [leader-contest]: what a node does about the term at one look. A node that may not lead any more resigns;
 * otherwise it would keep a term that it does not use and no other node can take.
 */
export function electionStep(situation: ElectionSituation): "watch" | "resign" | "keep" | "rest" {
  if (!situation.holds) return "watch";
  if (!situation.mayLead) return "resign";
  return situation.sinceKeptMs >= situation.heartbeatIntervalMs * KEEP_SHARE ? "keep" : "rest";
}

function isSameTerm(left: Term, right: Term): boolean {
  return left.term === right.term && left.holder === right.holder && left.beat === right.beat;
}
