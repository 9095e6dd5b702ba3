// Plants each mutant of the simulation into the built libraries and has the simulation find it.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * What became of a mutant: `rules` are those that the first seed which found it broke, after so many `seeds` and `seconds`.
 *
 * @typedef {{ mutant: string, says: string, asExpected: boolean, told: string, rules: string[], seeds: number, seconds: number }} MutantVerdict
 */

const folder = import.meta.dirname;
/** Within so many seeds each is found. */
const DEFAULT_SEEDS = 5_000;
/** At once. */
const PARALLEL = 2;

/** The names of all mutants of the simulation. */
export const simulationMutants = readdirSync(join(folder, "simulation"))
  .map((file) => file.replace(/\.mjs$/, ""))
  .sort();

/**
 * Runs the simulation with each mutant, from the first seed on until one breaks a rule. What found it must be the mutant: without it the
 * same seeds break nothing. Needs the built packages.
 *
 * @param {{ seeds?: number, only?: readonly string[], report?: (verdict: MutantVerdict) => void }} run `seeds`: how many at most; `only`:
 *   the names of some mutants; `report` is told each verdict
 * @returns {Promise<MutantVerdict[]>}
 */
export async function runSimulationMutants({ seeds = DEFAULT_SEEDS, only = simulationMutants, report = () => {} }) {
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
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return only.map((mutant) => verdicts.get(mutant));
}

async function judge(mutant, seeds) {
  const run = await runJudge(1, seeds, mutant);
  const rules = [...new Set(run.broken?.map(({ rule }) => rule))];
  const named = { mutant, says: run.says ?? mutant, rules, seeds: run.seeds ?? 0, seconds: run.seconds ?? NaN };
  const verdict = (asExpected, told) => ({ ...named, asExpected, told });
  if (run.failure) return verdict(false, `FAILED: ${run.failure}`);
  if (run.uncalled.length > 0) return verdict(false, `NOT PLANTED: nobody called ${run.uncalled.join(", ")}`);
  if (rules.length === 0) return verdict(false, "NOT FOUND");
  const without = await runWithout(run);
  if (without.failure) return verdict(false, `FAILED without it: ${without.failure}`);
  if (without.broken.length > 0) return verdict(false, `the same is broken without it: ${without.broken[0].rule}`);
  return verdict(true, `found by ${rules.join(", ")}`);
}

/** What found the mutant, run without it: the last seed, or all of them where none alone broke a rule. */
function runWithout({ seeds, broken }) {
  const [{ seed }] = broken;
  return seed === null ? runJudge(1, seeds) : runJudge(seed, 1);
}

/** What the process of one mutant says, or why it said nothing. */
async function runJudge(...given) {
  const child = spawn(process.execPath, [join(folder, "judge-simulation-mutant.mjs"), ...given.map(String)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, errors, code] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    new Promise((resolve) => child.on("close", (status, signal) => resolve(status ?? signal))),
  ]);
  if (code !== 0) return { failure: `ended with ${code}: ${errors.trim().split("\n").slice(-12).join("\n")}` };
  return JSON.parse(out);
}

async function textOf(stream) {
  let text = "";
  for await (const part of stream.setEncoding("utf8")) text += part;
  return text;
}
