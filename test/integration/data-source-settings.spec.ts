import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync, chownSync, chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplicationContext, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DelayTaskHandler, DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";
import { threadableSettings } from "@tickwheel/postgres-store";
import { Client } from "pg";
import { DataSource, type DataSourceOptions } from "typeorm";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

type PostgresOptions = Extract<DataSourceOptions, { type: "postgres" }>;

let postgres: OwnPostgres;
let sockets: string;
let app: INestApplicationContext | null = null;
let dataSource: DataSource | null = null;

@DelayTaskHandler("ping")
class Pinger {
  handle(): string {
    return "pong";
  }
}

beforeAll(async () => {
  sockets = mkdtempSync(join(tmpdir(), "tw-"));
  chmodSync(sockets, 0o777);
  postgres = await OwnPostgres.start({ settings: { fsync: false, unix_socket_directories: sockets } });
  secure();
});
afterEach(async () => {
  await app?.close();
  await dataSource?.destroy();
  app = dataSource = null;
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(sockets, { recursive: true, force: true });
});

/**
 * TLS with our own certificate; passwords are accepted only over TLS and over sockets. The launcher's own connections
 * are accepted by their user.
 */
function secure(): void {
  const data = join(postgres.dataDir, "data");
  const { uid, gid } = statSync(join(data, "PG_VERSION"));
  const request = ["req", "-new", "-x509", "-days", "2", "-nodes", "-subj", "/CN=localhost", "-newkey", "rsa:2048"];
  execFileSync("openssl", [...request, "-keyout", `${data}/server.key`, "-out", `${data}/server.crt`], {
    stdio: "ignore",
  });
  for (const file of ["server.key", "server.crt"]) {
    chownSync(join(data, file), uid, gid);
    chmodSync(join(data, file), 0o600);
  }
  const rules = [
    "local all all scram-sha-256",
    "host all postgres 127.0.0.1/32 scram-sha-256",
    "hostssl all all 127.0.0.1/32 scram-sha-256",
  ];
  writeFileSync(join(data, "pg_hba.conf"), `${rules.join("\n")}\n`);
}

async function administer(...statements: string[]): Promise<void> {
  const client = new Client({ connectionString: postgres.superuserUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** A database that the role owns, and its connection settings. */
async function makeRole(name: string): Promise<PostgresOptions> {
  await administer(`CREATE ROLE ${name} LOGIN PASSWORD 'secret'`, `CREATE DATABASE ${name} OWNER ${name}`);
  const { hostname: host, port } = new URL(postgres.superuserUrl);
  return { type: "postgres", host, port: Number(port), username: name, password: "secret", database: name };
}

/**
 * Starts a node on the application's data source, and runs a task: by the data source, and by the node's own
 * connections.
 */
async function runOne(options: PostgresOptions, meanwhile?: () => Promise<void>): Promise<DelayTaskService> {
  dataSource = await new DataSource(options).initialize();
  await meanwhile?.();
  @Module({ providers: [Pinger] })
  class FeatureModule {}
  @Module({ imports: [FeatureModule, DelayTaskModule.forRoot({ dataSource, heartbeat: "loop" })] })
  class RootModule {}
  app = await NestFactory.createApplicationContext(RootModule, { logger: false, abortOnError: false });
  const tasks = app.get(DelayTaskService);
  const { task } = await dataSource.transaction((manager) => tasks.schedule("ping", {}, { manager }));
  await eventually(async () => expect((await tasks.get(task.id))?.state).toBe("succeeded"));
  return tasks;
}

async function sessions(role: string): Promise<{ ssl: boolean; local: boolean; count: number }[]> {
  const client = new Client({ connectionString: postgres.superuserUrl });
  await client.connect();
  const { rows } = await client.query(
    `SELECT ssl, client_addr IS NULL AS local, count(*)::int AS count FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid)
      WHERE usename = $1 GROUP BY 1, 2`,
    [role],
  );
  await client.end();
  return rows as { ssl: boolean; local: boolean; count: number }[];
}

test("the scheduler connects over a Unix socket, when the server listens on nothing else", async () => {
  const { host: _host, ...options } = await makeRole("by_socket");
  await runOne({ ...options, host: sockets } as PostgresOptions);
  expect((await sessions("by_socket")).map(({ local }) => local)).toEqual([true]);
});

describe("the scheduler's own connections are made like those of the application's DataSource", () => {
  beforeAll(async () => {
    await administer("ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()");
  });

  test("the scheduler connects as the application's DataSource does, with TLS and the certificate that it trusts, when required", async () => {
    const ca = readFileSync(join(postgres.dataDir, "data/server.crt"));
    const options = await makeRole("with_tls");
    await runOne({ ...options, host: "localhost", ssl: { ca } });
    expect(await sessions("with_tls")).toEqual([{ ssl: true, local: false, count: expect.any(Number) as unknown }]);
    await expect(new DataSource({ ...options, ssl: false }).initialize()).rejects.toThrow("no pg_hba.conf entry");
  });

  test("the scheduler connects as the application's DataSource does, with a password from a function, called each time", async () => {
    let current = "secret";
    const options = await makeRole("rotating");
    const password = (): Promise<string> => Promise.resolve(current);
    const rotate = async (): Promise<void> => {
      await administer("ALTER ROLE rotating PASSWORD 'another'");
      current = "another";
    };
    await runOne({ ...options, ssl: { rejectUnauthorized: false }, password: password as never }, rotate);
    expect(await sessions("rotating")).toEqual([{ ssl: true, local: false, count: expect.any(Number) as unknown }]);
  });

  test("the scheduler connects with the settings of the DataSource's `extra`, and to the master of a replicated one", async () => {
    const { host, port, username, password, database, ...options } = await makeRole("replicated");
    const master = { host, port, username, password, database, ssl: { rejectUnauthorized: false } };
    const extra = { options: "-c search_path=elsewhere,public -c lock_timeout=12345", max: 3 };
    const slaves = [{ ...master, database: "postgres" }];
    await runOne({ ...options, replication: { master, slaves }, extra } as PostgresOptions);
    expect((await sessions("replicated")).map(({ ssl }) => ssl)).toEqual([true]);
  });
});

test("settings of a connection are passed to another thread, with the key that `pg` hides, and are refused if they hold a function", async () => {
  const ssl = { key: "secret", ca: Buffer.from("ca") };
  new Client({ ssl });
  expect(Object.keys(ssl)).toEqual(["ca"]);
  expect(threadableSettings({ host: "h", ssl, password: () => "p" })).toEqual({
    host: "h",
    ssl: { key: "secret", ca: Buffer.from("ca") },
  });
  expect(threadableSettings({ ssl: { checkServerIdentity: () => undefined } })).toBeNull();
});
