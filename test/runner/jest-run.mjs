// Runs kinds of tests in one Jest process and counts them kind by kind.
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { kindOf, testTimeoutSeconds } from "../../jest.config.mjs";
import { flakyLine, hasFailed, secondTries } from "./second-try.mjs";
import { resultsByFile, writeSuites } from "./suites.mjs";
import { endServers, makeServersFolder } from "./test-servers.mjs";
import { resultsFolder } from "./totals.mjs";

const root = join(import.meta.dirname, "../..");

/** Once Jest has written its report it has this long to end; what keeps it alive then is a leak. */
const EXIT_GRACE_MS = 20_000;

/** One run never takes longer than this on a quiet machine, whatever its tests do. */
const RUN_LIMIT_MS = 40 * 60_000;

/** Proofs that run as a whole may take hours. */
const WHOLE_STRETCH = 12;

/**
 * @typedef {{ kind: string, files: number, passed: number, failed: number, skipped: number, faults: string[], slowest:
 *   { file: string, ms: number }[] }} Total
 * @param {string[]} kinds those of the files
 * @param {{ workers: number, jestArguments: string[], slowness: number, isWhole: boolean, files: string[], inSuites:
 *   boolean }} options
 *   `workers`: how many files run at once; the arguments are handed to Jest as they are; `slowness` stretches all
 *   limits; `isWhole`: proofs of which a sample is run otherwise are run as a whole; `files`: only these, as paths from
 *   the root; `inSuites`: files of a package that need no process of their own run as one
 * @returns {Promise<{ totals: Total[], flaky: string[] }>} a total for each kind, and a line for each file that failed
 *   and then passed alone
 */
export async function runKinds(kinds, options) {
  if (options.files.length === 0) return { totals: kinds.map(emptyTotal), flaky: [] };
  const servers = makeServersFolder();
  try {
    return await runTwice(kinds, { ...options, servers });
  } finally {
    await endServers(servers);
  }
}

async function runTwice(kinds, options) {
  const { suites, alone } = options.inSuites ? writeSuites(options.files) : { suites: {}, alone: options.files };
  const files = [...Object.keys(suites), ...alone];
  const first = await runOnce(kinds, { ...options, files, name: kinds.join("-") });
  const results = resultsByFile(first.report?.testResults ?? [], suites);
  const flaky = [];
  for (const file of options.jestArguments.length > 0 ? [] : secondTries(results, pathOf)) {
    console.log(`\n── once more, alone: ${pathOf(file.name)}`);
    const again = await runOnce(kinds, { ...options, name: "second-try", workers: 1, files: [pathOf(file.name)] });
    const [result] = again.report?.testResults ?? [];
    if (!result || again.end.reason || hasFailed(result)) continue;
    flaky.push(flakyLine(file, pathOf(file.name)));
    results[results.indexOf(file)] = result;
  }
  return { totals: judge(kinds, { ...first, results }, { hasFlaky: flaky.length > 0 }), flaky };
}

/**
 * @param {string[]} changed paths from the root
 * @returns {Promise<string[]>} the spec files that import one of them, over whatever steps, as paths from the root
 */
export async function relatedFiles(changed) {
  if (changed.length === 0) return [];
  const jest = [join(root, "node_modules/jest/bin/jest.js"), "-c", join(root, "jest.config.mjs")];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...NODE_FLAGS, ...jest, "--listTests", "--findRelatedTests", ...changed],
    { cwd: root, maxBuffer: 64 * 1_048_576 },
  );
  return stdout.split("\n").filter(Boolean).map(pathOf);
}

/** Runs Jest, and reads its report; null: it left none. */
async function runOnce(kinds, { name, workers, jestArguments, slowness, isWhole, files, servers }) {
  const report = join(resultsFolder, `${name}.json`);
  mkdirSync(resultsFolder, { recursive: true });
  rmSync(report, { force: true });
  const stretch = slowness * (isWhole ? WHOLE_STRETCH : 1);
  const timeoutMs = Math.max(...kinds.map((kind) => testTimeoutSeconds[kind])) * 1_000 * stretch;
  const end = await runJest(
    { report, limitMs: RUN_LIMIT_MS * stretch, env: environmentOf({ slowness, isWhole, servers }) },
    [
      "--passWithNoTests",
      "--json",
      "--outputFile",
      report,
      "--testTimeout",
      String(Math.round(timeoutMs)),
      "--testSequencer",
      join(import.meta.dirname, "longest-first.mjs"),
      // Jest refuses both.
      ...(jestArguments.includes("--runInBand") ? [] : ["--maxWorkers", String(workers)]),
      ...jestArguments,
      "--runTestsByPath",
      ...files,
    ],
  );
  return { end, report: existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : null };
}

function pathOf(name) {
  return relative(root, name);
}

/** What tests read of it: `test/support/{eventually,depth,servers/test-postgres}.ts`. */
function environmentOf({ slowness, isWhole, servers }) {
  return {
    ...process.env,
    TICKWHEEL_TEST_SLOWNESS: String(slowness),
    TICKWHEEL_TEST_DEPTH: isWhole ? "whole" : "sample",
    TICKWHEEL_TEST_SERVERS: servers,
  };
}

/**
 * The flags of Jest and its workers. Modules and simulated clusters leave much behind: a larger young generation halves
 * the time of the collector.
 */
const NODE_FLAGS = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=64"];

/** Jest's exit code, or the reason why it had to be ended. */
function runJest({ report, limitMs, env }, jestArguments) {
  const jest = join(root, "node_modules/jest/bin/jest.js");
  const child = spawn(process.execPath, [...NODE_FLAGS, jest, "-c", join(root, "jest.config.mjs"), ...jestArguments], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env,
  });
  return new Promise((resolve) => {
    const endedBy = watch(child, { report, limitMs });
    child.on("error", (cause) => resolve({ code: 1, reason: cause.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, reason: endedBy() }));
  });
}

/** Passes signals on, and ends a Jest that hangs; tells afterwards whether it had to. */
function watch(child, { report, limitMs }) {
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
    if (Date.now() - startedMs > limitMs) end(`did not end in ${Math.round(limitMs / 60_000)} minutes`);
    if (Date.now() - (reportedMs ?? Infinity) > EXIT_GRACE_MS)
      end("the tests ended, but something of theirs still runs");
  }, 500);
  const signals = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.on(signal, forward);
  child.on("close", () => {
    clearInterval(timer);
    for (const signal of signals) process.off(signal, forward);
  });
  return () => reason;
}

/** A file that could not run, or a run without a report, counts as one failure. */
function judge(kinds, { report, results, end: { code, reason } }, { hasFlaky }) {
  const faults = reason ? [reason] : [];
  if (!report) return withFaults(kinds.map(emptyTotal), [...faults, "Jest left no report"]);
  const totals = kinds.map((kind) => totalOf(kind, results));
  const isExplained = reason || hasFlaky || totals.some(({ failed }) => failed > 0);
  if (code !== 0 && !isExplained) faults.push(`Jest ended with code ${code}`);
  return withFaults(totals, faults);
}

function emptyTotal(kind) {
  return { kind, files: 0, passed: 0, failed: 0, skipped: 0, faults: [], slowest: [] };
}

/** What befell the run as a whole is told once, with the first kind, as a failure at least. */
function withFaults([first, ...rest], faults) {
  if (faults.length === 0) return [first, ...rest];
  return [{ ...first, failed: Math.max(first.failed, 1), faults: [...first.faults, ...faults] }, ...rest];
}

function totalOf(kind, testResults) {
  const files = testResults.filter(({ name }) => kindOf(pathOf(name)) === kind);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const count = (...states) => tests.filter(({ status }) => states.includes(status)).length;
  const isFailed = ({ status }) => status === "failed";
  // It could not be loaded, or an `afterAll` threw.
  const broken = files.filter((file) => isFailed(file) && !file.assertionResults.some(isFailed));
  const total = {
    ...emptyTotal(kind),
    files: files.length,
    passed: count("passed"),
    failed: count("failed") + broken.length,
    skipped: count("pending", "skipped", "disabled", "todo"),
    slowest: files.map(({ name, startTime, endTime }) => ({ file: pathOf(name), ms: endTime - startTime })),
  };
  const ranNothing = total.files > 0 && total.passed + total.failed === 0;
  return ranNothing ? withFaults([total], ["has files but ran nothing"])[0] : total;
}
