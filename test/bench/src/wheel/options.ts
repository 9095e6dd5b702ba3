import { FlagReader } from "../flag-reader.js";
import { implementationNames } from "./queues/implementations.js";
import { loadNames } from "./loads.js";
import type { Question } from "./plan.js";

const FEWEST_TIMERS = 1_000;
const MOST_TIMERS = 10_000_000;
const MOST_REPS = 99;

const DEFAULTS = { counts: [1_000_000], loads: ["uniform-1h", "orders"], reps: 5 } as const;
const FULL_COUNTS = [10_000, 100_000, 1_000_000, 10_000_000];

/** What the command line says. */
export interface WheelOptions extends Question {
  readonly printsJson: boolean;
  readonly plots: boolean;
}

/** As commander names them; `true` stands for an option without its value. */
export interface WheelFlags {
  n?: string | true;
  load?: string | true;
  impl?: string | true;
  reps?: string | true;
  full?: boolean;
  json?: boolean;
  plot?: boolean;
}

/**
 * Judges the flags, all of them.
 * @param rest what is no option of this job
 * @param faults receives a sentence for each fault; without any the options are good
 */
export function readWheelOptions(flags: WheelFlags, rest: readonly string[], faults: string[]): WheelOptions {
  const read = new FlagReader(faults);
  read.nothingElse(rest);
  if (flags.full)
    for (const name of ["n", "load"] as const) if (flags[name]) faults.push(`--full and --${name} exclude each other`);
  const counts = read.numbers("n", flags.n, [FEWEST_TIMERS, MOST_TIMERS]);
  const loads = read.names("load", flags.load, loadNames);
  const reps = read.numbers("reps", flags.reps, [1, MOST_REPS]) ?? [DEFAULTS.reps];
  if (reps.length > 1) faults.push("--reps takes one number");
  return {
    counts: counts ?? (flags.full ? FULL_COUNTS : DEFAULTS.counts),
    loads: loads ?? (flags.full ? loadNames : DEFAULTS.loads),
    implementations: read.names("impl", flags.impl, implementationNames) ?? implementationNames,
    reps: reps[0]!,
    printsJson: flags.json ?? false,
    plots: flags.plot ?? false,
  };
}
