import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { printFigures, summaryOf } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";

const SCHEDULES = 10;
const MOST_LIVE = 100;
/** So long nobody planned them: without a bound each has so many occurrences at once, and one more each second. */
const LOST_SECONDS = 600;

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

/** As after an outage: all that passed is planned at once. */
async function loseTime(): Promise<void> {
  const lost = `make_interval(secs => ${LOST_SECONDS})`;
  await database.query(
    `UPDATE tickwheel.schedule SET planned_until = planned_until - ${lost}, settled_until = settled_until - ${lost},
            look_at = now()`,
  );
}

test("schedules whose occurrences nobody runs stop at a bound, and harm nobody else", async () => {
  const load = stage.load([node], {
    type: "order",
    perSecond: 50,
    delayMs: [0, 500] as const,
    payload: { effect: true },
  });
  await eventually(() => expect(load.createMs.length).toBeGreaterThan(40));
  const aloneMs = summaryOf(load.createMs.splice(0));
  const missed = { misfire: "all", limit: 1_000 };
  const names = Array.from({ length: SCHEDULES }, (_, place) => `endless.${place}`);
  for (const name of names) {
    const rules = { type: "nobody.runs", every: "1s", overlap: "allow", ...missed };
    const { status } = await node.client.send("PUT", `/v1/schedules/${name}`, {
      body: JSON.stringify(rules),
    });
    expect(status).toBe(201);
  }
  await loseTime();
  await eventually(async () => expect(await liveOccurrences()).toBeGreaterThanOrEqual(SCHEDULES * MOST_LIVE));
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
