import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  attachOrStartPostgres,
  type PostgresService,
  type RedisService,
  startPostgres,
  startRedis,
} from "@tickwheel/local-services";
import { Client } from "pg";

async function query<T>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  // A server that is killed reports it here as well as to the pending query.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows as T[];
  } finally {
    await client.end();
  }
}

async function canConnect(url: string): Promise<boolean> {
  return query(url, "SELECT 1").then(
    () => true,
    () => false,
  );
}

/**
 * Sends one command in Redis's inline form and returns what `pattern` finds in the answer, by default its first line.
 */
async function redisCommand(redis: RedisService, command: string, pattern = /^(.*)\r\n/): Promise<string | undefined> {
  const socket = connect(redis.port, "127.0.0.1");
  try {
    socket.write(`${command}\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    return pattern.exec(answer.toString("utf8"))?.[1];
  } finally {
    socket.destroy();
  }
}

function exists(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}

/** Whether the process is in this state, as `ps` names it, before a deadline. */
async function stateReached(pid: number, state: string): Promise<boolean> {
  const deadlineMonoMs = performance.now() + 5_000;
  while (performance.now() < deadlineMonoMs) {
    if (new RegExp(`^State:\\s+${state}`, "m").test(readFileSync(`/proc/${pid}/status`, "utf8"))) return true;
    await new Promise(setImmediate);
  }
  return false;
}

/**
 * Another process that runs `code` with the built library and reports one value on its output, then waits to be killed.
 */
async function otherProcess(code: string): Promise<{ child: ChildProcess; reported: Record<string, unknown> }> {
  const script = `const services = await import("@tickwheel/local-services");
    const report = (value) => console.log(JSON.stringify(value));
    ${code}
    setInterval(() => {}, 60_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface(child.stdout!), "line")) as [string];
  return { child, reported: JSON.parse(line) as Record<string, unknown> };
}

async function killAndWait(child: ChildProcess, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

describe("an ephemeral Postgres", () => {
  let postgres: PostgresService;

  beforeAll(async () => {
    postgres = await startPostgres({ settings: { work_mem: "7MB" } });
  });
  afterAll(() => postgres.stop());

  test("an ephemeral Postgres is version 18, writes safely by default and takes settings", async () => {
    const sql = `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS sync,
      current_setting('work_mem') AS memory, current_setting('max_connections') AS connections, current_database() AS name`;
    expect(postgres.version).toMatch(/^18\./);
    expect(await query(postgres.url, sql)).toEqual([
      { fsync: "on", sync: "on", memory: "7MB", connections: "200", name: "tickwheel" },
    ]);
  });

  test("an ephemeral Postgres wants its password", async () => {
    const url = new URL(postgres.url);
    url.password = "wrong";
    await expect(query(url.href, "SELECT 1")).rejects.toMatchObject({ code: "28P01" });
  });

  test("an ephemeral Postgres makes databases, also twice at once, with blanks and quotes in the name", async () => {
    const urls = await Promise.all([1, 2].map(() => postgres.createDatabase(`A "quoted" name`)));
    expect(await query(urls[0]!, "SELECT current_database() AS name")).toEqual([{ name: `A "quoted" name` }]);
  });

  test.each(["fast", "immediate"] as const)(
    "an ephemeral Postgres keeps data and URL over a restart in mode %s",
    async (mode) => {
      await query(postgres.url, `CREATE TABLE kept_${mode} AS SELECT 42 AS answer`);
      const pid = postgres.pid;
      await postgres.restart({ mode });
      expect(postgres.pid).not.toBe(pid);
      expect(exists(pid)).toBe(false);
      expect(await query(postgres.url, `SELECT answer FROM kept_${mode}`)).toEqual([{ answer: 42 }]);
    },
  );

  test("an ephemeral Postgres keeps committed data over SIGKILL, with a session at work", async () => {
    await query(postgres.url, "CREATE TABLE survived AS SELECT 43 AS answer");
    const interrupted = query(postgres.url, "SELECT pg_sleep(60)").catch(() => "interrupted");
    await postgres.kill();
    expect(await interrupted).toBe("interrupted");
    expect(await canConnect(postgres.url)).toBe(false);
    await postgres.restart();
    expect(await query(postgres.url, "SELECT answer FROM survived")).toEqual([{ answer: 43 }]);
    expect(postgres.logTail()).toContain("database system was not properly shut down");
  });

  test("an ephemeral Postgres is gone with its folder after stop, which may be called twice", async () => {
    const other = await startPostgres();
    await Promise.all([other.stop(), other.stop()]);
    expect([exists(other.pid), existsSync(other.dataDir)]).toEqual([false, false]);
    await expect(other.restart()).rejects.toMatchObject({ code: "SERVICE_STOPPED" });
  });

  test("an ephemeral Postgres says which port is taken", async () => {
    await expect(startPostgres({ port: postgres.port })).rejects.toMatchObject({
      code: "PORT_IN_USE",
      message: expect.stringContaining(String(postgres.port)),
    });
  });

  test("an ephemeral Postgres says what is wrong with a setting", async () => {
    await expect(startPostgres({ settings: { work_mem: "much" } })).rejects.toMatchObject({
      code: "POSTGRES_START_FAILED",
      message: expect.stringContaining("work_mem"),
    });
  });
});

describe("a kept Postgres", () => {
  let parent: string;
  let dataDir: string;
  /** Where the data really is: as root not always in `dataDir`. */
  let folder: string | undefined;
  const cleanUp: (() => Promise<unknown>)[] = [];

  // All tests use one folder, each after the server of the one before has stopped.
  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), "tickwheel-kept-"));
    dataDir = join(parent, "postgres");
  });
  afterEach(async () => {
    for (const work of cleanUp.splice(0).reverse()) await work();
  });
  afterAll(() => {
    for (const left of [parent, folder]) if (left) rmSync(left, { recursive: true, force: true });
  });

  async function start(): Promise<PostgresService> {
    const postgres = await startPostgres({ dataDir });
    folder = postgres.dataDir;
    cleanUp.push(() => postgres.stop());
    return postgres;
  }

  async function startElsewhere(): Promise<{ child: ChildProcess; url: string; pid: number }> {
    const { child, reported } = await otherProcess(
      `const postgres = await services.startPostgres({ dataDir: ${JSON.stringify(dataDir)} });
       report({ url: postgres.url, pid: postgres.pid });`,
    );
    const { url, pid } = reported as { url: string; pid: number };
    cleanUp.push(async () => {
      if (child.exitCode === null && child.signalCode === null) await killAndWait(child);
      await (await startPostgres({ dataDir })).stop();
    });
    return { child, url, pid };
  }

  test("a kept Postgres is made and started by one of three callers that come at the same instant", async () => {
    const all = await Promise.all([1, 2, 3].map(() => attachOrStartPostgres(dataDir)));
    cleanUp.push(() => Promise.all(all.map((one) => one.stop())));
    expect(all.filter((one) => one.started)).toHaveLength(1);
    expect(new Set(all.map((one) => one.url)).size).toBe(1);
    expect(await canConnect(all[0]!.url)).toBe(true);
  });

  test("a kept Postgres has the same data at the next start", async () => {
    const first = await start();
    await query(first.url, "CREATE TABLE kept_over_stop AS SELECT 44 AS answer");
    await first.stop();
    const second = await start();
    expect(await query(second.url, "SELECT answer FROM kept_over_stop")).toEqual([{ answer: 44 }]);
  });

  test("a kept Postgres starts over a pid file whose pid belongs to another program by now", async () => {
    const first = await start();
    await first.kill();
    const pidFile = join(first.dataDir, "data/postmaster.pid");
    writeFileSync(pidFile, readFileSync(pidFile, "utf8").replace(/^\d+/, String(process.pid)));
    await first.restart();
    expect(await canConnect(first.url)).toBe(true);
  });

  test("a kept Postgres starts over a pid file of a killed server whose end nobody has noticed yet", async () => {
    const first = await start();
    await first.kill();
    // Only a process of its own user makes Postgres refuse.
    const { uid, gid } = statSync(join(first.dataDir, "data"));
    // The child ends when its parent has become a program that asks after no children; a shell may have asked.
    const parent = spawn("sh", ["-c", "sleep 1 & echo $!; exec sleep 60"], {
      uid,
      gid,
      cwd: "/",
      stdio: ["ignore", "pipe", "inherit"],
    });
    cleanUp.push(async () => void parent.kill("SIGKILL"));
    const unreaped = String((await once(parent.stdout, "data"))[0]).trim();
    while (!/\) Z /.test(readFileSync(`/proc/${unreaped}/stat`, "utf8"))) await wait(10);
    const pidFile = join(first.dataDir, "data/postmaster.pid");
    writeFileSync(pidFile, readFileSync(pidFile, "utf8").replace(/^\d+/, unreaped));
    await first.restart();
    expect(await canConnect(first.url)).toBe(true);
  });

  test("a kept Postgres refuses data of another major version and says so", async () => {
    const first = await start();
    await first.stop();
    const versionFile = join(first.dataDir, "data/PG_VERSION");
    cleanUp.push(async () => writeFileSync(versionFile, "18\n"));
    writeFileSync(versionFile, "16\n");
    await expect(start()).rejects.toMatchObject({
      code: "POSTGRES_WRONG_VERSION",
      message: expect.stringMatching(/Postgres 16.*Postgres 18/),
    });
  });

  test("a kept Postgres is refused while a living process runs it", async () => {
    const other = await startElsewhere();
    await expect(startPostgres({ dataDir })).rejects.toMatchObject({
      code: "POSTGRES_IN_USE",
      message: expect.stringContaining(String(other.child.pid)),
    });
  });

  test("a kept Postgres is stopped and started anew when its owner was killed", async () => {
    const other = await startElsewhere();
    await query(other.url, "CREATE TABLE kept_over_kill AS SELECT 45 AS answer");
    await killAndWait(other.child);
    expect(exists(other.pid)).toBe(true);
    const next = await start();
    expect(exists(other.pid)).toBe(false);
    expect(await query(next.url, "SELECT answer FROM kept_over_kill")).toEqual([{ answer: 45 }]);
  });

  test("a kept Postgres shuts down with an owner that ends without stopping it", async () => {
    const { child, reported } = await otherProcess(
      `const postgres = await services.startPostgres({ dataDir: ${JSON.stringify(dataDir)} });
       report({ pid: postgres.pid });
       process.once("SIGTERM", () => process.exit(0));`,
    );
    await killAndWait(child, "SIGTERM");
    const next = await start();
    expect(exists(reported["pid"] as number)).toBe(false);
    expect(next.logTail()).not.toContain("not properly shut down");
  });

  test("a kept Postgres is attached to while its owner lives, and adopted once its owner was killed", async () => {
    const other = await startElsewhere();
    const attached = await attachOrStartPostgres(dataDir);
    await attached.stop();
    expect(attached).toMatchObject({ url: other.url, started: false });
    expect(await canConnect(other.url)).toBe(true);

    await killAndWait(other.child);
    const adopted = await attachOrStartPostgres(dataDir);
    expect(adopted).toMatchObject({ url: other.url, started: true });
    expect(exists(other.pid)).toBe(true);
    await adopted.stop();
    expect(exists(other.pid)).toBe(false);
  });
});

describe("a Redis", () => {
  let redis: RedisService;

  beforeEach(async () => {
    redis = await startRedis({ settings: { maxmemory: "64mb" } });
  });
  afterEach(() => redis.stop());

  test("a local Redis answers on its URL and takes settings", async () => {
    expect(redis.url).toBe(`redis://127.0.0.1:${redis.port}`);
    expect(await redisCommand(redis, "INFO memory", /maxmemory:(\d+)/)).toBe(String(64 * 1024 * 1024));
    expect(redis.logTail()).toContain("Ready to accept connections");
  });

  test("a local Redis comes back empty on the same port after SIGKILL", async () => {
    await redisCommand(redis, "SET key value");
    const killed = redis.pid;
    await redis.kill();
    expect(exists(killed)).toBe(false);
    await redis.restart();
    expect(await redisCommand(redis, "EXISTS key")).toBe(":0");
  });

  test("a local Redis gives no answer while it is paused, and goes on afterwards", async () => {
    redis.pause();
    const answer = redisCommand(redis, "PING");
    await expect(stateReached(redis.pid, "T")).resolves.toBe(true);
    redis.resume();
    expect(await answer).toBe("+PONG");
  });

  test("a local Redis stops although it is paused", async () => {
    redis.pause();
    await redis.stop();
    expect(exists(redis.pid)).toBe(false);
  });

  test("a local Redis says which port is taken", async () => {
    await expect(startRedis({ port: redis.port })).rejects.toMatchObject({ code: "PORT_IN_USE" });
  });
});

test("servers that a killed run left behind are stopped and deleted by the next run", async () => {
  const { child, reported } = await otherProcess(
    `const [postgres, redis] = await Promise.all([services.startPostgres(), services.startRedis()]);
     report({ pids: [postgres.pid, redis.pid], folder: postgres.dataDir });`,
  );
  const { pids, folder } = reported as { pids: number[]; folder: string };
  await killAndWait(child);
  expect(pids.map(exists)).toEqual([true, true]);
  const next = await startRedis();
  await next.stop();
  expect(pids.map(exists)).toEqual([false, false]);
  expect(existsSync(folder)).toBe(false);
});

test("a command's stack stops its servers on Ctrl-C, also when it arrives twice", async () => {
  const { child, reported } = await otherProcess(
    `const stack = new services.ServiceStack().stopOnExit();
     const postgres = await stack.add(await services.startPostgres());
     report({ pid: postgres.pid, folder: postgres.dataDir });`,
  );
  const ended = once(child, "exit");
  child.kill("SIGINT");
  child.kill("SIGINT");
  expect(await ended).toEqual([130, null]);
  expect(exists(reported["pid"] as number)).toBe(false);
  expect(existsSync(reported["folder"] as string)).toBe(false);
});
