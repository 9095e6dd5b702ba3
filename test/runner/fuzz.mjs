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
  const { runEveryGeometry } = await import(
    new URL("../../libs/timing-wheel/test-support/dist/wheel-runs.js", import.meta.url).href
  );
  const { TimingWheel } = await import("@tickwheel/timing-wheel");
  const endMs = Date.now() + minutes * 60_000;
  let calls = 0;
  let toldMs = Date.now();
  for (let seed = firstSeed; Date.now() < endMs; seed++) {
    try {
      calls += runEveryGeometry((options) => new TimingWheel(options), { seed, steps: STEPS_PER_RUN });
    } catch (error) {
      console.error(`${error.message}\nAgain: npm run fuzz -- wheel --seed ${seed}`);
      return 1;
    }
    if (Date.now() - toldMs < PROGRESS_EVERY_MS) continue;
    toldMs = Date.now();
    console.error(`${calls} calls, ${Math.ceil((endMs - toldMs) / 1_000)} s left`);
  }
  return print(`${calls} calls agree, seeds from ${firstSeed}`);
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
