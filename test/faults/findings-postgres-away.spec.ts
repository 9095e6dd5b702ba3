import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ApiClient, Problem } from "../support/api-client.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, quiet } from "../support/cluster-view.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { findingsOf, FindingsWatch, oneToldByAll, overOnAll } from "./findings-watch.js";
import { Ledger } from "../support/ledger.js";

/** Longer than the beats after which a node is dead. */
const OUTAGE_MS = 10_000;
const AWAY = {
  code: "POSTGRES_AWAY",
  severity: "critical",
  title: /^Postgres is away from all 3 nodes$/,
  cure: /^Look at the server or its failover\./,
};

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[] = [];
let watch: FindingsWatch;

beforeAll(async () => {
  services = await stage.services({ redis: true });
  const ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  watch = await stage.add(new FindingsWatch(() => nodes));
  const { databaseUrl, redisUrl } = services;
  nodes = await stage.many(3, () => stage.app({ databaseUrl, redisUrl, types: ["order"] }));
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

test("each of three nodes tells a Postgres that is away, and nothing else, to a session that it knows", async () => {
  const clients = await Promise.all(nodes.map(({ client }) => client.logIn()));
  const sessions = clients.map((client) => ({ client }));
  for (const session of sessions) await findingsOf(session);
  const due = Array.from({ length: 300 }, (_, place) => ({ type: "order", payload: {}, delay: 500 + place * 50 }));
  await nodes[0]!.client.scheduleMany(due);
  await services.postgres.kill();
  const { finding, tookMs } = await oneToldByAll(sessions, AWAY);
  await Promise.all(clients.map(expectRefused));
  await lasting(Math.max(0, Date.parse(finding.since) + OUTAGE_MS - Date.now()));
  await oneToldByAll(sessions, AWAY);
  await services.postgres.restart();
  printFigures("findings: Postgres away", { tookMs });
  const [[newest]] = await Promise.all([overOnAll(nodes, { over: [AWAY.code] }), quiet(nodes[0]!)]);
  expect(Date.parse(newest!.until!) - Date.parse(newest!.since)).toBeGreaterThanOrEqual(OUTAGE_MS);
  expect(Date.parse(newest!.since)).toBeLessThanOrEqual(Date.parse(finding.since) + 1_000);
});

test("no finding that follows from an outage of Postgres is told", async () => {
  for (const { now, lastDay } of await watch.look())
    expect([now, lastDay.map(({ code }) => code)]).toEqual([[], [AWAY.code]]);
  expect([...new Set(watch.codes)]).toEqual([AWAY.code]);
});

async function expectRefused(client: ApiClient): Promise<void> {
  const { status, body } = await client.post<Problem>("/v1/tasks", { type: "order", payload: {} });
  expect({ status, code: body.code }).toEqual({ status: 503, code: "STORE_UNAVAILABLE" });
}
