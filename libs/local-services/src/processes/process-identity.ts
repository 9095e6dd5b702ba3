import { readFileSync, readdirSync, readlinkSync } from "node:fs";

/**
 * One process, told apart from every later process that is given the same pid: `birth` is the boot id of the kernel
 * with the process's start in clock ticks since that boot.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly birth: string;
}

/** Reads state and start from the text of `/proc/<pid>/stat`; the command's name in it may hold blanks and brackets. */
export function parseProcStat(stat: string): { state: string; startTicks: string } | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  const startTicks = fields[19];
  return state && startTicks ? { state, startTicks } : undefined;
}

/** The identity of a running process; undefined when there is none, or only a zombie that nobody has reaped yet. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = parseProcStat(readProc(`${pid}/stat`) ?? "");
  if (!stat || stat.state === "Z" || stat.state === "X") return undefined;
  return { pid, birth: `${readProc("sys/kernel/random/boot_id")?.trim()}:${stat.startTicks}` };
}

/** Whether this very process still runs: a recycled pid does not count. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.birth === identity.birth;
}

/** The calling process. */
export function ownIdentity(): ProcessIdentity {
  return identify(process.pid) ?? { pid: process.pid, birth: "unknown" };
}

/** The arguments a process was started with; empty when it is gone or changed its title. */
export function commandLine(pid: number): string[] {
  return (readProc(`${pid}/cmdline`) ?? "").split("\0").filter((argument) => argument !== "");
}

/** Pids of the processes whose working directory is `folder`. Processes that we may not inspect are left out. */
export function processesIn(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => workingDirectory(pid) === folder)
    .map(Number)
    .filter((pid) => identify(pid) !== undefined);
}

function workingDirectory(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return undefined;
  }
}
