import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { poll } from "./poll-until.js";
import { LocalServiceError } from "./local-service-error.js";
import { identify, isRunning, type ProcessIdentity } from "./process-identity.js";
import type { ServerUser } from "./server-user.js";

export interface ServerCommand {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Receives stdout and stderr, appended. */
  logFile: string;
  /** Sent, without waiting, when this process exits before it has stopped the server. */
  exitSignal: NodeJS.Signals;
  user?: ServerUser;
}

/**
 * A server of ours: spawned by this process, or by one that has died and left it behind (adopted).
 *
 * It has a session of its own, so Ctrl-C in a terminal does not reach it before its clients have drained, and it does
 * not keep this process alive. Signals go to the process that was meant, never to a later one with the same pid.
 */
export class ServerProcess {
  private constructor(readonly identity: ProcessIdentity) {}

  static async spawn(command: ServerCommand): Promise<ServerProcess> {
    const log = openSync(command.logFile, "a", 0o600);
    const child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: ["ignore", log, log],
      ...(command.user && { uid: command.user.uid, gid: command.user.gid }),
    });
    closeSync(log);
    await spawned(child, command);
    child.unref();
    const pid = child.pid!;
    const server = new ServerProcess(identify(pid) ?? { pid, birth: "gone" });
    signalAtExit(server, command.exitSignal);
    child.once("exit", () => leftAtExit.delete(server));
    return server;
  }

  /** Takes over a server that this process did not spawn. */
  static adopt(identity: ProcessIdentity, exitSignal: NodeJS.Signals): ServerProcess {
    const server = new ServerProcess(identity);
    signalAtExit(server, exitSignal);
    return server;
  }

  isRunning(): boolean {
    return isRunning(this.identity);
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning()) process.kill(this.identity.pid, signal);
  }

  /** Sends the signals in turn, each with its patience, until the process is gone. */
  async stop(steps: { signal: NodeJS.Signals; limitMs: number }[]): Promise<void> {
    for (const { signal, limitMs } of steps) {
      this.signal(signal);
      if (await poll(() => (this.isRunning() ? undefined : true), { limitMs })) break;
    }
    leftAtExit.delete(this);
  }
}

async function spawned(child: ChildProcess, { file, user }: ServerCommand): Promise<void> {
  try {
    await once(child, "spawn");
  } catch (cause) {
    const account = user ? ` as ${user.name}` : "";
    throw new LocalServiceError("NOT_RUNNABLE", `${file} cannot be run${account}: ${String(cause)}`, { cause });
  }
}

const leftAtExit = new Map<ServerProcess, NodeJS.Signals>();

function signalAtExit(server: ServerProcess, signal: NodeJS.Signals): void {
  if (leftAtExit.size === 0) {
    process.off("exit", signalAll);
    process.once("exit", signalAll);
  }
  leftAtExit.set(server, signal);
}

function signalAll(): void {
  for (const [server, signal] of leftAtExit) server.signal(signal);
}
