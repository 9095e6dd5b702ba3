/**
 * Whether proofs run as a whole, as before a release, or a sample of them, as for every change:
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
