import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { freePort } from "@tickwheel/local-services";
import { ApiClient, type Problem } from "../support/api-client.js";
import { spawnScheduler, TestStage } from "../support/cluster.js";
import { eventually, lasting } from "../support/eventually.js";
import type { NodeProcess } from "../support/node-process.js";
import type { OwnPostgres } from "../support/servers/own-postgres.js";

/** How often Postgres is stopped while nodes start, and how long it runs in between. */
const SPELLS = 5;
const SPELL_MS = 700;

const stage = new TestStage();
let postgres: OwnPostgres;
let databaseUrl: string;

beforeAll(async () => {
  ({ postgres, databaseUrl } = await stage.services());
});
afterAll(() => stage.stop());

interface Starting {
  process: NodeProcess;
  client: ApiClient;
}

/** A node that need not be ready soon. Its Redis URL leads to no server, which must not matter either. */
async function starting(): Promise<Starting> {
  const port = await freePort();
  const redisUrl = `redis://127.0.0.1:${await freePort()}`;
  const process = spawnScheduler({ databaseUrl, redisUrl, apiKey: stage.apiKey, port });
  await stage.add({ stop: () => (process.end ? undefined : process.kill()) });
  return { process, client: new ApiClient(`http://127.0.0.1:${port}`, stage.apiKey) };
}

async function expectHealth({ process, client }: Starting, ready: number): Promise<void> {
  if (process.end) throw new Error(`the node ended with ${JSON.stringify(process.end)}:\n${process.log()}`);
  const answers = await Promise.all([client.get("/health/live"), client.get("/health/ready")]);
  expect(answers.map(({ status }) => status)).toEqual([200, ready]);
}

async function expectWorks({ client }: Starting): Promise<void> {
  const { status } = await client.post("/v1/tasks", { type: "far", payload: {}, delay: "1h" });
  expect(status).toBe(201);
  const { degraded } = await client.cluster();
  expect(degraded.filter(({ part }) => part !== "redis")).toEqual([]);
}

describe("a node that starts while Postgres is away", () => {
  test("a node that starts while Postgres is away is live but not ready, says what it waits for, and is ready with Postgres", async () => {
    await postgres.kill();
    const node = await starting();
    await eventually(() => expectHealth(node, 503));
    await eventually(() => expect(node.process.log()).toMatch(/waits for Postgres, for \d+\.\d s so far/));
    expect(node.process.log()).toMatch(/listens on port \d+; it is not ready/);
    const refused = await node.client.post<Problem>("/v1/tasks", { type: "far", payload: {} });
    expect([refused.status, refused.body.code]).toEqual([503, "STORE_UNAVAILABLE"]);
    await postgres.restart();
    await eventually(() => expectHealth(node, 200));
    await eventually(() => expectWorks(node));
    expect(node.process.log()).toMatch(/The start goes on after \d+\.\d s/);
    expect(await node.process.stop()).toEqual({ code: 143, signal: null });
  });

  test("a node that starts while Postgres is away ends in order at a signal", async () => {
    await postgres.kill();
    const { process, client } = await starting();
    await eventually(() => expectHealth({ process, client }, 503));
    expect(await process.stop()).toEqual({ code: 143, signal: null });
    await postgres.restart();
  });

  test("a node that waits for Postgres ends with one message when Postgres is back with an error that waiting cannot cure", async () => {
    await postgres.kill();
    const port = await freePort();
    const stranger = new URL(databaseUrl);
    stranger.password = "wrong";
    const process = spawnScheduler({ databaseUrl: stranger.href, apiKey: stage.apiKey, port });
    await eventually(() => expect(process.log()).toContain("waits for Postgres"));
    await postgres.restart();
    expect(await process.exited).toEqual({ code: 1, signal: null });
    expect(process.log()).toMatch(/tickwheel: .*\n?.*refuses the user or the password/);
  });
});

test("nodes that start while Postgres comes and goes all become ready by themselves", async () => {
  const nodes = await Promise.all([starting(), starting(), starting()]);
  for (let spell = 0; spell < SPELLS; spell++) {
    await postgres.kill();
    await lasting(SPELL_MS);
    await postgres.restart();
    await lasting(SPELL_MS);
  }
  for (const node of nodes) await eventually(() => expectHealth(node, 200));
  for (const node of nodes) await eventually(() => expectWorks(node));
});
