import { add } from "./coverage.js";
import { drawPlan } from "./draw/draw-plan.js";
import { type LatenessCounts, LatenessTally } from "./lateness-tally.js";
import { type BrokenRule, brokenRules, runPlan } from "./run-plan.js";

/** All seeds together are judged only each time this many have run. */
const TOGETHER_EVERY = 100;
const TOLD_EVERY = 500;

export interface SeedRange {
  from: number;
  seeds: number;
  /** How many nodes there are; default: drawn from each seed. */
  nodes?: number;
  /** Ends with the first seed that breaks a rule, or one of these, or with the one at which all of them together do. */
  untilBroken?: boolean | readonly BrokenRule[];
}

/** `seed` null: all seeds together broke it, none alone. */
export interface BrokenSeed {
  seed: number | null;
  rule: BrokenRule;
}

/** The result of some seeds, as data for another process. */
export interface SeedsResult {
  /** How many seeds were run. */
  seeds: number;
  broken: BrokenSeed[];
  coverage: Record<string, number>;
  lateness: LatenessCounts;
}

/** Runs one seed after the other. @param tell called with progress and with broken rules */
export async function runSeeds(
  { from, seeds, nodes, untilBroken = false }: SeedRange,
  tell: (line: string) => void = () => undefined,
): Promise<SeedsResult> {
  // A story has a run of its own. Here, a stack for each of a million time-outs would take a fifth of the time.
  Error.stackTraceLimit = 0;
  const startedMs = Date.now();
  const coverage = new Map<string, number>();
  const tally = new LatenessTally();
  const broken: BrokenSeed[] = [];
  let done = 0;
  const isEnough = ({ rule }: BrokenSeed): boolean =>
    Array.isArray(untilBroken) ? untilBroken.includes(rule) : untilBroken === true;
  while (done < seeds && !broken.some(isEnough)) {
    const seed = from + done;
    const result = await runPlan(drawPlan(seed, nodes));
    done += 1;
    for (const rule of brokenRules(result)) {
      broken.push({ seed, rule });
      tell(`seed ${seed} breaks ${rule}`);
    }
    add(coverage, result.coverage);
    tally.add(result.lateness);
    if (untilBroken && done % TOGETHER_EVERY === 0) broken.push(...brokenTogether(tally, tell));
    if (done % TOLD_EVERY === 0) tell(`${done} of ${seeds} seeds, ${perMinuteOf(done, startedMs)} a minute`);
  }
  return { seeds: done, broken, coverage: Object.fromEntries(coverage), lateness: tally.toCounts() };
}

/** The combined result of parallel runs. */
export function together(parts: readonly SeedsResult[]): SeedsResult {
  const coverage = new Map<string, number>();
  const tally = new LatenessTally();
  for (const part of parts) {
    add(coverage, Object.entries(part.coverage));
    tally.merge(part.lateness);
  }
  return {
    seeds: parts.reduce((sum, { seeds }) => sum + seeds, 0),
    broken: parts.flatMap((part) => part.broken),
    coverage: Object.fromEntries(coverage),
    lateness: tally.toCounts(),
  };
}

/** The rules that no seed alone can break. */
export function brokenTogether(tally: LatenessTally, tell: (line: string) => void): BrokenSeed[] {
  return tally.broken().map((message) => {
    tell(`all seeds together break lateness-p99: ${message}`);
    return { seed: null, rule: "lateness-p99" };
  });
}

export function perMinuteOf(seeds: number, startedMs: number): number {
  return Math.round((seeds / Math.max(1, Date.now() - startedMs)) * 60_000);
}
