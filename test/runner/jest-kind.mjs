// Runs the tests of one kind in a Jest process of its own and counts them.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { testTimeoutSeconds } from "../../jest.config.mjs";
import { resultsFolder } from "./totals.mjs";

const root = join(import.meta.dirname, "../..");

/** Kinds that start servers, processes or a browser of their own: one file at a time. */
const inBand = new Set(["e2e", "faults", "abuse", "ci", "browser"]);

/** Once Jest has written its report it has this long to end; what keeps it alive then is a leak. */
const exitGraceMs = 20_000;

/** One kind never takes longer than this, whatever its tests do. */
const kindLimitMs = 20 * 60_000;

/**
 * @param {string} kind a project of jest.config.mjs
 * @param {string[]} jestArguments handed to Jest as they are
 * @returns {Promise<{ kind: string, files: number, passed: number, failed: number, skipped: number, ms: number, faults: string[] }>}
 */
export async function runKind(kind, jestArguments) {
  const report = join(resultsFolder, `${kind}.json`);
  mkdirSync(resultsFolder, { recursive: true });
  rmSync(report, { force: true });
  const startedMs = Date.now();
  const end = await runJest(report, [
    ...["--selectProjects", kind, "--passWithNoTests", "--json", "--outputFile", report],
    ...["--testTimeout", String(testTimeoutSeconds[kind] * 1_000)],
    ...(inBand.has(kind) ? ["--runInBand"] : []),
    ...jestArguments,
  ]);
  return { ...judge(kind, report, end), ms: Date.now() - startedMs };
}

/** Jest's exit code, or the reason why it had to be ended. */
function runJest(report, jestArguments) {
  const jest = join(root, "node_modules/jest/bin/jest.js");
  const flags = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"];
  const child = spawn(process.execPath, [...flags, jest, "-c", join(root, "jest.config.mjs"), ...jestArguments], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return new Promise((resolve) => {
    const endedBy = watch(child, report);
    child.on("error", (cause) => resolve({ code: 1, reason: cause.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, reason: endedBy() }));
  });
}

/** Passes signals on, and ends a Jest that hangs; tells afterwards whether it had to. */
function watch(child, report) {
  const startedMs = Date.now();
  let reason;
  let reportedMs;
  const end = (why) => {
    reason ??= why;
    child.kill("SIGKILL");
  };
  const forward = (signal) => {
    reason ??= `stopped by ${signal}`;
    child.kill(signal);
  };
  const timer = setInterval(() => {
    if (existsSync(report)) reportedMs ??= Date.now();
    if (Date.now() - startedMs > kindLimitMs) end(`did not end in ${kindLimitMs / 60_000} minutes`);
    if (Date.now() - (reportedMs ?? Infinity) > exitGraceMs) end("the tests ended, but something of theirs still runs");
  }, 500);
  const signals = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.on(signal, forward);
  child.on("close", () => {
    clearInterval(timer);
    for (const signal of signals) process.off(signal, forward);
  });
  return () => reason;
}

/** Reads Jest's report. A file that could not run, or a run without a report, counts as one failure. */
function judge(kind, report, { code, reason }) {
  const faults = reason ? [reason] : [];
  if (!existsSync(report)) {
    return { kind, files: 0, passed: 0, failed: 1, skipped: 0, faults: [...faults, "Jest left no report"] };
  }
  const json = JSON.parse(readFileSync(report, "utf8"));
  const counts = {
    files: json.numTotalTestSuites,
    passed: json.numPassedTests,
    failed: json.numFailedTests + json.numRuntimeErrorTestSuites,
    skipped: json.numPendingTests + json.numTodoTests,
  };
  if (counts.files > 0 && counts.passed + counts.failed === 0) faults.push("has files but ran nothing");
  if (code !== 0 && counts.failed === 0 && !reason) faults.push(`Jest ended with code ${code}`);
  if (faults.length > 0) counts.failed = Math.max(counts.failed, 1);
  return { kind, ...counts, faults };
}
