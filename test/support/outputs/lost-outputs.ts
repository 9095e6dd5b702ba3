import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Outputs for processes of tests, as file descriptors: the test that takes one closes it.

/** Each write fails with ENOSPC. */
export function fullDisk(): number {
  return openSync("/dev/full", "w");
}

/** Its reader has gone: each write fails with EPIPE. */
export function brokenPipe(): number {
  const { readEnd, writeEnd } = pipe();
  closeSync(readEnd);
  return writeEnd;
}

/** Reads a log, like a collector, until it is killed. */
export class LogReader {
  private constructor(
    private readonly child: ChildProcess,
    /** For the process that writes the log. */
    readonly writeEnd: number,
  ) {}

  static start(): LogReader {
    const { readEnd, writeEnd } = pipe();
    const child = spawn("cat", { stdio: [readEnd, "ignore", "ignore"] });
    closeSync(readEnd);
    return new LogReader(child, writeEnd);
  }

  /** SIGKILL, then waits for the end. */
  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await once(this.child, "exit");
  }
}

/** A real pipe: those that Node gives to its children are sockets. */
function pipe(): { readEnd: number; writeEnd: number } {
  const folder = mkdtempSync(join(tmpdir(), "tickwheel-pipe-"));
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  // Opened for both, it waits for nobody, and the two after it do not either.
  const both = openSync(path, "r+");
  const ends = { readEnd: openSync(path, "r"), writeEnd: openSync(path, "w") };
  closeSync(both);
  rmSync(folder, { recursive: true });
  return ends;
}
