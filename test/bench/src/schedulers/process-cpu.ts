import { readdirSync, readFileSync } from "node:fs";

/** What Linux tells user space in: `sysconf(_SC_CLK_TCK)`, 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

/** One process as `/proc/<pid>/stat` shows it. */
export interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** User and system time of the process itself, all threads, in ticks. */
  readonly ownTicks: number;
  /** That of its children that ended and were waited for. */
  readonly endedTicks: number;
}

/** Reads the text of a `stat` file; the command's name in it may hold blanks and brackets. */
export function parseTimes(stat: string): ProcessTimes {
  const rest = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [utime, stime, cutime, cstime] = rest.slice(11, 15).map(Number) as [number, number, number, number];
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(rest[1]),
    ownTicks: utime + stime,
    endedTicks: cutime + cstime,
  };
}

/**
 * CPU seconds of processes with all that they started: what runs, and what ended and was waited for. Those that are
 * gone count 0.
 */
export function cpuSecondsOf(roots: readonly number[], processes: readonly ProcessTimes[] = allProcesses()): number {
  const family = new Set(roots);
  for (let grown = true; grown;) {
    const more = processes.filter(({ pid, parent }) => family.has(parent) && !family.has(pid));
    for (const { pid } of more) family.add(pid);
    grown = more.length > 0;
  }
  const ticks = processes
    .filter(({ pid }) => family.has(pid))
    .reduce((sum, { ownTicks, endedTicks }) => sum + ownTicks + endedTicks, 0);
  return ticks / TICKS_PER_SECOND;
}

function allProcesses(): ProcessTimes[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [parseTimes(readFileSync(`/proc/${name}/stat`, "utf8"))];
      } catch {
        return []; // It ended while we looked.
      }
    });
}
