/** What a start went through between its due time and itself; the first of this list that fits counts. */
export const LATENESS_SITUATIONS = [
  "postgres-restarted",
  "clock-stepped",
  "node-lost-rerun",
  "node-lost",
  "loop-blocked",
  "redis-away",
  "drain",
  "normal",
] as const;
export type LatenessSituation = (typeof LATENESS_SITUATIONS)[number];

/** Milliseconds, both after the situation's own beginning; see {@link LATENESS_PROMISES}. */
export interface LatenessPromise {
  p99Ms: number;
  hardMs: number;
}
export type LatenessPromises = Readonly<Record<LatenessSituation, LatenessPromise>>;

/**
 * [lateness-bounds] as a table. Lateness counts from the later of due and committed, and on from the end of whatever
 * kept all nodes from starting anything: Postgres away, no node there. For `node-lost-rerun` it counts from the loss of
 * the node, for `clock-stepped` from the step, which a node learns of within `clockResampleMs` (added by the rule).
 */
export const LATENESS_PROMISES: LatenessPromises = {
  "postgres-restarted": { p99Ms: 1_000, hardMs: 2_000 },
  "clock-stepped": { p99Ms: 1_200, hardMs: 1_200 },
  "node-lost-rerun": { p99Ms: 9_000, hardMs: 10_000 },
  "node-lost": { p99Ms: 2_500, hardMs: 3_000 },
  "loop-blocked": { p99Ms: 3_000, hardMs: 3_000 },
  "redis-away": { p99Ms: 1_200, hardMs: 1_200 },
  drain: { p99Ms: 200, hardMs: 1_000 },
  normal: { p99Ms: 50, hardMs: 1_200 },
};

/** The one start that may wait for the full sweep: of a row committed below the sweep's bound. */
export const FULL_SWEEP_HARD_MS = 61_000;
