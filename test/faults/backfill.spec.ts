import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { promised } from "../support/broken-promise.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView } from "../support/cluster-view.js";
import { depth } from "../support/depth.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";

const DAYS = depth({ sample: 12, whole: 200 });
const KILLS = depth({ sample: 1, whole: 8 });
const BETWEEN_KILLS_MS = depth({ sample: 1_000, whole: 6_000 });
const DAY_MS = 86_400_000;

interface Schedule {
  state: string;
  nextAt: string | null;
  backfill: { left: number } | null;
}

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[];
let ledger: Ledger;

beforeAll(async () => {
  services = await stage.services({ redis: true });
  ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  nodes = await stage.many(3, startNode);
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

function startNode(): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types: ["order"] });
}

const schedule = async (): Promise<Schedule> => (await nodes.at(-1)!.client.get<Schedule>("/v1/schedules/daily")).body;

async function killOne(kill: number): Promise<void> {
  const [victim] = nodes.splice(kill % nodes.length, 1);
  await victim!.kill();
  nodes.push(await startNode());
}

test("a backfill runs each instant once and in order, while the nodes that run it and plan it are killed", async () => {
  const { client } = nodes[0]!;
  const rules = { type: "order", cron: "0 0 * * *", payload: { holdMs: 150 } };
  expect((await client.send("PUT", "/v1/schedules/daily", { body: JSON.stringify(rules) })).status).toBe(201);
  const last = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const days = Array.from({ length: DAYS }, (_, index) => last - (DAYS - 1 - index) * DAY_MS);
  const range = { from: new Date(days[0]!).toISOString(), to: new Date(last + 1).toISOString() };
  const asked = await client.post<{ count: number }>("/v1/schedules/daily/backfill", range);
  expect([asked.status, asked.body.count]).toEqual([202, DAYS]);
  let kills = 0;
  while (kills < KILLS && (await schedule()).backfill !== null) {
    await lasting(BETWEEN_KILLS_MS);
    await killOne(kills++);
  }
  await eventually(async () => expect((await schedule()).backfill).toBeNull());
  const occurred = await ledger.occurred();
  const starts = await ledger.starts();
  const firstStart = ({ taskId }: { taskId: string }): number =>
    Math.min(...starts.filter((start) => start.taskId === taskId).map(({ atMs }) => atMs));
  const ran = occurred.toSorted((one, other) => firstStart(one) - firstStart(other)).map(({ instant }) => instant);
  printFigures("a backfill under faults", { instants: DAYS, kills });
  expect(kills).toBeGreaterThan(0);
  promised(() => expect(ran).toEqual(days));
  const again = await nodes[0]!.client.post<{ count: number }>("/v1/schedules/daily/backfill", range);
  expect(again.body.count).toBe(0);
  expect(await schedule()).toMatchObject({ state: "active", nextAt: new Date(last + DAY_MS).toISOString() });
});
