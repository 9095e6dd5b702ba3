import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Origin } from "../origin.js";
import type { Job } from "./job.js";
import type { JobOption, SchedulerOptions } from "./options.js";
import { drawCurve, drawLateness, drawThroughput } from "./plot.js";
import type { JsonReport } from "./result.js";

/** What `docs/benchmarks/<name>.json` holds: a report, and where it comes from. */
export interface SavedReport extends JsonReport {
  readonly command: string;
  /** The date of the run, as `2026-11-22`. */
  readonly date: string;
  readonly machine: string;
  /** What the job's own options were. */
  readonly options: Partial<Record<JobOption, number>>;
}

/** `docs/benchmarks`, from `src/schedulers` or `dist/schedulers`. */
export const BENCHMARKS_FOLDER = join(import.meta.dirname, "../../../../docs/benchmarks");

/**
 * The name of a run's files: the job, who holds a snapshot, those of its own options that are not its defaults, and
 * Postgres where it is not 18.
 */
export function fileNameOf({ name, defaults }: Pick<Job, "name" | "defaults">, options: SchedulerOptions): string {
  const holder = options.holder === null ? "" : `-${options.holder}`;
  const changed = optionsOf(defaults, options).filter(([option, value]) => value !== defaults[option]);
  const parts = changed.map(([option, value]) => `-${option}-${value}`);
  return `${name}${holder}${parts.join("")}${options.postgres === 18 ? "" : `-postgres-${options.postgres}`}`;
}

/** A report as it is saved. */
export function savedReport(report: JsonReport, { defaults }: Pick<Job, "defaults">, run: SavedRun): SavedReport {
  const { command, date, machine } = run.origin;
  const options = Object.fromEntries(optionsOf(defaults, run.options));
  return { command, date: date.toISOString().slice(0, 10), machine, options, ...report };
}

/** How a report came about. */
export interface SavedRun {
  readonly options: SchedulerOptions;
  readonly origin: Origin;
}

/** Writes what `--save` and `--plot` ask for. @returns the paths */
export function writeFiles(report: JsonReport, job: Job, run: SavedRun): string[] {
  const name = fileNameOf(job, run.options);
  const files: [string, string | null][] = [];
  if (run.options.saves) files.push([`${name}.json`, `${JSON.stringify(savedReport(report, job, run), null, 2)}\n`]);
  if (run.options.plots) {
    files.push([`${name}-throughput.svg`, drawThroughput(report, run.origin)]);
    files.push([`${name}-lateness.svg`, drawLateness(report, run.origin)]);
    files.push([`${name}-curve.svg`, drawCurve(report, run.origin)]);
  }
  mkdirSync(BENCHMARKS_FOLDER, { recursive: true });
  return files.flatMap(([file, content]) => {
    if (content === null) return [];
    writeFileSync(join(BENCHMARKS_FOLDER, file), content);
    return [join(BENCHMARKS_FOLDER, file)];
  });
}

function optionsOf(defaults: Job["defaults"], options: SchedulerOptions): [JobOption, number][] {
  return (Object.keys(defaults) as JobOption[]).map((option) => [option, options[option]]);
}
