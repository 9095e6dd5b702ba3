import { fork } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { add, missing } from "./coverage.js";
import { drawPlan } from "./draw-plan.js";
import type { Plan } from "./plan.js";
import { type BrokenRule, brokenRules, runPlan } from "./run-plan.js";
import { shrinkPlan } from "./shrink-plan.js";
import { storyOf } from "./story.js";

/** Below so many seeds a rare branch may well be missed. */
const COVERAGE_SEEDS = 3_000;
const DEFAULT_SEEDS = 3_000;
const CASES = join(import.meta.dirname, "../cases");

interface Options {
  seeds: number;
  from: number;
  seed?: number;
  nodes?: number;
  jobs: number;
  json: boolean;
}

/** What some seeds came to: the last line of `--json`. */
interface Summary {
  ok: boolean;
  seeds: number;
  from: number;
  perMinute: number;
  broken: { seed: number; rule: BrokenRule }[];
  coverage: Record<string, number>;
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
  .option("--json", "ends with one line of JSON", false);

await main(program.parse().opts<Options>());

async function main(options: Options): Promise<void> {
  if (options.seed !== undefined) return tellSeed(options.seed, options);
  const summary = options.jobs > 1 ? await runShared(options) : await runSeeds(options);
  const unreached = options.seeds >= COVERAGE_SEEDS ? missing(new Map(Object.entries(summary.coverage))) : [];
  for (const what of unreached) console.error(`never reached: ${what}`);
  for (const seed of new Set(summary.broken.map((each) => each.seed))) await keepSmallest(seed, options);
  const ok = summary.broken.length === 0 && unreached.length === 0;
  const { seeds, from, perMinute, broken } = summary;
  console.log(
    `${seeds} seeds from ${from}: ${broken.length} broken, ${unreached.length} never reached, ${perMinute} a minute`,
  );
  if (options.json) console.log(JSON.stringify({ ...summary, ok }));
  process.exitCode = ok ? 0 : 1;
}

/** Runs the seeds in this process. */
async function runSeeds({ seeds, from, nodes }: Options): Promise<Summary> {
  // Stories are told by a run of their own; a stack for each time-out of a million would take a fifth of the time.
  Error.stackTraceLimit = 0;
  const startedMs = Date.now();
  const coverage = new Map<string, number>();
  const broken: Summary["broken"] = [];
  for (let seed = from; seed < from + seeds; seed++) {
    const result = await runPlan(drawPlan(seed, nodes));
    for (const rule of brokenRules(result)) {
      broken.push({ seed, rule });
      console.error(`seed ${seed} breaks ${rule}`);
    }
    add(coverage, result.coverage);
    const done = seed - from + 1;
    if (done % 500 === 0) console.error(`${done} of ${seeds} seeds, ${perMinuteOf(done, startedMs)} a minute`);
  }
  const perMinute = perMinuteOf(seeds, startedMs);
  return { ok: broken.length === 0, seeds, from, perMinute, broken, coverage: Object.fromEntries(coverage) };
}

/** Shares the seeds among processes. */
async function runShared(options: Options): Promise<Summary> {
  const { seeds, from, jobs, nodes } = options;
  const size = Math.ceil(seeds / jobs);
  const startedMs = Date.now();
  const shares = Array.from({ length: jobs }, (_, job) => ({
    from: from + job * size,
    seeds: Math.max(0, Math.min(size, seeds - job * size)),
  })).filter((share) => share.seeds > 0);
  const parts = await Promise.all(shares.map((share) => runChild({ ...share, nodes })));
  const coverage = new Map<string, number>();
  for (const part of parts) add(coverage, Object.entries(part.coverage));
  const broken = parts.flatMap((part) => part.broken);
  const perMinute = perMinuteOf(seeds, startedMs);
  return { ok: broken.length === 0, seeds, from, perMinute, broken, coverage: Object.fromEntries(coverage) };
}

function runChild({ from, seeds, nodes }: { from: number; seeds: number; nodes?: number }): Promise<Summary> {
  const parameters = ["--jobs", "1", "--json", "--from", String(from), "--seeds", String(seeds)];
  if (nodes !== undefined) parameters.push("--nodes", String(nodes));
  return new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, parameters, {
      stdio: ["ignore", "pipe", "inherit", "ipc"],
      env: { ...process.env, TICKWHEEL_SIM_SHARE: "1" },
    });
    let text = "";
    child.stdout!.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    child.on("exit", () => {
      const last = text.trimEnd().split("\n").at(-1) ?? "";
      try {
        resolve(JSON.parse(last) as Summary);
      } catch {
        reject(new Error(`A share of the seeds ended without a result: ${text}`));
      }
    });
  });
}

/** Makes the plan of a broken seed small, tells its story and keeps it as a regression case. */
async function keepSmallest(seed: number, { nodes }: Options): Promise<void> {
  if (process.env.TICKWHEEL_SIM_SHARE) return;
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
  const [first, second] = [await runPlan(drawPlan(seed, nodes)), await runPlan(drawPlan(seed, nodes))];
  for (const line of storyOf(first)) console.log(line);
  const isSame = first.hash === second.hash;
  console.log(`hash ${first.hash}${isSame ? ", twice the same" : `, but ${second.hash} when run again`}`);
  const broken = brokenRules(first).map((rule) => ({ seed, rule }));
  const ok = broken.length === 0 && isSame;
  if (broken.length > 0) await keepSmallest(seed, { seeds: 1, from: seed, jobs: 1, json, nodes });
  const coverage = Object.fromEntries(first.coverage);
  if (json)
    console.log(JSON.stringify({ ok, seeds: 1, from: seed, perMinute: null, hash: first.hash, broken, coverage }));
  process.exitCode = ok ? 0 : 1;
}

function perMinuteOf(seeds: number, startedMs: number): number {
  return Math.round((seeds / Math.max(1, Date.now() - startedMs)) * 60_000);
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
