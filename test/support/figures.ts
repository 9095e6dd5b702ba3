import { appendFileSync } from "node:fs";

/** Prints what a test has measured, so that the documents can quote it. */
export function printFigures(name: string, figures: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`  figures: ${name} ${JSON.stringify(figures)}\n`);
}

/** The percentiles that Tickwheel's documents use, by the nearest rank; there are none if `count` is 0. */
export function summaryOf(values: readonly number[]): { count: number; p50: number; p99: number; max: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
  const round = (value: number): number => Math.round(value * 10) / 10;
  return { count: sorted.length, p50: round(at(0.5)), p99: round(at(0.99)), max: round(at(1)) };
}

/** A time that a scenario has measured, and the bound that the documents promise for it. */
export interface MeasuredTime {
  ms: number;
  boundMs: number;
}

/** Where the benchmark of faults wants the times; unset in a test run. */
const FILE = process.env["TICKWHEEL_TIMES_FILE"];

/**
 * Reports the times that a scenario has measured. A test prints them and judges none of them; `npm run bench -- faults`
 * runs the same scenarios on a quiet machine and compares each time with its bound.
 *
 * @param scenario what happened, as it stands in the table of `docs/reliability.md`
 * @param times by what they are, such as `pending tasks, lateness, worst`
 * @example tellTimes("a node killed", { "its keys are gone": { ms: 3_100, boundMs: 5_000 } })
 */
export function tellTimes(scenario: string, times: Readonly<Record<string, MeasuredTime>>): void {
  printFigures(scenario, Object.fromEntries(Object.entries(times).map(([what, { ms }]) => [what, Math.round(ms)])));
  if (!FILE) return;
  const lines = Object.entries(times).map(([what, time]) => `${JSON.stringify({ scenario, what, ...time })}\n`);
  appendFileSync(FILE, lines.join(""));
}
