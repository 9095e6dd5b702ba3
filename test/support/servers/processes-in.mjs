// Finds and signals the processes that work in a folder. Plain JavaScript, so that the process that outlives a killed
// test has it too.
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/**
 * The processes that work in a folder or below it: Patroni's Postgres works in its data directory.
 *
 * @param {string} folder
 * @returns {number[]}
 */
export function pidsIn(folder) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && workingFolder(name).startsWith(join(folder, "/")))
    .map(Number);
}

/**
 * Does nothing to a process that has just ended.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function signalOne(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

function workingFolder(pid) {
  try {
    return join(readlinkSync(`/proc/${pid}/cwd`), "/");
  } catch {
    return "";
  }
}
