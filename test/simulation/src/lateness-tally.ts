import { type Lateness, LATENESS_PROMISES, type LatenessSituation } from "@tickwheel/simulation";

/** How late the starts of all runs were, which a single run cannot tell. */
export type LatenessFigures = Partial<
  Record<LatenessSituation, { starts: number; p50Ms: number; p99Ms: number; maxMs: number }>
>;

/** Starts by their lateness in whole milliseconds, rounded up. As data, for another process. */
export type LatenessCounts = Partial<Record<LatenessSituation, [latenessMs: number, starts: number][]>>;

/**
 * The promises for starts that met no fault. Faults of a plan pile up at random, so starts that met one are judged only
 * by the hard bounds, in every run.
 */
const JUDGED: readonly LatenessSituation[] = ["normal", "drain"];

/** Fewer starts than this have no 99th percentile that could be relied on. */
const MIN_STARTS = 1_000;

/** How late the starts of many runs were, situation by situation. */
export class LatenessTally {
  private readonly counts = new Map<LatenessSituation, Map<number, number>>();

  add(lateness: Iterable<Pick<Lateness, "situation" | "latenessMs">>): void {
    for (const { situation, latenessMs } of lateness) this.count(situation, Math.ceil(latenessMs), 1);
  }

  merge(counts: LatenessCounts): void {
    for (const [situation, entries] of Object.entries(counts))
      for (const [latenessMs, starts] of entries) this.count(situation as LatenessSituation, latenessMs, starts);
  }

  toCounts(): LatenessCounts {
    return Object.fromEntries([...this.counts].map(([situation, counts]) => [situation, [...counts]]));
  }

  figures(): LatenessFigures {
    const figures: LatenessFigures = {};
    for (const [situation, counts] of this.counts) {
      const at = (share: number): number => quantile(counts, share);
      figures[situation] = { starts: sum(counts.values()), p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
    }
    return figures;
  }

  /** The situations whose 99th percentile is worse than [lateness-bounds] promises, each as a sentence. */
  broken(): string[] {
    const figures = this.figures();
    return JUDGED.flatMap((situation) => {
      const { starts = 0, p99Ms = 0 } = figures[situation] ?? {};
      const promisedMs = LATENESS_PROMISES[situation].p99Ms;
      if (starts < MIN_STARTS || p99Ms <= promisedMs) return [];
      return `p99 of ${starts} starts is ${p99Ms} ms, ${promisedMs} ms are promised (${situation})`;
    });
  }

  private count(situation: LatenessSituation, latenessMs: number, starts: number): void {
    const counts = this.counts.get(situation) ?? new Map<number, number>();
    this.counts.set(situation, counts.set(latenessMs, (counts.get(latenessMs) ?? 0) + starts));
  }
}

function quantile(counts: ReadonlyMap<number, number>, share: number): number {
  const sorted = [...counts].sort(([one], [other]) => one - other);
  let left = Math.ceil(sum(counts.values()) * share);
  for (const [latenessMs, starts] of sorted) if ((left -= starts) <= 0) return latenessMs;
  return 0;
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
