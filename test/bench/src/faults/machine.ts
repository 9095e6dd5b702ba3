import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The speed of this machine at the moment, as `test/runner/machine-speed.mjs` measures it on all cores at once. */
export interface Machine {
  readonly slowness: number;
  readonly waiting: number;
  readonly load: number;
  readonly cores: number;
}

const SCRIPT = join(import.meta.dirname, "../../../runner/machine-speed.mjs");

/** Beside a program that always wants a processor, ours waits for half of its own time, or more. */
const MOST_WAITING = 1.2;

export function measureMachine(): Machine {
  return JSON.parse(execFileSync(process.execPath, [SCRIPT, "--all-cores"], { encoding: "utf8" })) as Machine;
}

/** Why times of this machine prove nothing; null: it is quiet. */
export function busyReason({ waiting, load, cores }: Machine): string | null {
  if (waiting <= MOST_WAITING) return null;
  return `other programs use its processors (work takes ${waiting} times as long as it has one; load ${load} on ${cores} cores)`;
}
