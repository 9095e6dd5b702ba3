import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { commandLine, identify, type ProcessIdentity } from "./process-identity.js";

/** What a running Postgres writes about itself into its data directory. */
export interface PostmasterPid {
  readonly pid: number;
  readonly dataDirectory: string;
  /** 0 while the server has not chosen one yet. */
  readonly port: number;
  readonly isReady: boolean;
}

/**
 * Parses `postmaster.pid`: a line each for pid, directory, start, port, socket directory, address, memory key and
 * status.
 */
export function parsePostmasterPid(text: string): PostmasterPid | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, dataDirectory: lines[1] ?? "", port: Number(lines[3] ?? 0), isReady: lines[7] === "ready" };
}

export function readPostmasterPid(dataDirectory: string): PostmasterPid | undefined {
  try {
    return parsePostmasterPid(readFileSync(join(dataDirectory, "postmaster.pid"), "utf8"));
  } catch {
    return undefined;
  }
}

/** Whether these arguments are those of a Postgres server of this data directory, as we start it. */
export function isPostmasterOf(dataDirectory: string, args: string[]): boolean {
  return basename(args[0] ?? "") === "postgres" && args[args.indexOf("-D") + 1] === dataDirectory;
}

/** The running server of a data directory. A pid that has meanwhile been given to another program is not believed. */
export function findPostmaster(dataDirectory: string): (PostmasterPid & { identity: ProcessIdentity }) | undefined {
  const found = readPostmasterPid(dataDirectory);
  const identity = found && identify(found.pid);
  if (!found || !identity || !isPostmasterOf(dataDirectory, commandLine(found.pid))) return undefined;
  return { ...found, identity };
}
