import { Command, CommanderError } from "commander";
import {
  createFaultsCommand,
  type FaultsFlags,
  type FaultsOptions,
  readFaultsOptions,
} from "./faults/faults-command.js";
import { createJobCommand } from "./schedulers/job-command.js";
import type { Job } from "./schedulers/job.js";
import { jobs } from "./schedulers/jobs/index.js";
import { readSchedulerOptions, type SchedulerFlags, type SchedulerOptions } from "./schedulers/options.js";
import { readWheelOptions, type WheelFlags, type WheelOptions } from "./wheel/options.js";
import { createWheelCommand } from "./wheel/wheel-command.js";

/**
 * What the command line asks for: a job, the tables of all that were saved, or nothing more than the text that was
 * printed.
 */
export type Request =
  | { readonly job: "wheel"; readonly options: WheelOptions }
  | { readonly job: "faults"; readonly options: FaultsOptions }
  | { readonly job: "tables" }
  | { readonly job: Job; readonly options: SchedulerOptions }
  | { readonly exitCode: number };

/** Where help and error messages go. */
export interface CommandOutput {
  writeOut(text: string): void;
  writeErr(text: string): void;
}

const BAD_OPTIONS = 2;

/**
 * Reads the command line and prints help, or one message with all that is wrong.
 * @param argv without the program's name
 */
export function readCommandLine(argv: readonly string[], output: CommandOutput): Request {
  const requests: Request[] = [];
  const wheel = createWheelCommand().action((flags: WheelFlags) => {
    const faults: string[] = [];
    const options = readWheelOptions(flags, wheel.args, faults);
    complain(wheel, faults);
    requests.push({ job: "wheel", options });
  });
  const faultsCommand = createFaultsCommand().action((flags: FaultsFlags) => {
    const faults: string[] = [];
    const options = readFaultsOptions(flags, faultsCommand.args, faults);
    complain(faultsCommand, faults);
    requests.push({ job: "faults", options });
  });
  const commands = jobs.map((job) => {
    const command = createJobCommand(job).action((flags: SchedulerFlags) => {
      const faults: string[] = [];
      const options = readSchedulerOptions({ flags, rest: command.args }, job, faults);
      complain(command, faults);
      requests.push({ job, options });
    });
    return command;
  });
  const tables = new Command("tables")
    .description("Writes the tables of README.md and docs/benchmarks/README.md from what --save has written.")
    .action(() => void requests.push({ job: "tables" }));
  const program = new Command("bench").description(
    "Measures the scheduler beside others, and a part of it alone; each job is a command of its own, with its own --help.",
  );
  const all = [...commands, wheel, faultsCommand, tables];
  for (const command of all) program.addCommand(command);
  for (const command of [program, ...all]) command.exitOverride().configureOutput(output);
  try {
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { exitCode: error.exitCode === 0 ? 0 : BAD_OPTIONS };
  }
  return requests[0] ?? { exitCode: BAD_OPTIONS };
}

/** Ends the command with one message if anything is wrong. */
function complain(command: Command, faults: readonly string[]): void {
  if (faults.length === 0) return;
  command.error(["error:", ...faults.map((fault) => `  ${fault}`), `see bench ${command.name()} --help`].join("\n"));
}
