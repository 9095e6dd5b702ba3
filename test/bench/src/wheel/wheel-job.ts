import type { JobOutput } from "../job-output.js";
import { originOf } from "../origin.js";
import { measureInProcess, nameOf } from "./measuring-process.js";
import type { WheelOptions } from "./options.js";
import { interleave, planSubjects } from "./plan.js";
import { plotResults } from "./plot.js";
import { type JsonReport, type Result, resultOf } from "./result.js";
import type { Sample, Subject } from "./sample.js";
import { textReport } from "./text-report.js";

/**
 * Runs everything asked for, one process after the other, and prints the report.
 * @param argv the command line, for the plot's caption
 * @throws Error if a process failed; the report of all others is printed before
 */
export async function runWheelJob(options: WheelOptions, output: JobOutput, argv: readonly string[]): Promise<void> {
  const planned = planSubjects(options);
  const { samples, failures } = await measureAll(interleave(planned), output);
  const results = planned.map((each) => resultOf(each, samples.get(nameOf(each.subject)) ?? []));
  output.print(textReport(results));
  if (options.plots) output.print(`\nplotted to ${plotResults(results, originOf(argv))}`);
  if (failures.length > 0) output.progress(failures.join("\n"));
  if (options.printsJson) output.print(JSON.stringify(jsonReport(results)));
  if (failures.length > 0) throw new Error(`${failures.length} of the runs failed`);
}

export function jsonReport(results: Result[]): JsonReport {
  return { job: "wheel", node: process.version, results };
}

/** The samples by the name of their subject, and what went wrong with others. */
interface Measured {
  samples: Map<string, Sample[]>;
  failures: string[];
}

async function measureAll(runs: readonly Subject[], output: JobOutput): Promise<Measured> {
  const failures: string[] = [];
  const samples = new Map<string, Sample[]>();
  const startedMs = performance.now();
  for (const [done, subject] of runs.entries()) {
    const name = nameOf(subject);
    const elapsedS = ((performance.now() - startedMs) / 1_000).toFixed(0);
    output.progress(`[${done + 1}/${runs.length}, ${elapsedS} s] ${name}`);
    try {
      samples.set(name, [...(samples.get(name) ?? []), await measureInProcess(subject)]);
    } catch (error) {
      failures.push(String(error));
    }
  }
  output.progress(`${runs.length} runs in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
  return { samples, failures };
}
