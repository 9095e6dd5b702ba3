#!/usr/bin/env node
import { endWithOutput } from "@tickwheel/observability";
import { readCommandLine } from "./command-line.js";
import { runFaultsJob } from "./faults/faults-job.js";
import { runJob } from "./schedulers/run-job.js";
import { writeTables } from "./schedulers/write-tables.js";
import { runWheelJob } from "./wheel/wheel-job.js";

const argv = process.argv.slice(2);
const request = readCommandLine(argv, {
  writeOut: (text) => void process.stdout.write(text),
  writeErr: (text) => void process.stderr.write(text),
});
const output = {
  print: (text: string) => void process.stdout.write(`${text}\n`),
  progress: (text: string) => void process.stderr.write(`${text}\n`),
};

// An exit in good order tells the servers to stop; a signal alone would leave them running.
process.once("SIGHUP", () => process.exit(129));
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
endWithOutput((code) => process.exit(code));

if ("exitCode" in request) process.exitCode = request.exitCode;
else {
  try {
    if (request.job === "tables") output.print(writeTables().join("\n"));
    else if (request.job === "faults") process.exitCode = await runFaultsJob(request.options, output, argv);
    else if (request.job === "wheel") await runWheelJob(request.options, output, argv);
    else await runJob(request.job, { options: request.options, argv }, output);
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
