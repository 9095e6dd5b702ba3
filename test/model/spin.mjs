// Runs Spin on the model: generates the verifier of one check, compiles it, runs it to its end, and reads what it says.
import { execFile, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { debianTool } from "@tickwheel/local-services";

const run = promisify(execFile);
const MODEL = "task.pml";
const LIVENESS = "NOTHING_LOST";
/** Far above what the model needs; a search that meets it has not seen everything, and is no proof. */
const MAX_DEPTH = 100_000;
const MAX_MEGABYTES = 12_000;
const PROGRESS_EVERY_MS = 10_000;

/**
 * @typedef {import("./checks.mjs").Check} Check
 * @typedef {{ spin: string, compiler: string[], env: Record<string, string> }} Tools `compiler`: the program and its
 *   first arguments
 * @typedef {{ verdict: "holds" | "violated" | "unfinished", violation: string | null, states: number, seconds: number,
 *   trailSteps: number, unreached: string[], folder: string | null }} Finding `folder`: where the verifier and its
 *   trail are kept, if that was wished
 */

/** @returns {Promise<Tools>} Spin, and a C compiler: the machine's, else Debian's, unpacked privately */
export async function modelTools() {
  const spin = await debianTool("spin");
  const { compiler, env } = (await machineCompiler()) ?? (await debianCompiler());
  return { spin: spin.bin("spin"), compiler, env: { ...process.env, LC_ALL: "C", ...env } };
}

async function machineCompiler() {
  for (const name of ["cc", "gcc", "clang"]) {
    const works = await run(name, ["--version"]).then(
      () => true,
      () => false,
    );
    if (works && (await canCompile(name))) return { compiler: [name], env: {} };
  }
  return null;
}

/**
 * Debian's compiler finds its own parts from where it lies; C's headers and start files, a package apart, it has to be
 * told of.
 */
async function debianCompiler() {
  const gcc = await debianTool("gcc");
  const library = await debianTool("libc6-dev");
  return { compiler: [gcc.bin("gcc"), `--sysroot=${library.root}`, "-static"], env: gcc.env };
}

/** A compiler without C's headers is none. */
async function canCompile(name) {
  const folder = mkdtempSync(join(tmpdir(), "tickwheel-compiler-"));
  try {
    const child = run(name, ["-x", "c", "-", "-o", join(folder, "out")]);
    child.child.stdin.end("#include <stdio.h>\nint main(void) { return 0; }\n");
    await child;
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {Tools} tools
 * @param {Check} check
 * @param {{ progress?: (states: number, seconds: number) => void, keeps?: (finding: Finding) => boolean }} [options]
 *   `keeps`: whether the folder is wanted afterwards
 * @returns {Promise<Finding>} rejects if the verifier cannot be made
 */
export async function runCheck(tools, check, { progress = () => {}, keeps = () => false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tickwheel-model-"));
  const startedMs = Date.now();
  const isLiveness = check.properties.join() === LIVENESS;
  await makeVerifier(tools, check, folder);
  const printed = await runVerifier(tools, { folder, isLiveness }, progress);
  const found = read(printed, folder);
  // With a budget of nought what it pays for is out of reach, and liveness adds a process of its own.
  const isWhole = !isLiveness && Object.keys(check.budgets).length === 0;
  const finding = {
    ...found,
    unreached: isWhole ? found.unreached : [],
    seconds: (Date.now() - startedMs) / 1_000,
    folder,
  };
  if (keeps(finding)) return finding;
  rmSync(folder, { recursive: true });
  return { ...finding, folder: null };
}

/** The switches of a check, as the model knows them. */
export function switchesOf({ properties, selfFencing, nodes, budgets, plants }) {
  return [
    `-DNODES=${nodes}`,
    ...(properties.length === 1 ? [`-DONLY=${properties[0]}`] : []),
    ...(selfFencing ? ["-DSELF_FENCING"] : []),
    ...(plants ? [`-D${plants}`] : []),
    ...Object.entries(budgets).map(([name, value]) => `-D${name}=${value}`),
  ];
}

async function makeVerifier({ spin, compiler, env }, check, folder) {
  copyFileSync(join(import.meta.dirname, MODEL), join(folder, MODEL));
  const options = { cwd: folder, env };
  const [program, ...first] = compiler;
  const preprocessor = `-P${[program, ...first].join(" ")} -E -x c`;
  await run(spin, [preprocessor, ...switchesOf(check), "-a", MODEL], options).catch(failed("spin -a"));
  const kind = check.properties.join() === LIVENESS ? ["-DNOFAIR"] : ["-DSAFETY"];
  await run(
    program,
    [...first, "-O1", "-w", ...kind, `-DMEMLIM=${MAX_MEGABYTES}`, "-o", "pan", "pan.c"],
    options,
  ).catch(failed("cc"));
}

function failed(step) {
  return (error) => {
    throw new Error(`${step} failed: ${error.stdout ?? ""}${error.stderr ?? error.message}`, { cause: error });
  };
}

/** @returns {Promise<string>} all that the verifier printed */
function runVerifier({ env }, { folder, isLiveness }, progress) {
  const child = spawn(join(folder, "pan"), [`-m${MAX_DEPTH}`, ...(isLiveness ? ["-a"] : [])], { cwd: folder, env });
  const startedMs = Date.now();
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  const timer = setInterval(() => {
    const states = [...printed.matchAll(/States=\s*([\d.e+]+)/g)].at(-1)?.[1] ?? 0;
    progress(Number(states), (Date.now() - startedMs) / 1_000);
  }, PROGRESS_EVERY_MS);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(printed));
  }).finally(() => clearInterval(timer));
}

function read(printed, folder) {
  const number = (pattern) => Number(pattern.exec(printed)?.[1] ?? NaN);
  const violation = /^pan:\d+: (.*)$/m.exec(printed)?.[1] ?? null;
  const isComplete = !/Search not completed|max search depth too small|out of memory/.test(printed);
  const errors = number(/errors: (\d+)/);
  const verdict = errors > 0 ? "violated" : errors === 0 && isComplete ? "holds" : "unfinished";
  const states = number(/(\d+) states, stored/);
  return {
    verdict,
    violation,
    states,
    trailSteps: verdict === "violated" ? trailSteps(folder) : 0,
    unreached: unreached(printed),
  };
}

/** A trail holds one line a step, after some with negative numbers about itself. */
function trailSteps(folder) {
  const lines = readFileSync(join(folder, `${MODEL}.trail`), "utf8").split("\n");
  return lines.filter((line) => /^\d+:/.test(line)).length;
}

/** Statements of the model that were never reached; the end of an endless loop is no statement. */
function unreached(printed) {
  const lines = [...printed.matchAll(/^\t(task\.pml:\d+, state \d+, "(.*)")$/gm)];
  return lines.filter(([, , statement]) => statement !== "-end-").map(([, line]) => line);
}
