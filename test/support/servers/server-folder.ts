import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pidsIn, signalOne } from "./processes-in.mjs";

const ENDER = join(import.meta.dirname, "end-with-test.mjs");
/** The account `nobody`, which runs the servers if we are root: Postgres refuses root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
/** While processes are signalled, they may start others. */
const MOST_PASSES = 5;

export interface ServerCommand {
  file: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/**
 * A folder in which servers run, each in a folder of its own. All that works in it ends with `stop`, or with the test
 * process, even if that is killed.
 */
export class ServerFolder {
  private readonly ender: ChildProcess;

  private constructor(readonly path: string) {
    this.ender = fork(ENDER, [path], { stdio: ["ignore", "ignore", "ignore", "ipc"], execArgv: [] });
    this.ender.unref();
    this.ender.channel?.unref();
  }

  static make(name: string): ServerFolder {
    const parent = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
    const folder = new ServerFolder(realpathSync(mkdtempSync(join(parent, `tickwheel-${name}-`))));
    chmodSync(folder.path, 0o755);
    return folder;
  }

  /** Makes a folder for one server, which the server's account owns. */
  serverFolder(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { mode: 0o700 });
    this.give(path);
    return path;
  }

  /** Writes a file into a server's folder. */
  write(server: string, name: string, text: string): string {
    const path = join(this.path, server, name);
    writeFileSync(path, text, { mode: 0o600 });
    this.give(path);
    return path;
  }

  /** Starts a program in a server's folder; its output goes into `log` there. */
  async run(server: string, { file, args, env }: ServerCommand): Promise<void> {
    const cwd = join(this.path, server);
    const log = openSync(join(cwd, "log"), "a", 0o600);
    const account = process.getuid?.() === 0 ? NOBODY : {};
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", log, log], ...account });
    closeSync(log);
    await once(child, "spawn");
    child.unref();
  }

  /** What a server has written, its last lines. */
  logTail(server: string, lines = 30): string {
    const path = join(this.path, server, "log");
    return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n").slice(-lines).join("\n") : "";
  }

  /** Whether a process works in a server's folder. */
  isRunning(server: string): boolean {
    return pidsIn(join(this.path, server)).length > 0;
  }

  /** Signals every process of a server; all servers' if none is named. */
  signal(signal: NodeJS.Signals, server = ""): void {
    const signalled = new Set<number>();
    for (let pass = 0; pass < MOST_PASSES; pass++)
      for (const pid of pidsIn(join(this.path, server)))
        if (!signalled.has(pid)) {
          signalled.add(pid);
          signalOne(pid, signal);
        }
  }

  /** Ends everything, then removes the folder. */
  async stop(): Promise<void> {
    const ended = once(this.ender, "exit");
    this.ender.disconnect();
    await ended;
  }

  private give(path: string): void {
    if (process.getuid?.() === 0) chownSync(path, NOBODY.uid, NOBODY.gid);
  }
}
