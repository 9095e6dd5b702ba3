import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JobOutput } from "../job-output.js";
import { originOf } from "../origin.js";
import { betweenMarks } from "../marked-text.js";
import type { FaultsOptions } from "./faults-command.js";
import { busyReason, measureMachine } from "./machine.js";
import { REPOSITORY, runScenarios, scenarioFiles, type ScenarioRun } from "./scenarios.js";
import { judgeTimes, type JudgedTime, timesTable } from "./times.js";

const PAGE = join(REPOSITORY, "docs/reliability.md");
const FORMATTER = join(REPOSITORY, "node_modules/oxfmt/bin/oxfmt");
const MARK = "times";
const BROKEN = 1;
const TOO_BUSY = 3;

/** Runs the scenarios, judges their times, writes the documents' table. @returns the exit code */
export async function runFaultsJob(
  options: FaultsOptions,
  output: JobOutput,
  argv: readonly string[],
): Promise<number> {
  const files = scenarioFiles(options.only);
  if (files.length === 0) throw new Error(`no scenario's path has "${options.only}" in it`);
  const runs: ScenarioRun[] = [];
  for (let run = 1; run <= options.runs; run++) {
    output.progress(`run ${run} of ${options.runs}: ${files.length} files`);
    const result = await judgeableRun(files, output);
    if (result) runs.push(result);
  }
  if (runs.length === 0) return TOO_BUSY;
  const times = judgeTimes(runs.map((run) => run.times));
  output.print(timesTable(times));
  if (options.only === undefined) writeTable(times, { runs: runs.length, argv });
  if (options.printsJson) output.print(JSON.stringify({ runs: runs.length, times }));
  return runs.every(({ passed }) => passed) && times.every(({ holds }) => holds) ? 0 : BROKEN;
}

/** One run between two looks at the machine; null: the machine is too busy, which is printed. */
async function judgeableRun(files: readonly string[], output: JobOutput): Promise<ScenarioRun | null> {
  const before = busyReason(measureMachine());
  if (before !== null) return tooBusy(before, output);
  const result = await runScenarios(files);
  const after = busyReason(measureMachine());
  return after === null ? result : tooBusy(after, output);
}

function tooBusy(reason: string, output: JobOutput): null {
  output.print(`too busy to judge: ${reason}`);
  return null;
}

function writeTable(times: readonly JudgedTime[], { runs, argv }: { runs: number; argv: readonly string[] }): void {
  const { machine, date, command } = originOf(argv);
  const day = date.toISOString().slice(0, 10);
  const note = `${runs === 1 ? "One run" : `Worst of ${runs} runs`}, ${day}, ${machine}; made by \`${command}\`.`;
  writeFileSync(PAGE, betweenMarks(readFileSync(PAGE, "utf8"), MARK, `${note}\n\n${timesTable(times)}`));
  // Its columns as wide as the format check wants them.
  execFileSync(process.execPath, [FORMATTER, PAGE], { stdio: "ignore" });
}
