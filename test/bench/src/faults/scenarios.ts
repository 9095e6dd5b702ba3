import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { readTimes, type ToldTime } from "./times.js";

export const REPOSITORY = join(import.meta.dirname, "../../../..");
const RUNNER = join(REPOSITORY, "test/runner/run-tests.mjs");

/** Kinds of tests whose scenarios may report times. */
const KINDS = ["integration", "e2e", "faults", "abuse", "ci"];

/** The spec files that tell times, as paths from the root. @param only a part of the path; undefined: all */
export function scenarioFiles(only?: string): string[] {
  return KINDS.flatMap((kind) => specsIn(join(REPOSITORY, "test", kind)))
    .filter((path) => readFileSync(path, "utf8").includes("tellTimes("))
    .map((path) => relative(REPOSITORY, path))
    .filter((path) => path.includes(only ?? ""));
}

function specsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".spec.ts"))
    .map((name) => join(folder, name));
}

/** The result of one run of scenarios. */
export interface ScenarioRun {
  readonly times: readonly ToldTime[];
  /** Nothing was lost, doubled, early, wrong or hung. */
  readonly passed: boolean;
}

/**
 * Runs spec files one after the other, each with servers and processes of its own. What they print goes to standard
 * error.
 */
export async function runScenarios(files: readonly string[]): Promise<ScenarioRun> {
  const folder = mkdtempSync(join(tmpdir(), "tickwheel-times-"));
  const file = join(folder, "times.jsonl");
  writeFileSync(file, "");
  try {
    const child = spawn(process.execPath, [RUNNER, ...KINDS, "--", "--runInBand", "--runTestsByPath", ...files], {
      cwd: REPOSITORY,
      env: { ...process.env, TICKWHEEL_TIMES_FILE: file },
      stdio: ["ignore", 2, 2],
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    return { times: readTimes(readFileSync(file, "utf8")), passed: code === 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
