import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "@tickwheel/local-services";
import { migrate } from "@tickwheel/postgres-store";
import { Client } from "pg";
import { ApiClient, type Finding, type TaskBody } from "../support/api-client.js";
import {
  newTestKey,
  spawnScheduler,
  type SchedulerNodeOptions,
  TestStage,
  type TestServices,
} from "../support/cluster.js";
import { pidOf } from "../support/cluster-view.js";
import { eventually } from "../support/eventually.js";
import { OldPostgres } from "../support/servers/old-postgres.js";
import { makeSchemas } from "../support/servers/test-role.mjs";

const stage = new TestStage();
let services: TestServices;

beforeAll(async () => {
  services = await stage.services();
});
afterAll(() => stage.stop());

/** Starts a node whose start must fail, and returns all of its output. */
async function failedStart(options: Partial<SchedulerNodeOptions>): Promise<string> {
  const node = spawnScheduler({
    databaseUrl: services.databaseUrl,
    apiKey: newTestKey(),
    port: await freePort(),
    ...options,
  });
  const timer = setTimeout(() => void node.kill(), 20_000);
  const end = await node.exited;
  clearTimeout(timer);
  expect({ end, log: end.code === 1 ? "" : node.log() }).toEqual({ end: { code: 1, signal: null }, log: "" });
  return node.log();
}

/** Expects the message for the operator once, and no stack. */
function messageIn(log: string): string {
  const [, ...messages] = log.split(/^tickwheel: /m);
  expect(messages).toHaveLength(1);
  expect(log).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
  return messages[0]!;
}

describe("a node that cannot start ends with code 1 and one message that says what to do", () => {
  test("a node ends with code 1 and one message that says what to do when its port is in use", async () => {
    const holder: Server = await stage.add(await listening());
    const { port } = holder.address() as { port: number };
    const message = messageIn(await failedStart({ port }));
    expect(message).toContain(`${port}`);
    expect(message).toMatch(/in use.*PORT/s);
  });

  test("a node ends with code 1 and one message when variables are unknown or wrong, and names all of them", async () => {
    const env = { TICKWHEEL_HEARTBEAT: "1", TICKWHEEL_CONCURRENCY: "many", TICKWHEEL_HORIZON_MS: "10", PORT: "99999" };
    const message = messageIn(await failedStart({ env, apiKey: "short" }));
    for (const name of [...Object.keys(env), "TICKWHEEL_API_KEY", "TICKWHEEL_RELOAD_INTERVAL_MS"])
      expect(message).toContain(name);
    expect(message).not.toContain("short\n");
  });

  test("a node ends with code 1 and one message when it is meant for production and no database is named", async () => {
    const message = messageIn(await failedStart({ databaseUrl: undefined, env: { NODE_ENV: "production" } }));
    expect(message).toContain("DATABASE_URL");
  });

  test("a node ends with code 1 and one message when Postgres refuses the password, or has no such database", async () => {
    const stranger = new URL(services.databaseUrl);
    stranger.password = "secret";
    const nowhere = new URL(services.databaseUrl);
    nowhere.pathname = "/nowhere";
    for (const databaseUrl of [stranger.href, nowhere.href]) {
      const log = await failedStart({ databaseUrl });
      expect(messageIn(log)).toMatch(/DATABASE_URL/);
      expect(log).not.toContain("secret");
    }
  });

  test("a node ends with code 1 and one message when Postgres is too old", async () => {
    const old = await stage.add(await OldPostgres.start("9.6.24"));
    const message = messageIn(await failedStart({ databaseUrl: old.url }));
    expect(message).toMatch(/Postgres.*9\.6/s);
  });

  test("a node ends with code 1 and one message when an unreleased version made its schema, and changes nothing in it", async () => {
    await migrate(services.databaseUrl);
    const owner = await stage.add(await client());
    await owner.query("INSERT INTO tickwheel.former_node VALUES (1, 'kept', now())");
    await owner.query("ALTER TABLE tickwheel.compatibility DROP COLUMN first_schema");
    const message = messageIn(await failedStart({}));
    expect(message).toMatch(/unreleased version.*Drop the schema.*\.tickwheel\//);
    expect(message).not.toContain("DATABASE_URL");
    expect((await owner.query("SELECT label FROM tickwheel.former_node WHERE boot_id = 1")).rows).toEqual([
      { label: "kept" },
    ]);
    await owner.query("DROP SCHEMA tickwheel CASCADE");
    await makeSchemas(services.databaseUrl, "tickwheel");
  });
});

describe("nodes without DATABASE_URL", () => {
  const input = { type: "kept", payload: { over: "runs" }, delay: "1h" };

  test("nodes without DATABASE_URL share one embedded Postgres, print the first key once, and keep their data for the next run", async () => {
    const folder = await keptFolder();
    const apiKey = "";
    const first = spawnScheduler({ cwd: folder, apiKey, port: await freePort() });
    await stage.add(stopping(first));
    const key = await eventually(() => {
      const [, shown] = /first administrator key.*?(twk_[\w-]+)/i.exec(first.log()) ?? [];
      expect({ shown, end: first.end, log: first.log() }).toMatchObject({ shown: expect.any(String), end: undefined });
      return shown!;
    });

    const task = await new ApiClient(await urlOf(first), key).schedule(input);
    const aboutSchema = first
      .log()
      .match(/^.*schema.*$/gim)!
      .filter((line) => !line.includes("node.start.ready"));
    expect(aboutSchema).toEqual([expect.stringContaining('"tickwheel" is made')]);
    const second = spawnScheduler({ cwd: folder, apiKey, port: await freePort() });
    await stage.add(stopping(second));
    const secondUrl = await urlOf(second);
    expect(second.log()).not.toContain("twk_");
    const seen = await new ApiClient(secondUrl, key).get<TaskBody>(`/v1/tasks/${task.id}`);
    expect(seen).toMatchObject({ status: 200, body: { id: task.id, payload: input.payload } });
    const { nodes } = await new ApiClient(secondUrl, key).cluster();
    expect(new Set(nodes.map(pidOf))).toEqual(new Set([first, second].map(({ pid }) => String(pid))));

    expect(await second.stop()).toEqual({ code: 143, signal: null });
    expect(await first.stop()).toEqual({ code: 143, signal: null });
    const third = spawnScheduler({ cwd: folder, apiKey, port: await freePort() });
    await stage.add(stopping(third));
    const kept = await new ApiClient(await urlOf(third), key).get<TaskBody>(`/v1/tasks/${task.id}`);
    expect(kept).toMatchObject({ status: 200, body: { id: task.id, state: "scheduled", payload: input.payload } });
    await third.stop();
  });
});

test("a node whose database forgets commits says so at its start, and tells it until the database is mended", async () => {
  const owner = await stage.add(await client(services.superuserUrl));
  const database = owner.escapeIdentifier(owner.database!);
  await owner.query(`ALTER DATABASE ${database} SET synchronous_commit = off`);
  const node = await stage.scheduler({ databaseUrl: services.databaseUrl });
  const line = /WARN.*Postgres runs with synchronous_commit = off: .* \[store\.setting\.unsafe\]/;
  await eventually(() => expect(node.log()).toMatch(line));
  await eventually(async () => {
    const { body } = await node.client.get<{ now: Finding[] }>("/v1/findings");
    expect(body.now).toMatchObject([{ code: "COMMITS_UNSAFE", severity: "critical" }]);
  });
  await owner.query(`ALTER DATABASE ${database} RESET synchronous_commit`);
});

/** A session of another program. */
async function client(url = services.databaseUrl): Promise<Client & { stop(): Promise<void> }> {
  const made = new Client({ connectionString: url });
  await made.connect();
  return Object.assign(made, { stop: () => made.end() });
}

/** Where the embedded server keeps its data; deleted when the nodes have ended. */
async function keptFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tickwheel-start-"));
  // If the tests run as root, the server runs under another account.
  chmodSync(folder, 0o755);
  await stage.add({ stop: () => rmSync(folder, { recursive: true, force: true }) });
  return folder;
}

/** The address of its API, which a node prints once it is ready. The lines may come one by one. */
async function urlOf(node: ReturnType<typeof spawnScheduler>): Promise<string> {
  return eventually(() => {
    const [, url] = /^API\s+(http:\/\/\S+)\/v1$/m.exec(node.log()) ?? [];
    expect({ url, end: node.end, log: node.log() }).toMatchObject({ url: expect.any(String), end: undefined });
    return url!.replace("localhost", "127.0.0.1");
  });
}

function stopping(node: ReturnType<typeof spawnScheduler>): { stop(): Promise<unknown> } {
  return { stop: () => (node.end ? node.exited : node.stop()) };
}

async function listening(): Promise<Server & { stop(): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  return Object.assign(server, { stop: () => void server.close() });
}
