import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "pg";
import { WriteAheadLog } from "../bench/src/schedulers/write-ahead-log.js";
import { startTestServices, type TestServices } from "../support/cluster.js";

const ROWS = 100;

let services: TestServices;
let client: Client;

beforeAll(async () => {
  services = await startTestServices({ postgres: { autovacuum: "off" } });
  client = new Client({ connectionString: services.databaseUrl });
  await client.connect();
  await client.query("CREATE TABLE counted (id integer PRIMARY KEY, indexed integer NOT NULL)");
  await client.query("CREATE INDEX ON counted (indexed)");
  await client.query(`INSERT INTO counted SELECT id, 0 FROM generate_series(1, ${ROWS}) AS id`);
});
afterAll(async () => {
  await client?.end();
  await services?.stop();
});

test("the log of a benchmark tells each commit and each dead row version at once, and nothing of statements that only read", async () => {
  const log = await WriteAheadLog.open(services.databaseUrl);
  await log.begin();
  for (let id = 1; id <= ROWS; id++) {
    await client.query("UPDATE counted SET indexed = $1 WHERE id = $1", [id]);
    await client.query("SELECT count(*) FROM counted");
  }
  await client.query("DELETE FROM counted WHERE id <= 50");
  const { walBytes, ...counts } = await log.end();
  await log.close();
  expect(counts).toEqual({ commits: ROWS + 1, deadVersions: ROWS + 50, hotUpdates: 0 });
  expect(walBytes).toBeGreaterThan(ROWS * 50);
});

test("a checkpoint while a benchmark measures takes nothing of its log away", async () => {
  const log = await WriteAheadLog.open(services.databaseUrl);
  await log.begin();
  await client.query("UPDATE counted SET indexed = 0 WHERE id = $1", [ROWS]);
  for (let file = 0; file < 3; file++) {
    await client.query("SELECT pg_switch_wal()");
    await client.query("CHECKPOINT");
  }
  expect(await log.end()).toMatchObject({ commits: 1, deadVersions: 1 });
  await log.close();
});
