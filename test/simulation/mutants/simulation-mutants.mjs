// Plants each mutant of the simulation into the built libraries and has the simulation find it.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { runJudge } from "./run-judge.mjs";

/**
 * What became of a mutant, or of everything as it is where `mutant` is null. `rules` are those that the seed which
 * found it broke, after so many `seeds` and `seconds`; `seed` is null where only all seeds together broke one.
 *
 * @typedef {{ mutant: string | null, says: string, asExpected: boolean, told: string, rules: string[], seed: number |
 *   null, seeds: number, seconds: number }} MutantVerdict
 */

const folder = import.meta.dirname;
const JUDGE = "judge-simulation-mutant.mjs";
const FIRST_SEED = 1;
/** Within so many seeds each is found. */
const DEFAULT_SEEDS = 5_000;
const DEFAULT_JOBS = 2;

/** The names of all mutants of the simulation. */
export const simulationMutants = readdirSync(join(folder, "simulation"))
  .map((file) => file.replace(/\.mjs$/, ""))
  .sort();

/**
 * Runs the simulation with each mutant, from the first seed on until one breaks a rule that the mutant names, and keeps
 * without it. At the end as many seeds as the slowest of them took are run with nothing changed, and must break
 * nothing. Needs the built packages.
 *
 * @param {{ seeds?: number, only?: readonly string[], jobs?: number, report?: (verdict: MutantVerdict) => void }} run
 *   `seeds`: how many at most; `only`: the names of some mutants; `jobs`: how many at once; `report` is told each
 *   verdict
 * @returns {Promise<MutantVerdict[]>} the last one is that of everything as it is
 */
export async function runSimulationMutants(run) {
  const { seeds = DEFAULT_SEEDS, only = simulationMutants, jobs = DEFAULT_JOBS, report = () => {} } = run;
  const left = [...only];
  const verdicts = new Map();
  const work = async () => {
    while (left.length > 0) {
      const mutant = left.shift();
      const verdict = await judge(mutant, seeds);
      verdicts.set(mutant, verdict);
      report(verdict);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  const unchanged = await judgeUnchanged(Math.max(1, ...[...verdicts.values()].map((verdict) => verdict.seeds)));
  report(unchanged);
  return [...only.map((mutant) => verdicts.get(mutant)), unchanged];
}

async function judge(mutant, limit) {
  let verdict = {
    mutant,
    says: mutant,
    asExpected: false,
    told: "NOT FOUND",
    rules: [],
    seed: null,
    seeds: 0,
    seconds: 0,
  };
  while (verdict.seeds < limit) {
    const run = await runJudge(JUDGE, [FIRST_SEED + verdict.seeds, limit - verdict.seeds, mutant].map(String));
    if (run.failure) return { ...verdict, told: `FAILED: ${run.failure}` };
    const seeds = verdict.seeds + run.seeds;
    const seconds = verdict.seconds + run.seconds;
    verdict = { ...verdict, says: run.says, seeds, seconds };
    if (run.uncalled.length > 0) return { ...verdict, told: `NOT PLANTED: nobody called ${run.uncalled.join(", ")}` };
    if (run.broken.length === 0) break;
    const rules = await brokenByIt(run.broken);
    if (!rules.some((rule) => run.breaks.includes(rule))) continue;
    const { seed } = run.broken.find(({ rule }) => run.breaks.includes(rule));
    const told = `found by ${rules.join(", ")} after ${seeds.toLocaleString("en")} seed${seeds === 1 ? "" : "s"}`;
    return { ...verdict, asExpected: true, told, rules, seed };
  }
  return verdict;
}

/**
 * The rules that the seed does not break without the mutant. Whether all seeds together do is for the last run to tell.
 */
async function brokenByIt(broken) {
  const rules = [...new Set(broken.map(({ rule }) => rule))];
  const alone = broken.find(({ seed }) => seed !== null);
  if (!alone) return rules;
  const without = await runJudge(JUDGE, [alone.seed, 1].map(String));
  return rules.filter((rule) => !without.broken?.some((other) => other.rule === rule));
}

async function judgeUnchanged(limit) {
  const run = await runJudge(JUDGE, [FIRST_SEED, limit].map(String));
  const rules = [...new Set(run.broken?.map(({ rule }) => rule))];
  const [{ seed = null } = {}] = run.broken ?? [];
  const verdict = { mutant: null, says: run.says ?? "", rules, seed, seeds: run.seeds ?? 0, seconds: run.seconds ?? 0 };
  if (run.failure) return { ...verdict, asExpected: false, told: `FAILED: ${run.failure}` };
  const where = seed === null ? "all seeds together break" : `seed ${seed} breaks`;
  if (rules.length > 0) return { ...verdict, asExpected: false, told: `FAILED: ${where} ${rules.join(", ")}` };
  return { ...verdict, asExpected: true, told: `breaks nothing in ${limit.toLocaleString("en")} seeds` };
}
