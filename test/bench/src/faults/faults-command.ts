import { Command } from "commander";
import { FlagReader } from "../flag-reader.js";

export interface FaultsFlags {
  runs?: string | true;
  only?: string | true;
  json?: true;
}

export interface FaultsOptions {
  /** How often every scenario is run. */
  readonly runs: number;
  /** A part of the spec files' paths; undefined: all, and the documents' table is written. */
  readonly only: string | undefined;
  readonly printsJson: boolean;
}

const DEFAULT_RUNS = 3;
const MOST_RUNS = 100;

const EXPLAINS = `
It runs the tests of faults and abuse that measure times, with real servers and processes, and holds each time against the bound that
docs/reliability.md promises. The tests themselves print these times and judge none, so that they can be believed on any machine.
The worst of all runs decides. All scenarios together take about five minutes a run; then the table of docs/reliability.md is written.

The machine is measured before each run and after it. Where other programs use its processors, the run is too busy to judge: its
times are dropped, and if no run is left nothing is written.

Exit code 0: all bounds hold; 1: one does not, or a test failed; 3: too busy to judge.`;

/** The command, without an action. */
export function createFaultsCommand(): Command {
  return new Command("faults")
    .description("Measures how long faults and abuse are felt, beside what is promised.")
    .option("--runs [n]", `how often each scenario is run (default: ${DEFAULT_RUNS})`)
    .option("--only [text]", "scenarios whose file's path has this text; writes no table")
    .option("--json", "print the times as one last line of JSON, too")
    .configureHelp({ optionTerm: ({ flags }) => flags.replace("[", "<").replace("]", ">") })
    .addHelpText("after", EXPLAINS)
    .allowUnknownOption()
    .allowExcessArguments();
}

/** Reads the options, and tells all that is wrong with them. */
export function readFaultsOptions(flags: FaultsFlags, rest: readonly string[], faults: string[]): FaultsOptions {
  const read = new FlagReader(faults);
  read.nothingElse(rest);
  const runs = read.numbers("runs", flags.runs, [1, MOST_RUNS]) ?? [];
  if (runs.length > 1) faults.push("--runs takes one number");
  if (flags.only === true) faults.push("--only needs a value");
  const only = flags.only === true ? undefined : flags.only;
  return { runs: runs[0] ?? DEFAULT_RUNS, only, printsJson: flags.json === true };
}
