import type { JobOutput } from "../job-output.js";
import { originOf } from "../origin.js";
import { writeFiles } from "./benchmark-files.js";
import { Programs, type Subject, subjectsOf } from "./contestants/contestants.js";
import type { Job } from "./job.js";
import type { SchedulerOptions } from "./options.js";
import { faultsOf, ratiosOf, resultOf } from "./result.js";
import type { Sample } from "./sample.js";
import type { ServerFacts } from "./servers.js";
import { Stage } from "./stage.js";
import { textReport } from "./text-report.js";

interface MeasuredOnce {
  readonly samples: readonly Sample[];
  readonly facts: ServerFacts;
}

/** The samples by the place of their subject, and what went wrong with others. */
interface Measured {
  readonly samples: Map<Subject, Sample[]>;
  readonly failures: string[];
  readonly facts: ServerFacts;
}

/** How a job was called. */
interface JobCall {
  readonly options: SchedulerOptions;
  /** The command line, for what is saved. */
  readonly argv: readonly string[];
}

/**
 * Measures all contestants in turn, the first repetition of all, then the second, so that a spell of a busy machine
 * does not fall on one of them; prints the report.
 * @throws Error if a task was lost, early or doubled, or if a repetition failed; the report of the others is printed
 *   before
 */
export async function runJob(job: Job, { options, argv }: JobCall, output: JobOutput): Promise<void> {
  const programs = Programs.prepare(options.peers, (text) => output.progress(text));
  const subjects = subjectsOf(options.peers, options.settings, job.ownSettings);
  const runs = Array.from({ length: job.repeatsOnStage ? 1 : options.reps }, () => subjects).flat();
  const measure = (subject: Subject): Promise<MeasuredOnce> => measureOnce({ job, subject }, options, programs);
  const { samples, failures, facts } = await measureAll(runs, measure, output);
  const results = subjects.flatMap((subject) => {
    const reps = samples.get(subject) ?? [];
    return reps.length > 0 ? [resultOf(subject, reps)] : [];
  });
  const report = { job: job.name, node: programs.nodeVersion, ...facts, results, ratios: ratiosOf(results) };
  output.print(textReport(report));
  for (const file of writeFiles(report, job, { options, origin: originOf(argv, report.node) }))
    output.print(`wrote ${file}`);
  const faults = [...failures, ...faultsOf(results)];
  for (const fault of faults) output.progress(fault);
  if (options.printsJson) output.print(JSON.stringify(report));
  if (faults.length > 0) throw new Error(`${faults.length} faults, see above`);
}

async function measureAll(
  runs: readonly Subject[],
  measure: (subject: Subject) => Promise<MeasuredOnce>,
  output: JobOutput,
): Promise<Measured> {
  const samples = new Map<Subject, Sample[]>();
  const failures: string[] = [];
  let facts: ServerFacts = { postgres: "", redis: "" };
  const startedMs = performance.now();
  for (const [done, subject] of runs.entries()) {
    const elapsedS = ((performance.now() - startedMs) / 1_000).toFixed(0);
    output.progress(`[${done + 1}/${runs.length}, ${elapsedS} s] ${subject.peer} (${subject.settings})`);
    try {
      const measured = await measure(subject);
      facts = measured.facts;
      samples.set(subject, [...(samples.get(subject) ?? []), ...measured.samples]);
    } catch (error) {
      failures.push(`${subject.peer} (${subject.settings}): ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  output.progress(`${runs.length} runs in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
  return { samples, failures, facts };
}

async function measureOnce(
  { job, subject }: { job: Job; subject: Subject },
  options: SchedulerOptions,
  programs: Programs,
): Promise<MeasuredOnce> {
  const stage = await Stage.set(subject, options, programs);
  try {
    const facts = await stage.servers.facts();
    return { samples: [await job.measure(stage, options)].flat(), facts };
  } finally {
    await stage.strike();
  }
}
