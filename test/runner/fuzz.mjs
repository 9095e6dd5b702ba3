#!/usr/bin/env node
// Runs random calls against a part of Tickwheel until time is up or one of them goes wrong.
import { parseArgs } from "node:util";

const help = `npm run fuzz -- wheel [--minutes N] [--seed N]

wheel   random calls of the timing wheel beside a sorted list of the same timers, over all geometries and both orders

  --minutes N   how long, default 1
  --seed N      the first seed, default by the clock; a failure prints the seed that repeats it
  --help        print this`;

const STEPS_PER_RUN = 10_000;
const PROGRESS_EVERY_MS = 5_000;

async function main(argv) {
  const { values, positionals } = read(argv);
  if (values.help) return print(help);
  const minutes = Number(values.minutes ?? 1);
  const firstSeed = Number(values.seed ?? Date.now() % 2 ** 31);
  const faults = [
    ...(positionals.join() === "wheel" ? [] : ["say what to run: wheel"]),
    ...(minutes > 0 ? [] : ["--minutes must be a number above 0"]),
    ...(Number.isInteger(firstSeed) ? [] : ["--seed must be an integer"]),
  ];
  if (faults.length > 0) return refuse(faults);
  return fuzzWheel({ minutes, firstSeed });
}

function read(argv) {
  const options = { minutes: { type: "string" }, seed: { type: "string" }, help: { type: "boolean" } };
  try {
    return parseArgs({ args: argv, options, allowPositionals: true });
  } catch (error) {
    process.exit(refuse([error.message]));
  }
}

async function fuzzWheel({ minutes, firstSeed }) {
  const runs = await wheelRuns();
  const endMs = Date.now() + minutes * 60_000;
  let calls = 0;
  let toldMs = Date.now();
  for (let seed = firstSeed; Date.now() < endMs; seed++) {
    for (const run of runs) {
      try {
        calls += run(seed);
      } catch (error) {
        console.error(`${error.message}\nAgain: npm run fuzz -- wheel --seed ${seed}`);
        return 1;
      }
    }
    if (Date.now() - toldMs < PROGRESS_EVERY_MS) continue;
    toldMs = Date.now();
    console.error(`${calls} calls, ${Math.ceil((endMs - toldMs) / 1_000)} s left`);
  }
  return print(`${calls} calls agree, seeds from ${firstSeed}`);
}

/** One run for each geometry and order; each takes a seed, throws where the two disagree, and answers how many calls it made. */
async function wheelRuns() {
  const { runRandomSteps, WHEEL_GEOMETRIES, WheelBesideList } = await import("@tickwheel/testing");
  const { TimingWheel } = await import("@tickwheel/timing-wheel");
  const kinds = WHEEL_GEOMETRIES.flatMap((geometry) =>
    ["insertion", "priority"].map((orderWithinTick) => ({ geometry, orderWithinTick })),
  );
  return kinds.map(({ geometry, orderWithinTick }) => (seed) => {
    const options = { ...geometry.options, orderWithinTick, capacity: 24 };
    const subject = new WheelBesideList(new TimingWheel(options), options);
    runRandomSteps(subject, { geometry, seed, steps: STEPS_PER_RUN });
    return STEPS_PER_RUN;
  });
}

function refuse(faults) {
  console.error(`${faults.join("\n")}\n\n${help}`);
  return 2;
}

function print(text) {
  console.log(text);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
