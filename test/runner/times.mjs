// How long each spec file takes on a quiet machine with two processors: `times.json`, written by `npm run test:times`.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kindOf } from "../../jest.config.mjs";

const timesFile = join(import.meta.dirname, "times.json");

/** A file takes so many seconds at most; `long`: one that starts processes or a browser. */
export const MOST_SECONDS = { short: 20, long: 40 };
const SHORT_KINDS = new Set(["unit", "property", "architecture", "conformance", "integration"]);
/**
 * What each kind may use of the budget of `.ci/run`, in seconds of its three files at once. A kind whose files take
 * more than three times that runs too seldom.
 */
const SHARES = { conformance: 60, integration: 220, e2e: 50, faults: 100, abuse: 40, ci: 80, browser: 40 };
const ROUNDS = 3;
const WORKERS = 3;

/** @returns {Record<string, number>} seconds by path */
export function recordedTimes() {
  return existsSync(timesFile) ? JSON.parse(readFileSync(timesFile, "utf8")) : {};
}

/**
 * Writes down how long files took, beside what is known of the others.
 *
 * @param {Record<string, number>} measured seconds by path
 * @param {readonly string[]} files those that there are: others are forgotten
 */
export function writeTimes(measured, files) {
  const known = { ...recordedTimes(), ...measured };
  const kept = files.filter((file) => known[file] !== undefined).map((file) => [file, tenths(known[file])]);
  writeFileSync(timesFile, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
}

/**
 * What has grown too long, by name.
 *
 * @param {readonly string[]} files
 * @param {Record<string, number>} times
 * @returns {string[]} one sentence each; empty: everything fits
 */
export function overgrown(files, times) {
  const faults = [];
  for (const file of files) {
    const kind = kindOf(file);
    const most = SHORT_KINDS.has(kind) ? MOST_SECONDS.short : MOST_SECONDS.long;
    if (times[file] > most)
      faults.push(`${file} takes ${times[file]} s, ${most} s at most: split it, or let it wait less`);
    if (times[file] === undefined && SHARES[kind] !== undefined)
      faults.push(`${file} has no time: npm run test:times -- ${file}`);
  }
  for (const [kind, share] of Object.entries(SHARES)) {
    const seconds = files.filter((file) => kindOf(file) === kind).reduce((sum, file) => sum + (times[file] ?? 0), 0);
    const most = share * WORKERS * ROUNDS;
    if (seconds > most) faults.push(`the files of ${kind} take ${tenths(seconds)} s together, ${most} s at most`);
  }
  return faults;
}

function tenths(seconds) {
  return Math.round(seconds * 10) / 10;
}
