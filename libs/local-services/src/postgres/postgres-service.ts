import { join } from "node:path";
import { Client } from "pg";
import { withLock } from "../folders/file-lock.js";
import { LocalServiceError } from "../processes/local-service-error.js";
import { tailOf } from "../processes/log-file.js";
import { SUPERUSER } from "./postgres-data.js";
import { launchPostgres, orphansGone, type PostgresLaunch } from "./postgres-launch.js";
import type { ServerProcess } from "../processes/server-process.js";
import { recordOwnership, removeFolder } from "../folders/service-folder.js";

/** How a server goes down: `fast` ends sessions and writes a checkpoint; `immediate` drops everything, like a crash. */
export type ShutdownMode = "fast" | "immediate";

/** A server that was just started or adopted. */
export interface RunningPostgres {
  launch: PostgresLaunch;
  server: ServerProcess;
  port: number;
  isEphemeral: boolean;
}

const FAST_STOP = { signal: "SIGINT", limitMs: 15_000 } as const;
const IMMEDIATE_STOP = { signal: "SIGQUIT", limitMs: 10_000 } as const;
const KILL = { signal: "SIGKILL", limitMs: 10_000 } as const;

/**
 * A Postgres server that this process owns.
 *
 * Its port, password and data stay the same across `restart` and `kill`. `stop`, `kill` and `restart` run one after the
 * other, also against a second process that looks at the same folder. When this process ends without `stop`, the server
 * is told to shut down; when this process is killed, the next run that uses the folder finds the server.
 */
export class PostgresService {
  readonly port: number;
  /** The service folder; the files of the server are in its subfolder `data`. */
  readonly dataDir: string;
  /** The URL of the database that was asked for at the start. */
  readonly url: string;
  #server: ServerProcess;
  #version = "";
  #stopped: Promise<void> | undefined;

  private constructor(
    private readonly running: RunningPostgres,
    databaseName: string,
  ) {
    this.port = running.port;
    this.dataDir = running.launch.data.folder;
    this.url = this.urlOf(databaseName);
    this.#server = running.server;
  }

  /** Takes charge of a running server and makes its database if it is missing. */
  static async own(running: RunningPostgres, databaseName: string): Promise<PostgresService> {
    recordOwnership(running.launch.data.folder, "postgres", running.server.identity);
    const service = new PostgresService(running, databaseName);
    service.#version = await ensureDatabase(service.urlOf("postgres"), databaseName);
    return service;
  }

  /** For example `18.4`. */
  get version(): string {
    return this.#version;
  }

  /** The pid of the postmaster. */
  get pid(): number {
    return this.#server.identity.pid;
  }

  /** Makes a database unless it exists, and returns its URL. */
  async createDatabase(name: string): Promise<string> {
    await ensureDatabase(this.urlOf("postgres"), name);
    return this.urlOf(name);
  }

  /** Stops the server; an ephemeral one is deleted, without a checkpoint before. Further calls wait for the first. */
  stop(): Promise<void> {
    const { isEphemeral } = this.running;
    this.#stopped ??= this.exclusively(async () => {
      await this.#server.stop(isEphemeral ? [IMMEDIATE_STOP, KILL] : [FAST_STOP, IMMEDIATE_STOP, KILL]);
      if (isEphemeral) removeFolder(this.dataDir);
    });
    return this.#stopped;
  }

  /**
   * Kills the postmaster by SIGKILL, as a crash would, and waits until its last backend is gone. `restart` brings it
   * back.
   */
  async kill(): Promise<void> {
    this.assertNotStopped();
    await this.exclusively(async () => {
      await this.#server.stop([KILL]);
      await orphansGone(this.running.launch.data.dataDirectory);
    });
  }

  /** Shuts the server down, unless it was killed before, and starts it on the same port. */
  async restart({ mode = "fast" }: { mode?: ShutdownMode } = {}): Promise<void> {
    this.assertNotStopped();
    await this.exclusively(async () => {
      await this.#server.stop(mode === "fast" ? [FAST_STOP, IMMEDIATE_STOP, KILL] : [IMMEDIATE_STOP, KILL]);
      const { server } = await launchPostgres(this.running.launch, this.port);
      this.#server = server;
      recordOwnership(this.dataDir, "postgres", server.identity);
    });
  }

  /** The last lines of the server's log. */
  logTail(lines = 50): string {
    return tailOf(this.running.launch.data.logFile, { lines });
  }

  private urlOf(databaseName: string): string {
    return postgresUrl({ port: this.port, password: this.running.launch.data.password, databaseName });
  }

  private exclusively(work: () => Promise<void>): Promise<void> {
    return withLock(join(this.dataDir, "lock"), work, { limitMs: 180_000 });
  }

  private assertNotStopped(): void {
    if (this.#stopped) throw new LocalServiceError("SERVICE_STOPPED", "This Postgres was stopped: start a new one");
  }
}

export function postgresUrl(server: { port: number; password: string; databaseName: string }): string {
  const database = encodeURIComponent(server.databaseName);
  return `postgres://${SUPERUSER}:${server.password}@127.0.0.1:${server.port}/${database}`;
}

/** Makes a database unless it exists. @returns the server's version */
export async function ensureDatabase(adminUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const found = await client.query("SELECT FROM pg_database WHERE datname = $1", [name]);
    if (found.rowCount === 0) await createUnlessExists(client, name);
    const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
    return rows[0]!.server_version.split(" ")[0]!;
  } finally {
    await client.end();
  }
}

/** Two at once: the loser's error, duplicate_database or a unique violation, means that the database exists. */
async function createUnlessExists(client: Client, name: string): Promise<void> {
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    if (!["42P04", "23505"].includes((error as { code?: string }).code ?? "")) throw error;
  }
}
