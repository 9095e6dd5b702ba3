/** Prints what a test has measured, so that the documents can quote it. */
export function printFigures(name: string, figures: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`  figures: ${name} ${JSON.stringify(figures)}\n`);
}

/** The percentiles that Tickwheel speaks of, by the nearest rank; `count` 0 has none. */
export function summaryOf(values: readonly number[]): { count: number; p50: number; p99: number; max: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
  const round = (value: number): number => Math.round(value * 10) / 10;
  return { count: sorted.length, p50: round(at(0.5)), p99: round(at(0.99)), max: round(at(1)) };
}
