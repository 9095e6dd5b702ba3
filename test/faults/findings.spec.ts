import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ApiClient, Finding, Problem } from "../support/api-client.js";
import { type TestNode, type TestServices, TestStage } from "../support/cluster.js";
import { expectOneView, leaderAmong, quiet } from "../support/cluster-view.js";
import { eventually, lasting } from "../support/eventually.js";
import { printFigures, tellTimes } from "../support/figures.js";
import { findingsOf, FindingsWatch, overOnAll, toldByAll } from "./findings-watch.js";
import { Ledger } from "../support/ledger.js";

const OUTAGE_MS = 10_000;
const BLOCK_MS = 5_000;
const BLOCKED_TOLD_WITHIN_MS = 3_000;
const SILENT_TOLD_WITHIN_MS = 5_000;

const stage = new TestStage();
let services: TestServices;
let nodes: TestNode[] = [];
let watch: FindingsWatch;
/** What is to be in the last day, newest first. */
const over: string[] = [];

beforeAll(async () => {
  services = await stage.services({ redis: true });
  const ledger = await stage.add(new Ledger(services.databaseUrl));
  await ledger.create();
  watch = await stage.add(new FindingsWatch(() => nodes));
  nodes = await stage.many(3, () => startNode(["order", "resize"]));
  await eventually(() => expectOneView(nodes));
});
afterAll(() => stage.stop());

function startNode(types: readonly string[]): Promise<TestNode> {
  const { databaseUrl, redisUrl } = services;
  return stage.app({ databaseUrl, redisUrl, types });
}

/** One finding, whichever node is asked. */
async function expectTold(
  code: string,
  words: { severity: string; title: RegExp; cure: RegExp },
  asked: readonly Pick<TestNode, "client">[] = nodes,
): Promise<{ finding: Finding; tookMs: number }> {
  const { findings, tookMs } = await toldByAll(asked, [code]);
  const { severity, title, cure } = words;
  for (const [finding] of findings)
    expect(finding).toMatchObject({
      ...{ code, severity, until: null },
      ...{ title: expect.stringMatching(title), cure: expect.stringMatching(cure) },
    });
  return { finding: findings[0]![0]!, tookMs };
}

/** It is over on every node, and what it was stands in the last day with both its times, after all before it. */
async function expectOver({ id, code, since }: Finding): Promise<void> {
  over.unshift(code);
  const [newest] = await overOnAll(nodes, over);
  expect(newest).toMatchObject({ code, since });
  expect(Date.parse(newest!.until!)).toBeGreaterThanOrEqual(Date.parse(since));
  // While Postgres is away a node has no row to name it by.
  if (code !== "POSTGRES_AWAY") expect(newest).toMatchObject({ id });
}

describe("of three nodes, each one tells", () => {
  test("a type that nobody runs and one that fails, until a node with the handler starts and attempts succeed", async () => {
    const [first, second] = nodes as [TestNode, TestNode, TestNode];
    await first.client.scheduleMany([1, 2].map(() => ({ type: "mail", payload: {} })));
    const failing = { type: "order", payload: { fails: 9 }, maxAttempts: 1 };
    await second.client.scheduleMany(Array.from({ length: 12 }, () => failing));
    const { findings, tookMs } = await toldByAll(nodes, ["TYPE_WITHOUT_NODE", "TYPE_FAILING"]);
    for (const told of findings)
      expect(told).toMatchObject([
        {
          ...{ severity: "critical", title: "No live node runs mail", cure: "Start a node with this handler." },
          facts: { type: "mail", overdue: 2 },
        },
        {
          ...{ severity: "warning", title: "order: 100 % of attempts fail" },
          cure: expect.stringContaining("retry the dead"),
          facts: { failed: 12, dead: 12, error: expect.stringContaining("asked to fail") },
        },
      ]);
    printFigures("findings: a type without node, and a failing one", { tookMs });
    const fourth = await startNode(["mail"]);
    await first.client.scheduleMany(Array.from({ length: 60 }, () => ({ type: "order", payload: {} })));
    await quiet(first);
    // A goodbye is no finding.
    expect(await fourth.stop()).toMatchObject({ signal: "SIGTERM" });
    await Promise.all(
      nodes.map((node) =>
        eventually(async () => {
          const { now, lastDay } = await findingsOf(node);
          expect(now).toEqual([]);
          expect(lastDay.map(({ id }) => id).sort()).toEqual(findings[0]!.map(({ id }) => id).sort());
          over.splice(0, over.length, ...lastDay.map(({ code }) => code));
        }),
      ),
    );
  });

  test("a Redis that is away, until it is back", async () => {
    await services.redis!.kill();
    const { finding, tookMs } = await expectTold("REDIS_AWAY", {
      severity: "warning",
      title: /^Redis is away from all 3 nodes$/,
      cure: /^Look at Redis\./,
    });
    await services.redis!.restart();
    printFigures("findings: Redis away", { tookMs });
    await expectOver(finding);
  });

  test("a Postgres that is away, and nothing else, to a session that it knows; and nothing that follows from it", async () => {
    const sessions = await Promise.all(nodes.map(({ client }) => client.logIn()));
    for (const client of sessions) await findingsOf({ client });
    const due = Array.from({ length: 300 }, (_, place) => ({ type: "order", payload: {}, delay: 500 + place * 50 }));
    await nodes[0]!.client.scheduleMany(due);
    await services.postgres.kill();
    const { finding, tookMs } = await expectTold(
      "POSTGRES_AWAY",
      {
        severity: "critical",
        title: /^Postgres is away from all 3 nodes$/,
        cure: /^Look at the server or its failover\./,
      },
      sessions.map((client) => ({ client })),
    );
    await Promise.all(sessions.map(expectRefused));
    await lasting(OUTAGE_MS);
    await expectTold(
      "POSTGRES_AWAY",
      { severity: "critical", title: /^Postgres is away from all 3 nodes$/, cure: /./ },
      sessions.map((client) => ({ client })),
    );
    await services.postgres.restart();
    await quiet(nodes[0]!);
    printFigures("findings: Postgres away", { tookMs });
    over.unshift("POSTGRES_AWAY");
    const [newest] = await overOnAll(nodes, over);
    expect(Date.parse(newest!.until!) - Date.parse(newest!.since)).toBeGreaterThanOrEqual(OUTAGE_MS);
    expect(Date.parse(newest!.since)).toBeLessThanOrEqual(Date.parse(finding.since) + 1_000);
  });

  test("a blocked loop with what runs there, until it turns", async () => {
    const [blocked, ...others] = nodes as [TestNode, TestNode, TestNode];
    const task = await blocked.client.schedule({ type: "resize", payload: { blockMs: BLOCK_MS } });
    const { finding, tookMs } = await expectTold(
      "LOOP_BLOCKED",
      { severity: "critical", title: /^The event loop of .* is blocked, /, cure: /^It runs resize\. / },
      others,
    );
    expect(finding).toMatchObject({ facts: { running: ["resize"], task: task.id } });
    expect(finding.facts["node"]).toMatch(new RegExp(`:${blocked.pid}$`));
    tellTimes("a blocked loop in the findings", {
      "another node names it": { ms: tookMs, boundMs: BLOCKED_TOLD_WITHIN_MS },
    });
    await expectOver(finding);
  });

  test("a node that is killed: suspect, then dead, as one finding, also where it led", async () => {
    const { leader } = await leaderAmong(nodes);
    await leader.kill();
    nodes = nodes.filter((node) => node !== leader);
    const { finding, tookMs } = await expectTold("NODE_SUSPECT", {
      severity: "warning",
      title: /is suspect: no beat for /,
      cure: /^Nothing yet\./,
    });
    tellTimes("a silent node in the findings", {
      "every other node tells it": { ms: tookMs, boundMs: SILENT_TOLD_WITHIN_MS },
    });
    const { finding: death } = await expectTold("NODE_DIED", {
      severity: "notice",
      title: new RegExp(`:${leader.pid}.* died, and its tasks were taken over$`),
      cure: /^Nothing to do here\./,
    });
    expect(death).toMatchObject({ id: finding.id, since: finding.since });
  });

  test("and never anything else", async () => {
    for (const { now, lastDay } of await watch.look()) {
      expect(now.map(({ code }) => code)).toEqual(["NODE_DIED"]);
      expect(lastDay.map(({ code }) => code)).toEqual(over);
    }
    const told = new Set(watch.codes);
    expect([...told]).toEqual([...over, "NODE_SUSPECT", "NODE_DIED"].sort());
  });
});

async function expectRefused(client: ApiClient): Promise<void> {
  const { status, body } = await client.post<Problem>("/v1/tasks", { type: "order", payload: {} });
  expect({ status, code: body.code }).toEqual({ status: 503, code: "STORE_UNAVAILABLE" });
}
