import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { printFigures, summaryOf } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";

const SCHEDULES = 4;
const MOST_LIVE = 100;

const stage = new TestStage();
let database: pg.Client;
let ledger: Ledger;
let node: TestNode;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  ledger = await stage.add(new Ledger(databaseUrl));
  await ledger.create();
  node = await stage.app({ databaseUrl, types: ["order"], module: { liveOccurrencesPerSchedule: MOST_LIVE } });
  database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
});
afterEach(() => stage.endLoads());
afterAll(async () => {
  await database.end();
  await stage.stop();
});

async function liveOccurrences(): Promise<number> {
  const sql = "SELECT count(*)::int AS live FROM tickwheel.schedule_run WHERE ended_at IS NULL";
  return (await database.query<{ live: number }>(sql)).rows[0]!.live;
}

/** How many schedules have told that instants passed while as many occurrences lived as may. */
async function schedulesThatSkip(): Promise<number> {
  const sql = `SELECT count(DISTINCT schedule_id)::int AS count FROM tickwheel.schedule_run
                WHERE kind = 'skip' AND reason = 'LIVE_LIMIT'`;
  return (await database.query<{ count: number }>(sql)).rows[0]!.count;
}

/** Triggers a schedule until it refuses; beside it, it plans ahead. Answers the code of the refusal. */
async function fill(name: string): Promise<string | null> {
  for (let count = 0; count <= MOST_LIVE; count++) {
    const { status, body } = await node.client.post<{ code?: string }>(`/v1/schedules/${name}/trigger`, {});
    if (status >= 400) return body.code ?? null;
  }
  return null;
}

test("schedules whose occurrences no node runs stop at a bound, and harm no other work", async () => {
  const load = stage.load([node], {
    type: "order",
    perSecond: 50,
    delayMs: [0, 500] as const,
    payload: { effect: true },
  });
  await eventually(() => expect(load.createMs.length).toBeGreaterThan(40));
  const aloneMs = summaryOf(load.createMs.splice(0));
  const names = Array.from({ length: SCHEDULES }, (_, place) => `endless.${place}`);
  for (const name of names) {
    const rules = { type: "nobody.runs", every: "1s", overlap: "allow" };
    const { status } = await node.client.send("PUT", `/v1/schedules/${name}`, { body: JSON.stringify(rules) });
    expect(status).toBe(201);
  }
  for (const name of names) expect(await fill(name)).toBe("TASK_STATE_CONFLICT");
  await eventually(async () => expect(await schedulesThatSkip()).toBe(SCHEDULES));
  const live = await liveOccurrences();
  await load.stop();
  printFigures("schedules without a runner", {
    schedules: SCHEDULES,
    live,
    aloneMs,
    besideMs: summaryOf(load.createMs),
  });
  expect({ refusals: load.refusals, unanswered: load.unanswered }).toEqual({ refusals: [], unanswered: 0 });
  expect(live).toBeLessThanOrEqual(SCHEDULES * MOST_LIVE);
  expect(await liveOccurrences()).toBeLessThanOrEqual(SCHEDULES * MOST_LIVE);
});
