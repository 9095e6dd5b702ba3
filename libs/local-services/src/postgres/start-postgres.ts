import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { poll } from "../processes/poll-until.js";
import { withLock } from "../folders/file-lock.js";
import { usableFolder } from "../folders/folders.js";
import { LocalServiceError } from "../processes/local-service-error.js";
import { findPostgresBinaries, type PostgresMajor } from "./postgres-binaries.js";
import { dataDirectoryOf, prepareData, readPassword } from "./postgres-data.js";
import { launchPostgres, type PostgresLaunch, type PostgresSettings } from "./postgres-launch.js";
import { ensureDatabase, PostgresService, postgresUrl } from "./postgres-service.js";
import { findPostmaster } from "../processes/postmaster-pid.js";
import { isRunning } from "../processes/process-identity.js";
import { ServerProcess } from "../processes/server-process.js";
import { makeEphemeralFolder, readRecord, recordOwnership, removeFolder } from "../folders/service-folder.js";

/** What kept and ephemeral servers have in common. */
export interface PostgresOptions {
  /** A TCP port of 127.0.0.1. Default: a free one. */
  port?: number;
  /** Default 18, from the npm package; 15 is Debian's. */
  major?: PostgresMajor;
  /**
   * Settings of `postgresql.conf`. Default: Postgres's own with 200 connections and UTC, so writes are synced to disk.
   */
  settings?: PostgresSettings;
  /** Made if it is missing. Default `tickwheel`. */
  databaseName?: string;
}

/** Either a folder that keeps its data, or a server that is deleted when it stops. */
export type StartPostgresOptions = PostgresOptions &
  ({ dataDir: string; ephemeral?: false } | { dataDir?: undefined; ephemeral?: true });

/** A server that this process started, or to which it attached. */
export interface AttachedPostgres {
  readonly url: string;
  /** Whether this process is the one that stops the server. */
  readonly started: boolean;
  /** Stops the server if `started`; otherwise does nothing. */
  stop(): Promise<void>;
}

const SETTLE_LIMIT_MS = 30_000;
const DEFAULT_DATABASE = "tickwheel";

/**
 * Starts a Postgres server of its own: without `dataDir` an ephemeral one.
 *
 * A server that a killed process left in `dataDir` is stopped first. As root the data may end up in a stand-in folder,
 * see `dataDir` of the result.
 * @throws LocalServiceError `POSTGRES_IN_USE` when a living process runs a server in this folder,
 *   `POSTGRES_WRONG_VERSION`, `PORT_IN_USE`, `POSTGRES_START_FAILED` with the log in `details`
 * @example
 * const postgres = await startPostgres({ settings: { fsync: false } });
 * try { await useIt(postgres.url); } finally { await postgres.stop(); }
 */
export async function startPostgres(options: StartPostgresOptions = {}): Promise<PostgresService> {
  if (options.dataDir === undefined) return startEphemeral(options);
  const folder = usableFolder(options.dataDir);
  return withLock(join(folder, "lock"), async () => {
    await stopLeftover(folder);
    return startIn(folder, { ...options, isEphemeral: false });
  });
}

/**
 * Uses the server of a kept folder: attaches to the one that a living process runs there, adopts the one that a killed
 * process left, or else starts one. Safe when several processes call it at the same instant: one of them starts.
 */
export async function attachOrStartPostgres(dataDir: string, options: PostgresOptions = {}): Promise<AttachedPostgres> {
  const folder = usableFolder(dataDir);
  return withLock(join(folder, "lock"), async () => {
    const isSettled = () => findPostmaster(dataDirectoryOf(folder))?.isReady !== false || undefined;
    await poll(isSettled, { limitMs: SETTLE_LIMIT_MS });
    const found = findPostmaster(dataDirectoryOf(folder));
    if (found && isOwned(folder)) return attach(folder, found.port, options);
    const service = found ? await adopt(folder, options) : await startIn(folder, { ...options, isEphemeral: false });
    return { url: service.url, started: true, stop: () => service.stop() };
  });
}

async function startEphemeral(options: PostgresOptions): Promise<PostgresService> {
  const folder = await makeEphemeralFolder("postgres");
  try {
    return await startIn(folder, { ...options, isEphemeral: true });
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}

async function startIn(folder: string, options: PostgresOptions & { isEphemeral: boolean }): Promise<PostgresService> {
  const { isEphemeral } = options;
  const launch = await prepareLaunch(folder, options);
  recordOwnership(folder, "postgres");
  if (existsSync(launch.data.logFile)) renameSync(launch.data.logFile, `${launch.data.logFile}.old`);
  const { server, port } = await launchPostgres(launch, options.port);
  return own({ launch, server, port, isEphemeral }, options);
}

async function adopt(folder: string, options: PostgresOptions): Promise<PostgresService> {
  const launch = await prepareLaunch(folder, { ...options, isEphemeral: false });
  const { identity, port } = findPostmaster(launch.data.dataDirectory)!;
  return own({ launch, server: ServerProcess.adopt(identity, "SIGINT"), port, isEphemeral: false }, options);
}

async function own(
  running: Parameters<typeof PostgresService.own>[0],
  { databaseName = DEFAULT_DATABASE }: PostgresOptions,
): Promise<PostgresService> {
  try {
    return await PostgresService.own(running, databaseName);
  } catch (error) {
    await running.server.stop([{ signal: "SIGQUIT", limitMs: 10_000 }]);
    throw error;
  }
}

async function attach(
  folder: string,
  port: number,
  { databaseName = DEFAULT_DATABASE }: PostgresOptions,
): Promise<AttachedPostgres> {
  const password = readPassword(folder);
  await ensureDatabase(postgresUrl({ port, password, databaseName: "postgres" }), databaseName);
  return { url: postgresUrl({ port, password, databaseName }), started: false, stop: async () => {} };
}

async function prepareLaunch(
  folder: string,
  { major = 18, settings = {}, isEphemeral }: PostgresOptions & { isEphemeral: boolean },
): Promise<PostgresLaunch> {
  const binaries = await findPostgresBinaries(major);
  return { binaries, settings, data: await prepareData(folder, binaries, { isEphemeral }) };
}

async function stopLeftover(folder: string): Promise<void> {
  const found = findPostmaster(dataDirectoryOf(folder));
  if (!found) return;
  if (isOwned(folder)) {
    const owner = readRecord(folder)?.owner.pid;
    throw new LocalServiceError(
      "POSTGRES_IN_USE",
      `Process ${owner} runs a Postgres in ${folder} on port ${found.port}: stop it, or use another folder`,
    );
  }
  await ServerProcess.adopt(found.identity, "SIGINT").stop([
    { signal: "SIGINT", limitMs: 15_000 },
    { signal: "SIGQUIT", limitMs: 10_000 },
  ]);
}

/** Whether the process that answers for the server of this folder is alive. */
function isOwned(folder: string): boolean {
  const record = readRecord(folder);
  return record !== undefined && isRunning(record.owner);
}
