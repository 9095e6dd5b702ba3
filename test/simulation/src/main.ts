import { fork } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { endWithOutput } from "@tickwheel/observability";
import { Command, InvalidArgumentError } from "commander";
import { missing } from "./coverage.js";
import { drawPlan } from "./draw/draw-plan.js";
import { type LatenessFigures, LatenessTally } from "./lateness-tally.js";
import type { Plan } from "./plan.js";
import { brokenRules, runPlan } from "./run-plan.js";
import {
  type BrokenSeed,
  brokenTogether,
  perMinuteOf,
  runSeeds,
  type SeedRange,
  type SeedsResult,
  together,
} from "./run-seeds.js";
import { shrinkPlan } from "./shrink-plan.js";
import { storyOf } from "./story.js";

/**
 * A run makes much garbage. With more room for it, and no other threads that collect it, seeds take a quarter less
 * time.
 */
const MEMORY_OPTIONS = ["--single-threaded-gc", "--max-semi-space-size=64"];
/** With fewer seeds than this, a rare branch may be missed. */
const COVERAGE_SEEDS = 3_000;
const DEFAULT_SEEDS = 3_000;
const CASES = join(import.meta.dirname, "../cases");
/** Tells this process that it runs a share of another process's seeds. */
const IS_SHARE = process.env.TICKWHEEL_SIM_SHARE !== undefined;

interface Options {
  seeds: number;
  from: number;
  seed?: number;
  nodes?: number;
  jobs: number;
  untilBroken: boolean;
  json: boolean;
}

/** The last line of `--json`. */
interface Summary {
  ok: boolean;
  seeds: number;
  from: number;
  perMinute: number;
  broken: readonly BrokenSeed[];
  coverage: Record<string, number>;
  lateness: LatenessFigures;
}

const program = new Command("sim")
  .description(
    "Runs a whole cluster in one process on virtual time, under random requests and faults, and checks what happened.",
  )
  .option("--seeds <count>", "how many seeds", count, DEFAULT_SEEDS)
  .option("--from <seed>", "the first of them", count, 1)
  .option("--seed <seed>", "only this one, run twice and told as a story", count)
  .option("--nodes <count>", "how many nodes, 1 to 7; default: drawn from the seed", nodeCount)
  .option("--jobs <count>", "how many processes share the seeds", count, availableParallelism())
  .option("--until-broken", "one process, ends with the first seed that breaks a rule, and tells no story", false)
  .option("--json", "ends with one line of JSON", false);

endWithOutput((code) => process.exit(code));
if (IS_SHARE) endWithParent();
await main(program.parse().opts<Options>());

async function main(options: Options): Promise<void> {
  if (options.seed !== undefined) return tellSeed(options.seed, options);
  const startedMs = Date.now();
  const isShared = !IS_SHARE && !options.untilBroken;
  const result = isShared ? await runShared(options) : await runSeeds(options, console.error);
  if (IS_SHARE) return void process.send!(result);
  const summary = summaryOf(result, options, startedMs);
  const brokenSeeds = new Set(summary.broken.flatMap(({ seed }) => seed ?? []));
  if (!options.untilBroken) for (const seed of brokenSeeds) await keepSmallest(seed, options);
  const { ok, seeds, from, perMinute, broken } = summary;
  console.log(
    `${seeds} seeds from ${from}: ${broken.length} broken, ${unreachedBy(result).length} never reached, ${perMinute} a minute`,
  );
  if (options.json) console.log(JSON.stringify(summary));
  process.exitCode = ok ? 0 : 1;
}

function summaryOf(result: SeedsResult, { from, untilBroken }: Options, startedMs: number): Summary {
  const { seeds, coverage } = result;
  const perMinute = perMinuteOf(seeds, startedMs);
  const tally = new LatenessTally();
  tally.merge(result.lateness);
  const broken = untilBroken ? result.broken : [...result.broken, ...brokenTogether(tally, console.error)];
  const unreached = unreachedBy(result);
  for (const what of unreached) console.error(`never reached: ${what}`);
  const ok = broken.length === 0 && unreached.length === 0;
  return { ok, seeds, from, perMinute, broken, coverage, lateness: tally.figures() };
}

function unreachedBy({ seeds, coverage }: SeedsResult): string[] {
  return seeds >= COVERAGE_SEEDS ? missing(new Map(Object.entries(coverage))) : [];
}

/** Nobody wants the result of a share whose parent has gone. */
function endWithParent(): void {
  process.once("disconnect", () => process.exit());
  // The listener alone would keep the process alive when it has told its result.
  process.channel?.unref();
}

/** Shares the seeds among processes. */
async function runShared({ seeds, from, jobs, nodes }: Options): Promise<SeedsResult> {
  const size = Math.ceil(seeds / jobs);
  const shares = Array.from({ length: jobs }, (_, job) => ({
    from: from + job * size,
    seeds: Math.max(0, Math.min(size, seeds - job * size)),
  })).filter((share) => share.seeds > 0);
  return together(await Promise.all(shares.map((share) => runChild({ ...share, nodes }))));
}

function runChild({ from, seeds, nodes }: SeedRange): Promise<SeedsResult> {
  const parameters = ["--jobs", "1", "--from", String(from), "--seeds", String(seeds)];
  if (nodes !== undefined) parameters.push("--nodes", String(nodes));
  return new Promise((resolve, reject) => {
    const env = { ...process.env, TICKWHEEL_SIM_SHARE: "1" };
    const child = fork(import.meta.filename, parameters, { env, execArgv: MEMORY_OPTIONS });
    child.on("message", (result) => resolve(result as SeedsResult));
    child.on("exit", (code) => reject(new Error(`A share of the seeds ended with ${code} and without a result`)));
  });
}

/** Reduces the plan of a broken seed, prints its story and keeps it as a regression case. */
async function keepSmallest(seed: number, { nodes }: Pick<Options, "nodes">): Promise<void> {
  Error.stackTraceLimit = 30;
  const plan = drawPlan(seed, nodes);
  const rules = brokenRules(await runPlan(plan));
  const fails = async (candidate: Plan): Promise<boolean> =>
    brokenRules(await runPlan(candidate)).some((rule) => rules.includes(rule));
  const smallest = await shrinkPlan(plan, fails, ({ faults, requests, nodes: left }) =>
    console.error(`seed ${seed}: fails with ${left} nodes, ${requests.length} requests, ${faults.length} faults`),
  );
  for (const line of storyOf(await runPlan(smallest))) console.log(line);
  console.log(`kept as ${keep(smallest)}`);
}

function keep(plan: Plan): string {
  mkdirSync(CASES, { recursive: true });
  const path = join(CASES, `seed-${plan.seed}.json`);
  writeFileSync(path, `${JSON.stringify(plan, null, 2)}\n`);
  return path;
}

/** Runs one seed twice: the same story both times, or it is not deterministic. */
async function tellSeed(seed: number, { nodes, json }: Options): Promise<void> {
  const first = await runPlan(drawPlan(seed, nodes));
  const second = await runPlan(drawPlan(seed, nodes));
  for (const line of storyOf(first)) console.log(line);
  const isSame = first.hash === second.hash;
  console.log(`hash ${first.hash}${isSame ? ", twice the same" : `, but ${second.hash} when run again`}`);
  const broken = brokenRules(first).map((rule) => ({ seed, rule }));
  const ok = broken.length === 0 && isSame;
  if (broken.length > 0) await keepSmallest(seed, { nodes });
  const coverage = Object.fromEntries(first.coverage);
  if (json)
    console.log(JSON.stringify({ ok, seeds: 1, from: seed, perMinute: null, hash: first.hash, broken, coverage }));
  process.exitCode = ok ? 0 : 1;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError("It must be a whole number.");
  return value;
}

function nodeCount(text: string): number {
  const value = count(text);
  if (value < 1 || value > 7) throw new InvalidArgumentError("There are 1 to 7 nodes.");
  return value;
}
