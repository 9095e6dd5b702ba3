/**
 * Whether proofs run in full, as before a release, or as a sample, as for every change:
 * `run-tests.mjs --whole`.
 */
export const IS_WHOLE = process.env["TICKWHEEL_TEST_DEPTH"] === "whole";

/**
 * How much of a proof is run.
 *
 * @example const SEEDS = depth({ sample: 600, whole: 3_000 })
 */
export function depth<T>({ sample, whole }: { sample: T; whole: T }): T {
  return IS_WHOLE ? whole : sample;
}
