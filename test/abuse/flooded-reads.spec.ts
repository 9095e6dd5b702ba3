import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { hashApiKey } from "@tickwheel/api";
import pg from "pg";
import { ApiClient } from "../support/api-client.js";
import { RudeCaller } from "../support/attacks/rude-caller.js";
import { newTestKey, type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { printFigures, summaryOf } from "../support/figures.js";

const TASKS = 1_000;
/** Lists of one viewer that are asked for at once, always. */
const FLOOD = 220;
/** Reads of another namespace, one after the other. */
const HONEST = 40;
/** Pages of the flood that a read lets pass: a look at a task is a few statements, each waits for its turn. */
const MOST_PASSED = 30;

const stage = new TestStage();
let node: TestNode;
let honest: ApiClient;
let honestId: string;
/** A caller of the viewer's own namespace. */
let colleague: ApiClient;
let colleaguesId: string;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  node = await stage.app({ databaseUrl, types: [] });
  const tasks = Array.from({ length: TASKS }, () => ({ type: "flood", delay: "1h", payload: "x".repeat(500) }));
  await node.client.scheduleMany(tasks);
  honest = await clientOf("honest", databaseUrl);
  honestId = (await honest.schedule({ type: "honest", delay: "1h" })).id;
  colleague = await clientOf("default", databaseUrl);
  colleaguesId = (await colleague.schedule({ type: "honest", delay: "1h" })).id;
});
afterAll(() => stage.stop());

/** With a key of its own. */
async function clientOf(namespace: string, databaseUrl: string): Promise<ApiClient> {
  const key = newTestKey();
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const sql = "INSERT INTO tickwheel.api_key (hash, namespace, role) VALUES ($1, $2, 'operator')";
  await database.query(sql, [hashApiKey(key), namespace]);
  await database.end();
  return new ApiClient(node.url, key);
}

interface Seen {
  ms: number[];
  statuses: number[];
  /** How many pages the flood got during each read. */
  passedBy: number[];
}

/** @param flooded tells how many pages the flood has got */
async function readsOf(reader: ApiClient, id: string, flooded: () => number): Promise<Seen> {
  const seen: Seen = { ms: [], statuses: [], passedBy: [] };
  for (let read = 0; read < HONEST; read++) {
    const startMonoMs = performance.now();
    const before = flooded();
    const { status } = await reader.get(`/v1/tasks/${id}`);
    seen.ms.push(performance.now() - startMonoMs);
    seen.statuses.push(status);
    seen.passedBy.push(flooded() - before);
  }
  return seen;
}

test.each([
  { whose: "another namespace", reader: () => honest, id: () => honestId },
  { whose: "another key of the same namespace", reader: () => colleague, id: () => colleaguesId },
])("a viewer who takes all reads of a node holds up no read of $whose", async ({ whose, reader, id }) => {
  const alone = await readsOf(reader(), id(), () => 0);
  const viewer = new RudeCaller(node.url);
  viewer.keepSending(FLOOD, () => ({ method: "GET", path: "/v1/tasks?limit=100", key: stage.apiKey, isRead: true }));
  await eventually(() => expect(viewer.outcomes.length).toBeGreaterThan(FLOOD));
  const beside = await readsOf(reader(), id(), () => viewer.tally[200] ?? 0);
  viewer.stop();
  const passedBy = summaryOf(beside.passedBy);
  const figures = { aloneMs: summaryOf(alone.ms), besideMs: summaryOf(beside.ms), passedBy, flood: viewer.tally };
  printFigures(`one viewer's flood of reads, beside ${whose}`, figures);
  expect(new Set([...alone.statuses, ...beside.statuses])).toEqual(new Set([200]));
  expect(passedBy.max).toBeLessThanOrEqual(MOST_PASSED);
});
