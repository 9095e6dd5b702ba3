import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newBootId, SystemRandom } from "@tickwheel/core";
import { openPostgres } from "@tickwheel/postgres-store";
import { Client } from "pg";
import { expectOneView } from "../support/cluster-view.js";
import { type TestNode, TestStage } from "../support/cluster.js";
import type { TaskBody } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";
import { PgBouncer } from "../support/servers/pg-bouncer.js";

const TYPE = "credit";
/** Times out long before a row that nobody frees is free. */
const patience = { type: TYPE, timeout: 2_000, maxAttempts: 3, backoff: { kind: "fixed", delay: 100 } };
const TASKS_SESSIONS = "SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'tw/%'";

const stage = new TestStage();
let databaseUrl: string;
let bouncer: PgBouncer;
let nodes: TestNode[];
let ledger: Ledger;

beforeAll(async () => {
  ({ databaseUrl } = await stage.services());
  bouncer = await stage.add(await PgBouncer.start(databaseUrl, { serverConnections: 8 }));
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  await ledger.query("CREATE TABLE account (name text PRIMARY KEY, credits int NOT NULL)");
  const module = { transactionPooling: true };
  nodes = await stage.many(2, () => stage.app({ databaseUrl: bouncer.url, types: [TYPE], module }));
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

async function connect(url: string, name?: string): Promise<Client> {
  const client = new Client({ connectionString: url, ...(name && { application_name: name }) });
  client.on("error", () => {});
  await client.connect();
  await stage.add({ stop: () => client.end().catch(() => {}) });
  return client;
}

async function creditsOf(name: string): Promise<number> {
  const [row] = await ledger.query<{ credits: number }>(`SELECT credits FROM account WHERE name = '${name}'`);
  return row!.credits;
}

describe("a handler's own transaction through PgBouncer", () => {
  test("a handler's own transaction through PgBouncer names its server session while it is open, and no longer", async () => {
    await ledger.query("INSERT INTO account VALUES ('plain', 0)");
    // Holds the row, so that the handler waits in its transaction for as long as this looks.
    const holder = await connect(databaseUrl);
    await holder.query("BEGIN; SELECT 1 FROM account WHERE name = 'plain' FOR UPDATE");
    const { client } = nodes[0]!;
    const task = await client.schedule({ type: TYPE, payload: { credits: "plain" } });
    await eventually(async () => {
      const names = (await ledger.query<{ application_name: string }>(TASKS_SESSIONS)).map(
        (row) => row.application_name,
      );
      expect(names).toEqual([expect.stringContaining(`/${task.id.replaceAll("-", "")}/1`)]);
    });
    await holder.query("COMMIT");
    await eventually(async () => {
      expect((await client.get<TaskBody>(`/v1/tasks/${task.id}`)).body.state).toBe("succeeded");
    });
    await eventually(async () => expect(await ledger.query(TASKS_SESSIONS)).toEqual([]));
    expect(await creditsOf("plain")).toBe(1);
  });

  test("a handler's transaction through PgBouncer is ended when its process stands still, and a stranger's beside it is not", async () => {
    await ledger.query("INSERT INTO account VALUES ('stopped', 0), ('stranger', 0)");
    const stranger = await connect(bouncer.url);
    await stranger.query("BEGIN");
    await stranger.query("UPDATE account SET credits = 7 WHERE name = 'stranger'");
    const task = await nodes[0]!.client.schedule({ ...patience, payload: { credits: "stopped", stopFence: 1 } });
    const first = await eventually(async () => {
      const start = (await ledger.starts()).find(({ taskId }) => taskId === task.id);
      expect(start).toBeDefined();
      return start!;
    });
    const stopped = nodes.find(({ pid }) => String(pid) === first.node)!;
    const other = nodes.find((node) => node !== stopped)!;
    await eventually(async () => {
      const { body } = await other.client.get<TaskBody>(`/v1/tasks/${task.id}`);
      expect(body).toMatchObject({ state: "succeeded", attempt: 1, crashCount: 1 });
    });
    expect(await creditsOf("stopped")).toBe(1);
    await stranger.query("COMMIT");
    expect(await creditsOf("stranger")).toBe(7);
    process.kill(stopped.pid, "SIGCONT");
    await eventually(() => expectOneView(nodes));
    await eventually(async () => expect((await ledger.ends()).map(({ fence }) => fence)).toContain(1));
    expect(await creditsOf("stopped")).toBe(1);
  });

  test("a handler's transaction through PgBouncer is ended when its handler hears no time-out and the next execution has waited", async () => {
    await ledger.query("INSERT INTO account VALUES ('deaf', 0)");
    const { client } = nodes[0]!;
    const task = await client.schedule({ ...patience, payload: { credits: "deaf", deafFence: 1 } });
    await eventually(async () => {
      const { body } = await client.get<TaskBody>(`/v1/tasks/${task.id}`);
      expect(body).toMatchObject({ state: "succeeded", attempt: 2, crashCount: 0 });
    });
    expect(await creditsOf("deaf")).toBe(1);
  });
});

describe("a dead node whose claim stands still, behind PgBouncer", () => {
  test("a dead node behind PgBouncer loses the session that holds its row; a live node with a session of its name keeps it", async () => {
    const random = new SystemRandom();
    const dead = newBootId(random);
    const alive = newBootId(random);
    const pooled = await PgBouncer.start(databaseUrl, { serverConnections: 3 });
    await stage.add(pooled);
    const stores = openPostgres({ url: pooled.url, transactionPooling: true, size: 1, applicationName: alive });
    await stage.add({ stop: () => stores.close() });
    const node = { version: "0.1.0", roles: ["engine"] as "engine"[], typeIds: [] };
    await stores.cluster.join({ ...node, bootId: dead, label: "10.0.0.1:1" });
    const claimer = await connect(pooled.url, dead);
    await claimer.query("BEGIN");
    await claimer.query("SELECT 1 FROM tickwheel.node WHERE boot_id = $1 FOR KEY SHARE", [dead]);
    // Has used a session after the node did, and has no name of its own.
    const before = await connect(pooled.url, dead);
    await before.query("SELECT 1");
    await before.end();
    const stranger = await connect(pooled.url);
    await stranger.query("BEGIN");
    await stranger.query("CREATE TABLE kept AS SELECT 1 AS row");
    const { rows } = await stranger.query("SHOW application_name");
    expect(rows).toEqual([{ application_name: dead }]);

    const leader = (await stores.cluster.takeTerm(alive, await stores.cluster.readTerm()))!;
    const beat = (await stores.cluster.readBeats()).find(({ bootId }) => bootId === dead)!.beat;
    expect(await stores.cluster.declareDead({ bootId: dead, beat, leader })).toBe("busy");
    await expect(claimer.query("SELECT 1")).rejects.toThrow(/terminat|connection|closed/i);
    await stranger.query("COMMIT");
    expect(await ledger.query("SELECT row FROM kept")).toEqual([{ row: 1 }]);
  });
});
