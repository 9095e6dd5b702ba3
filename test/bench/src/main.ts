#!/usr/bin/env node
import { readCommandLine } from "./command-line.js";
import { runWheelJob } from "./wheel/wheel-job.js";

const argv = process.argv.slice(2);
const request = readCommandLine(argv, {
  writeOut: (text) => void process.stdout.write(text),
  writeErr: (text) => void process.stderr.write(text),
});

if ("exitCode" in request) process.exitCode = request.exitCode;
else {
  try {
    await runWheelJob(
      request.options,
      {
        print: (text) => void process.stdout.write(`${text}\n`),
        progress: (text) => void process.stderr.write(`${text}\n`),
      },
      argv,
    );
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
