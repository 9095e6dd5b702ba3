import { Command, CommanderError } from "commander";
import { readWheelOptions, type WheelFlags, type WheelOptions } from "./wheel/options.js";
import { createWheelCommand } from "./wheel/wheel-command.js";

/** What the command line asks for: a job, or nothing more than the text that was printed. */
export type Request = { readonly job: "wheel"; readonly options: WheelOptions } | { readonly exitCode: number };

/** Where help and complaints go. */
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
    if (faults.length === 0) requests.push({ job: "wheel", options });
    else wheel.error(["error:", ...faults.map((fault) => `  ${fault}`), "see bench wheel --help"].join("\n"));
  });
  const program = new Command("bench")
    .description("Measures a part of Tickwheel; each job is a command of its own, with its own --help.")
    .addCommand(wheel);
  for (const command of [program, wheel]) command.exitOverride().configureOutput(output);
  try {
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { exitCode: error.exitCode === 0 ? 0 : BAD_OPTIONS };
  }
  return requests[0] ?? { exitCode: BAD_OPTIONS };
}
