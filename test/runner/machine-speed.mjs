#!/usr/bin/env node
// Measures how this machine does just now: how slow it is beside the quiet one that limits were chosen on, and how busy
// with other programs.
import { spawn } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

/** What one piece of work takes on a quiet core of the machine that the limits of tests were chosen on. */
const PIECE_MS = 5;
const PIECES = 40;
const STEPS = 4_400_000;
/** A machine that is slower than this is not waited for any longer. */
const SLOWEST = 12;

/**
 * Does a fixed piece of work, which takes 0.2 s on a quiet machine.
 *
 * @returns {{ slowness: number, waiting: number, load: number, cores: number }} `slowness`: how many times as long it
 *   took as on a quiet machine, 1 to 12, because others use the processors or because they are slow; `waiting`: how
 *   many times as long as it had a processor, 1 where no other program wants one; `load`: the system's, of the last
 *   minute
 */
export function measureMachine() {
  const startMonoMs = performance.now();
  const startCpu = process.cpuUsage();
  for (let piece = 0; piece < PIECES; piece++) doPiece();
  const tookMs = performance.now() - startMonoMs;
  const { user, system } = process.cpuUsage(startCpu);
  return {
    slowness: Math.min(SLOWEST, Math.max(1, tenths(tookMs / (PIECES * PIECE_MS)))),
    waiting: Math.max(1, tenths((tookMs * 1_000) / (user + system))),
    load: tenths(loadavg()[0]),
    cores: availableParallelism(),
  };
}

/**
 * The same on all processors at once: one that another program uses shows.
 *
 * @returns {Promise<ReturnType<typeof measureMachine>>} the worst of each
 */
export async function measureAllCores() {
  const all = await Promise.all(Array.from({ length: availableParallelism() }, measureInProcess));
  const worst = (field) => Math.max(...all.map((one) => one[field]));
  return { slowness: worst("slowness"), waiting: worst("waiting"), load: worst("load"), cores: all.length };
}

function measureInProcess() {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part) => (text += part));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(JSON.parse(text)));
  });
}

/** Integer arithmetic without memory: neither a cache nor the collector has a say. */
function doPiece() {
  let state = 1;
  for (let step = 0; step < STEPS; step++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  return state;
}

function tenths(value) {
  return Math.round(value * 10) / 10;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const measured = process.argv.includes("--all-cores") ? await measureAllCores() : measureMachine();
  console.log(JSON.stringify(measured));
}
