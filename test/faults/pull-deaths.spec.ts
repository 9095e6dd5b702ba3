import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { promised } from "../support/broken-promise.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";

const TASKS = depth({ sample: 300, whole: 5_000 });
const DEATHS = depth({ sample: 6, whole: 60 });
const BETWEEN_DEATHS_MS = depth({ sample: 700, whole: 2_000 });
const CONSUMERS = 4;
const TYPE = "image.resize";
const SCRIPT = join(import.meta.dirname, "../support/pull-consumer.mjs");

interface Counts {
  started: string;
  ended: string;
  firsts: string;
  startedTwice: string;
  completedTwice: string;
  refused: string;
}

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[];
let database: pg.Client;
const consumers: ChildProcess[] = [];

beforeAll(async () => {
  services = await stage.services({ redis: true });
  nodes = await stage.many(3, startNode);
  await eventually(() => expectOneView(nodes));
  database = new pg.Client({ connectionString: services.databaseUrl });
  await database.connect();
  await database.query(`
    CREATE TABLE pull_start (task_id uuid, fence integer, consumer text);
    CREATE TABLE pull_end (task_id uuid, fence integer, consumer text, outcome text, sent integer)`);
});
afterAll(async () => {
  for (const consumer of consumers) consumer.kill("SIGKILL");
  await database?.end();
  await stage.stop();
});

function startNode(): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types: ["order"] });
}

function startConsumer(): void {
  const urls = nodes.map(({ client }) => client.url);
  const given = { urls, key: stage.apiKey, type: TYPE, databaseUrl: services.databaseUrl };
  consumers.push(spawn(process.execPath, [SCRIPT, JSON.stringify(given)], { stdio: "inherit" }));
}

async function killNode(death: number): Promise<void> {
  const [victim] = nodes.splice(death % nodes.length, 1);
  await victim!.kill();
  nodes.push(await startNode());
}

/** Those that live on know the nodes by their old addresses, so another one takes the killed one's place. */
function killConsumer(): void {
  consumers.shift()!.kill("SIGKILL");
  startConsumer();
}

/** How many tasks have ended. */
async function ended(): Promise<number> {
  const sql = "SELECT count(*)::int AS n FROM tickwheel.history";
  return (await database.query<{ n: number }>(sql)).rows[0]!.n;
}

async function counts(): Promise<Counts> {
  const { rows } = await database.query<Counts>(`
    SELECT (SELECT count(*) FROM pull_start) AS started, (SELECT count(*) FROM pull_end) AS ended,
           (SELECT count(DISTINCT task_id) FROM pull_end WHERE outcome IN ('first', 'true')) AS firsts,
           (SELECT count(*) FROM (SELECT 1 FROM pull_start GROUP BY task_id, fence HAVING count(*) > 1) s) AS "startedTwice",
           (SELECT count(*) FROM (SELECT 1 FROM pull_end WHERE outcome IN ('first', 'true') GROUP BY task_id HAVING count(DISTINCT fence) > 1) e) AS "completedTwice",
           (SELECT count(*) FROM pull_end WHERE outcome = 'LEASE_LOST') AS refused`);
  return rows[0]!;
}

test("each pulled task is fetched again after its lease, and completed once, while consumers, nodes and both are killed", async () => {
  const deliver = { kind: "pull" };
  for (let made = 0; made < TASKS; made += 100)
    await nodes[0]!.client.scheduleMany(
      Array.from({ length: 100 }, () => ({
        type: TYPE,
        deliver,
        delay: Math.floor(Math.random() * 3_000),
        maxAttempts: 100,
      })),
    );
  for (let n = 0; n < CONSUMERS; n++) startConsumer();
  for (let death = 0; death < DEATHS; death++) {
    await lasting(BETWEEN_DEATHS_MS);
    if (death % 3 !== 1) killConsumer();
    if (death % 3 !== 0) await killNode(death);
  }
  await eventually(async () => expect(await ended()).toBe(TASKS));
  // What a consumer has to say of its last task is written down behind the task's end.
  await eventually(async () =>
    expect(Number((await counts()).firsts)).toBeGreaterThanOrEqual(TASKS - CONSUMERS * 5 * DEATHS),
  );
  const told = await counts();
  printFigures("consumers and nodes that are killed", { ...told, tasks: TASKS, deaths: DEATHS });
  promised(() => expect([told.startedTwice, told.completedTwice]).toEqual(["0", "0"]));
  const { rows } = await database.query<{ n: number }>(`
    SELECT count(*)::int AS n FROM tickwheel.history h
     WHERE h.state <> 2 OR EXISTS (SELECT FROM pull_end e WHERE e.task_id = h.id AND e.outcome IN ('first', 'true') AND e.fence <> h.fence)`);
  promised(() => expect(rows[0]!.n).toBe(0));
  const leases = await database.query<{ n: number }>("SELECT count(*)::int AS n FROM tickwheel.lease");
  expect(leases.rows[0]!.n).toBe(0);
});
