import { rmSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../processes/poll-until.js";
import { freePort } from "../processes/free-port.js";
import { LocalServiceError } from "../processes/local-service-error.js";
import { logSizeBytes, tailOf } from "../processes/log-file.js";
import type { PostgresBinaries } from "./postgres-binaries.js";
import type { PostgresData } from "./postgres-data.js";
import { readPostmasterPid } from "../processes/postmaster-pid.js";
import { processesIn } from "../processes/process-identity.js";
import { ServerProcess } from "../processes/server-process.js";

/** Settings of `postgresql.conf` by name. */
export type PostgresSettings = Readonly<Record<string, string | number | boolean>>;

export interface PostgresLaunch {
  binaries: PostgresBinaries;
  data: PostgresData;
  settings: PostgresSettings;
}

const DEFAULT_SETTINGS: PostgresSettings = {
  max_connections: 200,
  timezone: "UTC",
  log_timezone: "UTC",
  unix_socket_directories: "",
};
const PORT_ATTEMPTS = 5;
/** Recovery after a kill replays the log, which may take long on a slow disk. */
const READY_LIMIT_MS = 120_000;
const ORPHANS_LIMIT_MS = 15_000;

/** What tells another Postgres message apart from "this port is taken". */
const PORT_TAKEN = /could not bind|Address already in use/;
/** Backends of a killed server may outlive it for a moment and still hold its memory. */
const MEMORY_IN_USE = /shared memory block|is the ID of an? .* shared memory/;

/** Starts the server on `port`, or on a free port, and waits until it answers. */
export async function launchPostgres(
  launch: PostgresLaunch,
  port?: number,
): Promise<{ server: ServerProcess; port: number }> {
  await clearRemains(launch.data.dataDirectory);
  for (let attempt = 1; ; attempt++) {
    const tried = port ?? (await freePort());
    const outcome = await launchOnce(launch, tried);
    if (outcome instanceof ServerProcess) return { server: outcome, port: tried };
    const isRetried = MEMORY_IN_USE.test(outcome) || (PORT_TAKEN.test(outcome) && port === undefined);
    if (!isRetried || attempt === PORT_ATTEMPTS) throw startError(outcome, launch.data, tried);
    await clearRemains(launch.data.dataDirectory);
  }
}

/** @returns the server, or its log when it ended before it was ready */
async function launchOnce({ binaries, data, settings }: PostgresLaunch, port: number): Promise<ServerProcess | string> {
  const fromByte = logSizeBytes(data.logFile);
  const server = await ServerProcess.spawn({
    file: binaries.postgres,
    args: ["-D", data.dataDirectory, ...settingArguments({ ...DEFAULT_SETTINGS, ...settings, ...addressOf(port) })],
    cwd: data.dataDirectory,
    env: binaries.env,
    logFile: data.logFile,
    exitSignal: "SIGINT",
    user: data.user,
  });
  const state = await poll(() => stateOf(server, data.dataDirectory), { limitMs: READY_LIMIT_MS });
  if (state === "ready") return server;
  await server.stop([{ signal: "SIGKILL", limitMs: 5_000 }]);
  return tailOf(data.logFile, { fromByte });
}

function stateOf(server: ServerProcess, dataDirectory: string): "ready" | "ended" | undefined {
  if (!server.isRunning()) return "ended";
  const found = readPostmasterPid(dataDirectory);
  return found?.pid === server.identity.pid && found.isReady ? "ready" : undefined;
}

function addressOf(port: number): PostgresSettings {
  return { listen_addresses: "127.0.0.1", port };
}

function settingArguments(settings: PostgresSettings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/**
 * Waits for the last processes of a killed server. Then its `postmaster.pid` can go: that pid may belong to another
 * program by now, or still to the killed server until the process that started it has noticed, and either would make
 * Postgres refuse to start.
 */
async function clearRemains(dataDirectory: string): Promise<void> {
  await orphansGone(dataDirectory);
  rmSync(join(dataDirectory, "postmaster.pid"), { force: true });
}

/** Resolves once no process works in the data directory any more. */
export async function orphansGone(dataDirectory: string): Promise<void> {
  const isGone = await poll(() => (processesIn(dataDirectory).length === 0 ? true : undefined), {
    limitMs: ORPHANS_LIMIT_MS,
  });
  if (isGone) return;
  const pids = processesIn(dataDirectory).join(", ");
  throw new LocalServiceError("POSTGRES_IN_USE", `Processes ${pids} still work in ${dataDirectory}: stop them first`);
}

function startError(log: string, data: PostgresData, port: number): LocalServiceError {
  if (PORT_TAKEN.test(log)) {
    return new LocalServiceError("PORT_IN_USE", `Port ${port} of 127.0.0.1 is in use: choose another for Postgres`, {
      details: log,
    });
  }
  return new LocalServiceError("POSTGRES_START_FAILED", `Postgres in ${data.folder} did not start:\n${log}`, {
    details: log,
  });
}
